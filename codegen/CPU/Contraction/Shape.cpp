#include "codegen/CPU/Contraction/Shape.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static Dims rowMajorStrides(ArrayRef<Dim> extents) {
  Dims strides(extents.size(), Dim(1));
  for (size_t i = extents.size(); i-- > 1;)
    strides[i - 1] = strides[i] * extents[i];
  return strides;
}

namespace {
struct Operand {
  Dims extents, strides;
  SmallVector<int64_t> free;

  Operand(Value value, ArrayRef<int64_t> contract, ArrayRef<int64_t> batch)
      : extents(dimsOf(value)), strides(rowMajorStrides(extents)) {
    for (int64_t i = 0; i < int64_t(extents.size()); ++i)
      if (!llvm::is_contained(contract, i) && !llvm::is_contained(batch, i))
        free.push_back(i);
  }

  /// True if dimensions i and j can be merged into one dimension with the stride of j.
  bool areOne(int64_t i, int64_t j) const { return strides[i] == strides[j] * extents[j]; }
};
} // namespace

static bool setDepth(ContractionShape &shape, const Operand &lhs, const Operand &rhs, DotGeneralOp op) {
  ArrayRef<int64_t> left = op.getLhsContract(), right = op.getRhsContract();
  if (left.empty())
    return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (i + 1 < left.size() && !(lhs.areOne(left[i], left[i + 1]) && rhs.areOne(right[i], right[i + 1])))
      return false;
    shape.depth = shape.depth * lhs.extents[left[i]];
  }
  shape.depthRow = lhs.extents[left.back()];
  shape.lhsDepthStride = lhs.strides[left.back()];
  shape.rhsDepthStride = rhs.strides[right.back()];
  return true;
}

std::optional<ContractionShape> ContractionShape::of(DotGeneralOp op) {
  Operand lhs(op.getLhs(), op.getLhsContract(), op.getLhsBatch()), rhs(op.getRhs(), op.getRhsContract(), op.getRhsBatch());
  ContractionShape shape;
  if (rhs.free.empty() || rhs.extents.back().isStatic(0) || rhs.free.back() + 1 != int64_t(rhs.extents.size()) ||
      !setDepth(shape, lhs, rhs, op))
    return std::nullopt;
  unsigned resultDim = 0;
  for (auto [i, j] : llvm::zip_equal(op.getLhsBatch(), op.getRhsBatch()))
    shape.outer.push_back({resultDim++, lhs.extents[i], lhs.strides[i], rhs.strides[j]});
  size_t firstRow = lhs.free.size(); // the trailing free dimensions that are one in memory
  while (firstRow > 0 && (firstRow == lhs.free.size() || lhs.areOne(lhs.free[firstRow - 1], lhs.free[firstRow])))
    --firstRow;
  for (auto [n, i] : llvm::enumerate(lhs.free)) {
    if (n < firstRow) {
      shape.outer.push_back({resultDim++, lhs.extents[i], lhs.strides[i], Dim(0)});
      continue;
    }
    if (n == firstRow)
      shape.firstRowDim = resultDim;
    ++resultDim;
    shape.rowDims.push_back(lhs.extents[i]);
    shape.rows = shape.rows * lhs.extents[i];
    shape.rowStride = lhs.strides[i];
  }
  for (int64_t i : ArrayRef(rhs.free).drop_back())
    shape.outer.push_back({resultDim++, rhs.extents[i], Dim(0), rhs.strides[i]});
  shape.columns = rhs.extents.back();
  return shape;
}
