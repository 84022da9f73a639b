#include "codegen/GPU/Hopper/Side.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

unsigned Side::boxOf(const Matrix::Term &term) const {
  if (term.role == Matrix::Batch)
    return 1;
  if (term.role == Matrix::Depth)
    return depths[term.number].box;
  bool isLast = term.number + 1 == own.size();
  return hasDepthInside() ? own[term.number].box : isLast ? depth() : 1;
}

bool Side::isCopied() const {
  const Matrix::Term &inner = matrix.axes.front().terms.front();
  bool isDepth = hasDepthInside();
  if (inner.role == Matrix::Batch || inner.step != 1 || inner.number + 1 != (isDepth ? depths : own).size())
    return false;
  if (isDepth ? depths.back().box != depth() : own.back().box % boxLength() != 0)
    return false;
  size_t next = (isDepth ? own : depths).size(); // of the spans outside
  unsigned elements = 1;
  for (auto [i, axis] : llvm::enumerate(matrix.axes)) {
    bool isBoxed = false;
    for (const Matrix::Term &term : axis.terms) {
      unsigned box = boxOf(term);
      elements *= box;
      if (box == 1 || i == 0)
        continue;
      if (isBoxed || term.role == inner.role || term.number >= next || term.step < 1 || term.step > kMostStep ||
          box * term.step > kMostBox)
        return false;
      isBoxed = true;
      next = term.number;
    }
  }
  return elements == boxLength() * depth(); // otherwise no loop moves a box along some span
}

SmallVector<unsigned> Side::placeOf(unsigned box) const {
  SmallVector<unsigned> place(own.size());
  unsigned rest = box * boxLength();
  for (size_t i = own.size(); i-- > 0; rest /= own[i].box)
    place[i] = i > 0 ? rest % own[i].box : rest;
  return place;
}

/// "To load N elements along i-th dimension, boxDim[i] must be set to N * elementStrides[i]" (cuda.h on
/// cuTensorMapEncodeTiled). The innermost dimension has no steps.
TensorMap Side::map() const {
  TensorMap map = matrix.map;
  for (auto [axis, dimension] : llvm::zip_equal(matrix.axes, map.dimensions))
    for (const Matrix::Term &term : axis.terms)
      if (unsigned box = boxOf(term); box > 1) {
        dimension.step = term.step;
        dimension.box = box * dimension.step;
      }
  return map;
}
