// Inference and folds of slices at data-dependent positions, gather and scatter. RandomOps.cpp infers random_bits.
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;

/// Checks that a block of these sizes fits into the operand, as far as the sizes are known.
static LogicalResult checkBlock(std::optional<Location> location, StringRef op, StringRef what, ArrayRef<Dim> sizes,
                                ArrayRef<Dim> extents, size_t starts) {
  if (starts != extents.size())
    return emitOptionalError(location, op, ": expected ", extents.size(),
                             " starts, one for each dimension of the operand, got ", starts);
  if (sizes.size() != extents.size())
    return emitOptionalError(location, op, ": ", what, " has ", sizes.size(), " dimensions, but the operand has rank ",
                             extents.size());
  for (auto [i, size, extent] : llvm::enumerate(sizes, extents))
    if (Dim room = extent - size; room.isStatic() && room.constant() < 0)
      return emitOptionalError(location, op, ": ", what, " is ", size.str(), " long in dimension ", i, ", the operand only ",
                               extent.str());
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  Dims extents = dimsOf(type), sizes = dimsOf(adaptor.getSizes());
  if (failed(checkExtents(location, getOperationName(), sizes)) ||
      failed(checkBlock(location, getOperationName(), "'size'", sizes, extents, adaptor.getStarts().size())))
    return failure();
  types.push_back(tensorOf(namedAs(sizes, extents), type.getElementType()));
  return success();
}

/// True for a block as large as the operand, which has only one position.
static bool isWhole(Type block, Type operand) {
  return block == operand &&
         llvm::none_of(dimsOf(cast<RankedTensorType>(block)), [](const Dim &dim) { return dim.isUnknown(); });
}
OpFoldResult DynamicSliceOp::fold(FoldAdaptor) { return isWhole(getType(), getOperand().getType()) ? getOperand() : Value(); }

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType()),
       update = cast<RankedTensorType>(adaptor.getUpdate().getType());
  if (update.getElementType() != type.getElementType() || update.getRank() != type.getRank())
    return emitOptionalError(location, getOperationName(), ": operand 'update' must have elements of ", type.getElementType(),
                             " and rank ", type.getRank(), ", as the first operand, got ", update);
  if (failed(checkBlock(location, getOperationName(), "operand 'update'", dimsOf(update), dimsOf(type),
                        adaptor.getStarts().size())))
    return failure();
  types.push_back(type);
  return success();
}
OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  return isWhole(getUpdate().getType(), getType()) ? getUpdate() : Value();
}

/// Returns the result shape of a gather; checks C1 to C3.
static FailureOr<Dims> gatherDims(std::optional<Location> location, StringRef op, StringRef tableName, Value table,
                                  Value indices, int64_t axis, int64_t batch) {
  Dims from = dimsOf(table), places = dimsOf(indices);
  if (batch < 0 || batch > axis || axis >= int64_t(from.size()))
    return emitOptionalError(location, op, ": expected batch <= axis < rank of '", tableName, "', got batch ", batch, ", axis ",
                             axis, ", rank ", from.size());
  if (batch > int64_t(places.size()))
    return emitOptionalError(location, op, ": batch is ", batch, ", but operand 'indices' has rank ", places.size());
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

/// Returns the operand of a broadcast of one number, or the value itself.
static Value numberBehind(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && broadcast.getOperand().getType().getRank() == 0 ? broadcast.getOperand() : value;
}

static bool isNumber(Value value, int64_t number) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<APInt>().getSExtValue() == number;
}

/// True if the value is the last index of a dimension of this size.
static bool isLastOf(const Dim &size, Value value) {
  if (size.isStatic() && isNumber(value, size.constant() - 1))
    return true;
  auto last = numberBehind(value).getDefiningOp<SubOp>();
  auto count = last ? numberBehind(last.getLhs()).getDefiningOp<DimSizeOp>() : DimSizeOp();
  return count && isNumber(numberBehind(last.getRhs()), 1) && dimsOf(count.getOperand())[count.getDim()] == size;
}

/// Folds a gather of all slices in order. Importers clamp the indices to the last one where a dimension may have size 1.
OpFoldResult GatherOp::fold(FoldAdaptor) {
  auto clamped = getIndices().getDefiningOp<MinOp>();
  auto places = (clamped ? clamped.getLhs() : getIndices()).getDefiningOp<IotaOp>();
  bool isWhole = getBatch() == 0 && getTable().getType() == getType() && places && getIndices().getType().getRank() == 1;
  return isWhole && (!clamped || isLastOf(dimsOf(getTable())[getAxis()], clamped.getRhs())) ? getTable() : Value();
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
  if (into.getElementType().isInteger(1) && adaptor.getKind() != ScatterKind::Set)
    return emitOptionalError(location, getOperationName(), ": i1 elements can only be set, got ",
                             stringifyScatterKind(adaptor.getKind()));
  types.push_back(into);
  return success();
}
