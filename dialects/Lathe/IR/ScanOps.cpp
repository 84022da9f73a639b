// Inference and folds of cumulative ops.
#include "dialects/Lathe/IR/CheckDim.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

LogicalResult CumulativeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(checkDim(location, getOperationName(), adaptor.getDim(), type.getRank())))
    return failure();
  if (adaptor.getKind() == CumulativeKind::LogSumExp && !isa<FloatType>(type.getElementType()))
    return emitOptionalError(location, getOperationName(), ": logsumexp takes floats, got ", type);
  types.push_back(type);
  return success();
}
OpFoldResult CumulativeOp::fold(FoldAdaptor) { return dimsOf(getOperand())[getDim()].isStatic(1) ? getOperand() : Value(); }

LogicalResult LinearRecurrenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  auto factor = cast<RankedTensorType>(adaptor.getFactor().getType()),
       term = cast<RankedTensorType>(adaptor.getTerm().getType());
  bool agree = factor.getElementType() == term.getElementType() && factor.getRank() == term.getRank();
  for (auto [a, b] : llvm::zip(dimsOf(factor), dimsOf(term)))
    agree &= mayEqual(a, b);
  if (!agree)
    return emitOptionalError(location, getOperationName(), ": operand 'factor' is ", factor, ", operand 'term' ", term,
                             "; both must have one type");
  if (failed(checkDim(location, getOperationName(), adaptor.getDim(), factor.getRank())))
    return failure();
  types.push_back(factor);
  return success();
}
OpFoldResult LinearRecurrenceOp::fold(FoldAdaptor) { return dimsOf(getTerm())[getDim()].isStatic(1) ? getTerm() : Value(); }
