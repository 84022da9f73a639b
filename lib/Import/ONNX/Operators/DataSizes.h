// Lists whose length is data.
#ifndef LATHE_IMPORT_ONNX_DATASIZES_H
#define LATHE_IMPORT_ONNX_DATASIZES_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// The most elements that are compared one after the other where parts of a tensor are put in order.
inline constexpr int64_t kMostColumns = 64;

/// The places of a list of truth values where one holds, ascending: i64. No more than `most` hold, if that is known.
Value placesWhere(Node &node, Value mask, std::optional<Dim> most = std::nullopt);
/// All elements in one dimension.
Value flattened(Node &node, Value value);
/// A row for each dimension of `shape` with the coordinates of places, which are numbered in row-major order.
Value coordinates(Node &node, Value places, llvm::ArrayRef<Dim> shape);

} // namespace lathe::onnximport

#endif
