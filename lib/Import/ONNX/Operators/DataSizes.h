// Lists whose length is data.
#ifndef LATHE_IMPORT_ONNX_DATASIZES_H
#define LATHE_IMPORT_ONNX_DATASIZES_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// Limit on the elements that are compared one after the other to sort parts of a tensor.
inline constexpr int64_t kMostColumns = 64;

/// Returns the positions of true elements in a list, ascending, as i64. At most `most` are true, if that is known.
Value placesWhere(Node &node, Value mask, std::optional<Dim> most = std::nullopt);
/// Returns all elements in one dimension.
Value flattened(Node &node, Value value);
/// Returns a row for each dimension of `shape` with the coordinates of row-major indices.
Value coordinates(Node &node, Value places, llvm::ArrayRef<Dim> shape);

} // namespace lathe::onnximport

#endif
