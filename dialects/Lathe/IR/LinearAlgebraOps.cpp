// Inference of triangular_solve and cholesky.
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

LogicalResult TriangularSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  auto a = cast<RankedTensorType>(adaptor.getA().getType()), b = cast<RankedTensorType>(adaptor.getB().getType());
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(location, op, ": operand 'a' has element type ", a.getElementType(), ", operand 'b' ",
                             b.getElementType());
  if (a.getRank() != b.getRank() || a.getRank() < 2)
    return emitOptionalError(location, op, ": operands must be of one rank, at least 2, got ", a, " and ", b);
  Dims left = dimsOf(a), right = dimsOf(b);
  size_t rows = left.size() - 2, columns = rows + 1;
  for (size_t i = 0; i < rows; ++i)
    if (!mayEqual(left[i], right[i]))
      return emitOptionalError(location, op, ": batch dimension ", i, " of operand 'a' is ", left[i].str(), ", of operand 'b' ",
                               right[i].str());
  if (!mayEqual(left[rows], left[columns]))
    return emitOptionalError(location, op, ": operand 'a' must be square in its last two dimensions, got ", a);
  size_t shared = adaptor.getRight() ? columns : rows;
  if (!mayEqual(left[rows], right[shared]))
    return emitOptionalError(location, op, ": operand 'a' is ", left[rows].str(), " wide, operand 'b' has ",
                             right[shared].str(), adaptor.getRight() ? " columns" : " rows");
  types.push_back(b);
  return success();
}

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getA().getType());
  Dims dims = dimsOf(type);
  if (dims.size() < 2)
    return emitOptionalError(location, getOperationName(), ": the operand must have rank 2 or more, got ", type);
  if (!mayEqual(dims[dims.size() - 2], dims.back()))
    return emitOptionalError(location, getOperationName(), ": the operand must be square in its last two dimensions, got ",
                             type);
  types.push_back(type);
  return success();
}
