// Inference of reductions and dot_general.
#include "dialects/Lathe/IR/CheckDim.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> dims = adaptor.getDims();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= type.getRank() || (i && dim <= dims[i - 1]))
      return emitOptionalError(location, getOperationName(),
                               ": 'dims' must be ascending dimensions of the operand, which has rank ", type.getRank(),
                               ", got ", listText(dims));
  ReduceKind kind = adaptor.getKind();
  Type element = type.getElementType();
  if (ofBits(kind) ? isa<FloatType>(element) : element.isInteger(1))
    return emitOptionalError(location, getOperationName(), ": ", stringifyReduceKind(kind), " takes ",
                             ofBits(kind) ? "i1 and integers" : "numbers; 'and' is all and 'or' is any of i1", ", got ", type);
  Dims result;
  for (auto [i, extent] : llvm::enumerate(dimsOf(type)))
    if (!llvm::is_contained(dims, int64_t(i)))
      result.push_back(extent);
  types.push_back(tensorOf(result, element));
  return success();
}
OpFoldResult ReduceOp::fold(FoldAdaptor) { return getDims().empty() ? getOperand() : Value(); }

/// Infers the type of argmax and argmin.
static LogicalResult inferIndexOf(StringRef op, std::optional<Location> location, Value operand, int64_t dim,
                                  SmallVectorImpl<Type> &types) {
  Dims dims = dimsOf(operand);
  if (failed(checkDim(location, op, dim, dims.size())))
    return failure();
  dims.erase(dims.begin() + dim);
  types.push_back(tensorOf(dims, IntegerType::get(operand.getContext(), 32)));
  return success();
}

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferIndexOf(getOperationName(), location, adaptor.getOperand(), adaptor.getDim(), types);
}

LogicalResult ArgminOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferIndexOf(getOperationName(), location, adaptor.getOperand(), adaptor.getDim(), types);
}

namespace {
/// One side of a dot_general.
struct Side {
  StringRef name;
  Dims dims;
  ArrayRef<int64_t> contract, batch;
};
} // namespace

static LogicalResult checkSide(std::optional<Location> location, const Side &side) {
  llvm::SmallBitVector seen(side.dims.size());
  for (int64_t dim : llvm::concat<const int64_t>(side.contract, side.batch)) {
    if (dim < 0 || dim >= int64_t(side.dims.size()))
      return emitOptionalError(location, DotGeneralOp::getOperationName(), ": dimension ", dim, " of operand '", side.name,
                               "' does not exist: the operand has rank ", side.dims.size());
    if (seen.test(dim))
      return emitOptionalError(location, DotGeneralOp::getOperationName(), ": dimension ", dim, " of operand '", side.name,
                               "' is named twice");
    seen.set(dim);
  }
  return success();
}

LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  auto left = cast<RankedTensorType>(adaptor.getLhs().getType()), right = cast<RankedTensorType>(adaptor.getRhs().getType());
  if (left.getElementType() != right.getElementType())
    return emitOptionalError(location, op, ": operand 'lhs' has element type ", left.getElementType(), ", operand 'rhs' ",
                             right.getElementType());
  Side lhs{"lhs", dimsOf(left), adaptor.getLhsContract(), adaptor.getLhsBatch()};
  Side rhs{"rhs", dimsOf(right), adaptor.getRhsContract(), adaptor.getRhsBatch()};
  if (lhs.contract.size() != rhs.contract.size() || lhs.batch.size() != rhs.batch.size())
    return emitOptionalError(location, op, ": lists must pair up: contract ", listText(lhs.contract), " x ",
                             listText(rhs.contract), ", batch ", listText(lhs.batch), " x ", listText(rhs.batch));
  if (failed(checkSide(location, lhs)) || failed(checkSide(location, rhs)))
    return failure();
  auto pairUp = [&](ArrayRef<int64_t> a, ArrayRef<int64_t> b) -> LogicalResult {
    for (auto [i, j] : llvm::zip_equal(a, b))
      if (!mayEqual(lhs.dims[i], rhs.dims[j]))
        return emitOptionalError(location, op, ": dimension ", i, " of operand 'lhs' is ", lhs.dims[i].str(), ", dimension ", j,
                                 " of operand 'rhs' is ", rhs.dims[j].str());
    return success();
  };
  if (failed(pairUp(lhs.contract, rhs.contract)) || failed(pairUp(lhs.batch, rhs.batch)))
    return failure();
  Dims result;
  for (int64_t dim : lhs.batch)
    result.push_back(lhs.dims[dim]);
  for (const Side *side : {&lhs, &rhs})
    for (auto [i, extent] : llvm::enumerate(side->dims))
      if (!llvm::is_contained(side->contract, int64_t(i)) && !llvm::is_contained(side->batch, int64_t(i)))
        result.push_back(extent);
  types.push_back(tensorOf(result, left.getElementType()));
  return success();
}
