// Inference and folds of sort, argsort and top_k.
#include "dialects/Lathe/IR/CheckDim.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

static LogicalResult checkSorted(std::optional<Location> location, StringRef op, int64_t dim, Value operand) {
  return checkDim(location, op, dim, cast<RankedTensorType>(operand.getType()).getRank());
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getOperand().getType());
  return checkSorted(location, getOperationName(), adaptor.getDim(), adaptor.getOperand());
}
OpFoldResult SortOp::fold(FoldAdaptor) { return dimsOf(getOperand())[getDim()].isStatic(1) ? getOperand() : Value(); }

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(tensorOf(dimsOf(adaptor.getOperand()), IntegerType::get(context, 32)));
  return checkSorted(location, getOperationName(), adaptor.getDim(), adaptor.getOperand());
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  int64_t dim = adaptor.getDim();
  Dim count = dimsOf(adaptor.getCount()).front();
  if (failed(checkSorted(location, getOperationName(), dim, adaptor.getOperand())))
    return failure();
  Dims result = dimsOf(adaptor.getOperand());
  if (count.isStatic() && count.constant() < 0)
    return emitOptionalError(location, getOperationName(), ": 'count' is ", count.str());
  if (Dim rest = result[dim] - count; rest.isStatic() && rest.constant() < 0)
    return emitOptionalError(location, getOperationName(), ": 'count' is ", count.str(), ", dimension ", dim, " has only ",
                             result[dim].str(), " elements");
  result[dim] = result[dim].isUnknown() && !count.isStatic() ? Dim::unknown() : count;
  types.push_back(tensorOf(result, IntegerType::get(context, 32)));
  return success();
}
