// Lists whose length is data.
#ifndef LATHE_IMPORT_ONNX_DATASIZES_H
#define LATHE_IMPORT_ONNX_DATASIZES_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// Limit on the elements that are compared one after the other to sort parts of a tensor.
inline constexpr int64_t kMostColumns = 64;

/// Exporters write such bounds of a slice and larger ones for "to the end"; tf2onnx writes this one.
inline constexpr int64_t kEndless = 1'000'000'000;

/// True if data decides the size of a dimension.
bool isDecidedByData(Node &node, const Dim &extent);
/// Returns the element that is -start from the end. The entry fails if it is not there.
Value elementFromEnd(Node &node, Value x, int64_t dim, const Dim &start);
/// Returns every step-th element of x[start : end] along a dimension whose size data decides, from the end if the step is
/// negative. Data decides the size of the result too.
Value slicedByData(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end, int64_t step);
/// The same of any dimension between bounds that are data, scalars of i64.
Value slicedBetween(Node &node, Value x, int64_t dim, Value start, Value end, int64_t step);
/// Returns the positions of true elements in a list, ascending, as i64. At most `most` are true, if that is known.
Value placesWhere(Node &node, Value mask, std::optional<Dim> most = std::nullopt);
/// Returns the number of true elements in a mask, as the size that a NonZero of the mask has given a name. `ones` is the mask
/// as numbers; nullopt if it is not a mask, or if there is no such NonZero.
std::optional<Dim> countedByNonZero(Node &node, Value ones);
/// Returns all elements in one dimension.
Value flattened(Node &node, Value value);
/// Returns a row for each dimension of `shape` with the coordinates of row-major indices.
Value coordinates(Node &node, Value places, llvm::ArrayRef<Dim> shape);

} // namespace lathe::onnximport

#endif
