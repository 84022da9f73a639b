// Reductions, argmax, argmin and dot_general as nests with a reduction:
//
//   reduce, argmax, argmin:  for the kept dimensions:          reduce over the others of operand[kept, reduced]
//   dot_general:             for batch, free lhs, free rhs:    sum over contracted of lhs[...] * rhs[...]
//
// The reduced dimensions are the nest's last ones, in the order of the op, on which the order of a sum depends.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Reduces `operand` along `dims`; the other dimensions, in order, are the nest's parallel ones.
static Value reduceAlong(Operation *op, Value operand, ArrayRef<int64_t> dims, NestReduction kind, OpBuilder &builder) {
  Dims extents = dimsOf(operand), along;
  for (int64_t dim : dims)
    along.push_back(extents[dim]);
  NestBuilder nest(builder, op->getLoc(), typeOf(op->getResult(0)), along, kind);
  unsigned parallel = 0, reduce = extents.size() - dims.size();
  SmallVector<AffineExpr> indices;
  for (size_t i = 0; i < extents.size(); ++i)
    indices.push_back(nest.dim(llvm::is_contained(dims, int64_t(i)) ? reduce++ : parallel++));
  nest.read(operand, indices);
  Value reduced = nest.finish(NestBuilder::firstScalar);
  if (op->hasAttr(kIgnoresNaNAttr))
    reduced.getDefiningOp()->setAttr(kIgnoresNaNAttr, builder.getUnitAttr());
  return reduced;
}

static NestReduction kindOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return NestReduction::Sum;
  case ReduceKind::Product:
    return NestReduction::Product;
  case ReduceKind::Max:
    return NestReduction::Max;
  case ReduceKind::Min:
    return NestReduction::Min;
  case ReduceKind::And:
    return NestReduction::And;
  case ReduceKind::Or:
    return NestReduction::Or;
  case ReduceKind::Xor:
    return NestReduction::Xor;
  }
  llvm_unreachable("all kinds are above");
}

static Value lowerDot(DotGeneralOp op, OpBuilder &builder) {
  Dims left = dimsOf(op.getLhs()), right = dimsOf(op.getRhs()), contracted;
  for (int64_t dim : op.getLhsContract())
    contracted.push_back(left[dim]);
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), contracted, NestReduction::Sum);
  SmallVector<AffineExpr> leftIndices(left.size()), rightIndices(right.size());
  unsigned next = 0;
  for (auto [i, j] : llvm::zip_equal(op.getLhsBatch(), op.getRhsBatch()))
    leftIndices[i] = rightIndices[j] = nest.dim(next++);
  auto freeDims = [&](SmallVectorImpl<AffineExpr> &indices, ArrayRef<int64_t> contract) {
    for (auto [i, index] : llvm::enumerate(indices))
      if (!index && !llvm::is_contained(contract, int64_t(i)))
        index = nest.dim(next++);
  };
  freeDims(leftIndices, op.getLhsContract());
  freeDims(rightIndices, op.getRhsContract());
  for (auto [i, j] : llvm::zip_equal(op.getLhsContract(), op.getRhsContract()))
    leftIndices[i] = rightIndices[j] = nest.dim(next++);
  nest.read(op.getLhs(), leftIndices);
  nest.read(op.getRhs(), rightIndices);
  return nest.finish([](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
    if (isa<FloatType>(scalars[0].getType()))
      return arith::MulFOp::create(b, loc, scalars);
    return arith::MulIOp::create(b, loc, scalars);
  });
}

Value lathe::lowerReduction(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReduceOp o) { return reduceAlong(o, o.getOperand(), o.getDims(), kindOf(o.getKind()), builder); })
      .Case([&](ArgmaxOp o) { return reduceAlong(o, o.getOperand(), int64_t(o.getDim()), NestReduction::Argmax, builder); })
      .Case([&](ArgminOp o) { return reduceAlong(o, o.getOperand(), int64_t(o.getDim()), NestReduction::Argmin, builder); })
      .Case([&](DotGeneralOp o) { return lowerDot(o, builder); })
      .Default(Value());
}
