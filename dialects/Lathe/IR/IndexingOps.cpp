// Inference of gather, scatter and random bits.
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

/// The result shape of a gather; checks C1 to C3.
static FailureOr<Dims> gatherDims(std::optional<Location> location, StringRef op, StringRef tableName, Value table,
                                  Value indices, int64_t axis, int64_t batch) {
  Dims from = dimsOf(table), places = dimsOf(indices);
  if (batch < 0 || batch > axis || axis >= int64_t(from.size()))
    return emitOptionalError(location, op, ": expected batch <= axis < rank of '", tableName, "', got batch ", batch, ", axis ",
                             axis, ", rank ", from.size());
  if (batch > int64_t(places.size()))
    return emitOptionalError(location, op, ": batch is ", batch, ", operand 'indices' has rank ", places.size());
  for (int64_t i = 0; i < batch; ++i)
    if (!mayEqual(from[i], places[i]))
      return emitOptionalError(location, op, ": batch dimension ", i, " of operand '", tableName, "' is ", from[i].str(),
                               ", of operand 'indices' ", places[i].str());
  Dims result(from.begin(), from.begin() + axis);
  result.append(places.begin() + batch, places.end());
  result.append(from.begin() + axis + 1, from.end());
  return result;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  FailureOr<Dims> result = gatherDims(location, getOperationName(), "table", adaptor.getTable(), adaptor.getIndices(),
                                      adaptor.getAxis(), adaptor.getBatch());
  if (failed(result))
    return failure();
  types.push_back(tensorOf(*result, cast<RankedTensorType>(adaptor.getTable().getType()).getElementType()));
  return success();
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<Dims> expected = gatherDims(location, getOperationName(), "into", adaptor.getInto(), adaptor.getIndices(),
                                        adaptor.getAxis(), adaptor.getBatch());
  if (failed(expected))
    return failure();
  auto into = cast<RankedTensorType>(adaptor.getInto().getType()),
       updates = cast<RankedTensorType>(adaptor.getUpdates().getType());
  Dims given = dimsOf(updates);
  bool fits = given.size() == expected->size() && updates.getElementType() == into.getElementType();
  for (size_t i = 0; fits && i < given.size(); ++i)
    fits = mayEqual(given[i], (*expected)[i]);
  if (!fits)
    return emitOptionalError(location, getOperationName(), ": operand 'updates' is ", updates, ", expected ",
                             tensorOf(*expected, into.getElementType()), ", the type that gather would give");
  types.push_back(into);
  return success();
}

LogicalResult RandomBitsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  if (!adaptor.getElement().isInteger(32))
    return emitOptionalError(location, getOperationName(), ": element type must be i32, got ", adaptor.getElement());
  if (int64_t stream = adaptor.getStream(); stream < 0 || stream > int64_t(UINT32_MAX))
    return emitOptionalError(location, getOperationName(), ": stream ", stream, " does not fit 32 bits");
  Dims shape = dimsOf(adaptor.getShape());
  if (failed(checkExtents(location, getOperationName(), shape)))
    return failure();
  types.push_back(tensorOf(shape, adaptor.getElement()));
  return success();
}
