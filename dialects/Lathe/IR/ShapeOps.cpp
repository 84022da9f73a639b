// Inference and folds of shape ops.
#include "dialects/Lathe/IR/Bytes.h"
#include "dialects/Lathe/IR/CheckDim.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Text.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace lathe;

/// Checks that a list has one entry for each dimension.
template <typename List>
static LogicalResult checkRank(std::optional<Location> location, StringRef op, StringRef name, const List &list, size_t rank) {
  if (list.size() == rank)
    return success();
  return emitOptionalError(location, op, ": '", name, "' has ", list.size(), " entries, but the operand has rank ", rank);
}

static LogicalResult checkDistinct(std::optional<Location> location, StringRef op, StringRef name, ArrayRef<int64_t> list,
                                   int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : list) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(location, op, ": '", name, "' names dimension ", dim, ", but the operand has rank ", rank);
    if (seen.test(dim))
      return emitOptionalError(location, op, ": '", name, "' names dimension ", dim, " twice");
    seen.set(dim);
  }
  return success();
}

LogicalResult lathe::checkExtents(std::optional<Location> location, StringRef op, ArrayRef<Dim> shape) {
  for (auto [i, dim] : llvm::enumerate(shape))
    if (dim.isStatic() && dim.constant() < 0)
      return emitOptionalError(location, op, ": dimension ", i, " of the result is ", dim.str(), "; expected 0 or more");
  return success();
}

LogicalResult lathe::checkBytes(Location location, Type type, StringRef what, StringRef hint) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  Dims dims = dimsOf(tensor);
  std::optional<Dim> elements = numElements(dims);
  if (elements && !hasOverflowed(*elements * Dim(std::max(1u, tensor.getElementTypeBitWidth() / 8)), dims))
    return success();
  return emitError(location) << what << " of type " << type << " has more than 2^63 - 1 bytes" << hint;
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getShapedType());
  if (!type || !type.hasStaticShape())
    return emitOptionalError(location, getOperationName(), ": a constant needs a static tensor type, got ",
                             adaptor.getValue().getShapedType());
  types.push_back(type);
  return success();
}
LogicalResult lathe::verifyElements(Operation *op, ElementsAttr value) {
  if (isa<DenseElementsAttr>(value))
    return success();
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return op->emitOpError("must have its elements as dense<...> or dense_resource<...>");
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return op->emitOpError("refers to the resource '") << resource.getRawHandle().getKey() << "', which the file does not have";
  auto type = cast<RankedTensorType>(value.getShapedType());
  std::optional<Dim> elements = numElements(dimsOf(type));
  int64_t width = std::max(1u, type.getElementTypeBitWidth() / 8);
  if (!elements || Dim(int64_t(blob->getData().size())) != *elements * Dim(width))
    return op->emitOpError("of type ") << type << " refers to the resource '" << resource.getRawHandle().getKey() << "' of "
                                       << blob->getData().size() << " bytes";
  return success();
}
LogicalResult ConstantOp::verify() { return verifyElements(*this, getValue()); }
OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Dims from = dimsOf(adaptor.getOperand()), to = dimsOf(adaptor.getShape());
  ArrayRef<int64_t> dims = adaptor.getDims();
  if (failed(checkRank(location, getOperationName(), "dims", dims, from.size())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= int64_t(to.size()) || (i && dim <= dims[i - 1]))
      return emitOptionalError(location, getOperationName(), ": 'dims' must ascend within the result's rank ", to.size(),
                               ", got ", listText(dims));
    if (!from[i].isStatic(1) && !mayEqual(from[i], to[dim]))
      return emitOptionalError(location, getOperationName(), ": operand dimension ", i, " is ", from[i].str(),
                               ", result dimension ", dim, " is ", to[dim].str(), "; only a static 1 can be broadcast");
  }
  if (failed(checkExtents(location, getOperationName(), to)))
    return failure();
  types.push_back(tensorOf(to, getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand());
  if (splat && getType().hasStaticShape())
    return SplatElementsAttr::get(getType(), splat.getSplatValue<Attribute>());
  return {};
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Dims from = dimsOf(adaptor.getOperand()), to = dimsOf(adaptor.getShape());
  if (failed(checkExtents(location, getOperationName(), to)))
    return failure();
  std::optional<Dim> before = numElements(from), after = numElements(to);
  if (!before || !after)
    return emitOptionalError(location, getOperationName(), ": the number of elements overflows 63 bits");
  if (adaptor.getEach() && (!adaptor.getChecked() || from.size() != to.size()))
    return emitOptionalError(location, getOperationName(), ": 'each' needs 'checked' and equal ranks, operand ", str(from),
                             ", result ", str(to));
  if (!mayEqual(*before, *after)) {
    bool canFit = canBeEqual(*before, *after);
    if (!canFit && adaptor.getChecked())
      return emitOptionalError(location, "the sizes ", str(from), " and ", str(to), " must be equal");
    if (!canFit || !adaptor.getChecked())
      return emitOptionalError(location, getOperationName(), ": operand ", str(from), " has ", before->str(),
                               " elements, result ", str(to), " has ", after->str(),
                               canFit ? "; write 'checked' before 'to' to check the sizes at run time" : "");
  }
  types.push_back(tensorOf(namedAs(to, from), getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>(); inner && !inner.getChecked() && !getChecked()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()); elements && getType().hasStaticShape())
    return elements.reshape(getType());
  return {};
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Dims from = dimsOf(adaptor.getOperand()), to;
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (failed(checkRank(location, getOperationName(), "permutation", permutation, from.size())) ||
      failed(checkDistinct(location, getOperationName(), "permutation", permutation, from.size())))
    return failure();
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  types.push_back(tensorOf(to, getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(getPermutation().size())))
    return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()); splat && getType().hasStaticShape())
    return SplatElementsAttr::get(getType(), splat.getSplatValue<Attribute>());
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> both;
    for (int64_t dim : getPermutation())
      both.push_back(inner.getPermutation()[dim]);
    setPermutation(both);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  types.push_back(type);
  return checkDistinct(location, getOperationName(), "dims", adaptor.getDims(), type.getRank());
}

static LogicalResult sliceDim(std::optional<Location> location, size_t i, const Dim &extent, const Dim &start, const Dim &limit,
                              int64_t step, Dims &result) {
  StringRef op = SliceOp::getOperationName();
  if (step < 1)
    return emitOptionalError(location, op, ": step ", step, " of dimension ", i, " is not positive");
  // The entry checks what is unknown here (requiredExtents).
  auto isNegative = [](const Dim &dim) { return dim.isStatic() && dim.constant() < 0; };
  Dim length = limit - start;
  if (isNegative(start) || isNegative(length) || isNegative(extent - limit))
    return emitOptionalError(location, op, ": dimension ", i, " goes from ", start.str(), " to ", limit.str(),
                             ", but the operand's extent is ", extent.str());
  result.push_back(ceilDiv(length, step));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Dims from = dimsOf(adaptor.getOperand()), starts = dimsOf(adaptor.getStarts()), limits = dimsOf(adaptor.getLimits()), to;
  if (failed(checkRank(location, getOperationName(), "starts", starts, from.size())) ||
      failed(checkRank(location, getOperationName(), "limits", limits, from.size())) ||
      failed(checkRank(location, getOperationName(), "steps", adaptor.getSteps(), from.size())))
    return failure();
  for (size_t i = 0; i < from.size(); ++i)
    if (failed(sliceDim(location, i, from[i], starts[i], limits[i], adaptor.getSteps()[i], to)))
      return failure();
  types.push_back(tensorOf(namedAs(to, from), getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
OpFoldResult ReverseOp::fold(FoldAdaptor) {
  auto inner = getOperand().getDefiningOp<ReverseOp>();
  auto sorted = [](ArrayRef<int64_t> dims) {
    auto copy = llvm::to_vector(dims);
    llvm::sort(copy);
    return copy;
  };
  if (getDims().empty())
    return getOperand();
  return inner && sorted(inner.getDims()) == sorted(getDims()) ? inner.getOperand() : Value();
}

OpFoldResult SliceOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : Value(); }

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  Dims from = dimsOf(adaptor.getOperand()), lows = dimsOf(adaptor.getLow()), highs = dimsOf(adaptor.getHigh()), to;
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  if (value.getRank() != 0 || value.getElementType() != getElementTypeOrSelf(adaptor.getOperand()))
    return emitOptionalError(location, op, ": operand 1 'value' must be a tensor<", getElementTypeOrSelf(adaptor.getOperand()),
                             ">, got ", value);
  if (failed(checkRank(location, op, "low", lows, from.size())) ||
      failed(checkRank(location, op, "high", highs, from.size())) ||
      failed(checkRank(location, op, "interior", adaptor.getInterior(), from.size())))
    return failure();
  for (size_t i = 0; i < from.size(); ++i) {
    const Dim &low = lows[i], &high = highs[i];
    int64_t interior = adaptor.getInterior()[i];
    if (interior < 0)
      return emitOptionalError(location, op, ": interior padding ", interior, " of dimension ", i, " is negative");
    Dim extent = dilated(from[i], interior + 1) + low + high;
    if (hasOverflowed(extent, {from[i], low, high}))
      return emitOptionalError(location, op, ": dimension ", i, " of extent ", from[i].str(), " padded by ", low.str(), " and ",
                               high.str(), ", ", interior, " between elements, overflows 63 bits");
    if (extent.isStatic() && extent.constant() < 0)
      return emitOptionalError(location, op, ": dimension ", i, " of extent ", from[i].str(), " padded by ", low.str(), " and ",
                               high.str(), " becomes negative");
    to.push_back(extent);
  }
  types.push_back(tensorOf(to, getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](const Dim &amount) { return amount.isStatic(0); };
  bool nothing = llvm::all_of(dimsOf(getLow()), isZero) && llvm::all_of(dimsOf(getHigh()), isZero) &&
                 llvm::all_of(asDims(getInterior()), isZero);
  return nothing ? getOperand() : Value();
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, op, ": expected at least one operand");
  auto first = cast<RankedTensorType>(adaptor.getInputs()[0].getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(location, op, ": 'dim' is ", dim, ", but operand 0 has rank ", first.getRank());
  Dims result = dimsOf(first);
  for (auto [i, operand] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType() != first.getElementType() || type.getRank() != first.getRank())
      return emitOptionalError(location, op, ": operand ", i + 1, " is ", type, ", operand 0 ", first);
    for (auto [d, extent] : llvm::enumerate(dimsOf(type))) {
      if (int64_t(d) == dim) {
        Dim before = result[d];
        result[d] = before + extent;
        if (hasOverflowed(result[d], {before, extent}))
          return emitOptionalError(location, op, ": dimension ", d, " overflows 63 bits: ", before.str(), " + ", extent.str());
      } else if (!mayEqual(result[d], extent)) {
        return emitOptionalError(location, op, ": dimension ", d, " of operand ", i + 1, " is ", extent.str(),
                                 ", of operand 0 ", result[d].str());
      }
    }
  }
  types.push_back(tensorOf(result, first.getElementType()));
  return success();
}
OpFoldResult ConcatenateOp::fold(FoldAdaptor) { return getInputs().size() == 1 ? getInputs()[0] : Value(); }

LogicalResult IotaOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Dims shape = dimsOf(adaptor.getShape());
  if (adaptor.getDim() >= shape.size())
    return emitOptionalError(location, getOperationName(), ": 'dim' is ", int64_t(adaptor.getDim()),
                             ", but the shape has rank ", shape.size());
  Type element = adaptor.getElement();
  if (!isElementType(element) || element.isInteger(1))
    return emitOptionalError(location, getOperationName(), ": the element type must be a number, got ", element, "; expected ",
                             kNumberTypes);
  if (failed(checkExtents(location, getOperationName(), shape)))
    return failure();
  types.push_back(tensorOf(shape, element));
  return success();
}

LogicalResult DimSizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(checkDim(location, getOperationName(), adaptor.getDim(), type.getRank())))
    return failure();
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  return success();
}
OpFoldResult DimSizeOp::fold(FoldAdaptor) {
  Dim dim = dimsOf(getOperand())[getDim()];
  if (!dim.isStatic())
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(getType()), APInt(64, dim.constant()));
}

LogicalResult SetDimSizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(location, getOperationName(), dim, type.getRank())))
    return failure();
  if (adaptor.getName().empty() || derivedDim(adaptor.getName()))
    return emitOptionalError(location, getOperationName(), ": '", adaptor.getName(), "' is not a valid dimension name");
  Dims dims = dimsOf(type);
  dims[dim] = Dim::named(adaptor.getName());
  types.push_back(tensorOf(dims, type.getElementType()));
  return success();
}
