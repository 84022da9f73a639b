// Positions in tensors: walks over strided elements, and data-dependent indices.
#ifndef LATHE_INTERPRETER_PLACES_H
#define LATHE_INTERPRETER_PLACES_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace lathe {

using Extents = llvm::SmallVector<int64_t, 6>;

/// Returns element i of an i32 or i64 tensor, exactly.
inline int64_t indexAt(const Tensor &indices, int64_t i) {
  return indices.getElement() == Element::I32 ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
}

/// Returns the row-major stride of each dimension.
inline Extents rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  Extents strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

inline int64_t product(llvm::ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

/// Moves an index to the next one in row-major order. The last one becomes all zeros.
inline void advanceIndex(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
    index[d] = 0;
}

/// Calls f(i, base + sum of index * stride) for the i-th index of a shape of at least one dimension in row-major order, if the
/// last element of the index is from `first` to `end`.
template <typename F>
void forEachPlaceOfColumns(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t base, int64_t first,
                           int64_t end, F f) {
  int64_t rows = product(shape.drop_back()), columns = shape.back(), step = strides.back();
  Extents index(shape.size() - 1, 0);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t place = base;
    for (size_t d = 0; d < index.size(); ++d)
      place += index[d] * strides[d];
    for (int64_t column = first; column < end; ++column)
      f(row * columns + column, place + column * step);
    advanceIndex(index, shape.drop_back());
  }
}

/// Does the same for all indices, in row-major order, or for the only one of a scalar.
template <typename F>
void forEachPlace(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t base, F f) {
  if (shape.empty())
    return f(int64_t(0), base);
  forEachPlaceOfColumns(shape, strides, base, 0, shape.back(), f);
}

} // namespace lathe

#endif
