// Inference and folds of elementwise ops.
#include "dialects/Lathe/IR/EqualSizes.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

LogicalResult lathe::checkOperandTypes(std::optional<Location> location, StringRef op, ValueRange operands) {
  for (auto [i, type] : llvm::enumerate(operands.getTypes()))
    if (std::string reason = whyNotTensor(type); !reason.empty())
      return emitOptionalError(location, op, ": operand #", i, " has type ", type, "; ", reason);
  return success();
}

std::optional<Dims> lathe::broadcastDims(ArrayRef<Dims> shapes, JoinSizes join) {
  size_t rank = 0;
  for (const Dims &shape : shapes)
    rank = std::max(rank, shape.size());
  Dims result(rank, Dim(1));
  for (const Dims &shape : shapes)
    for (auto [i, dim] : llvm::enumerate(shape)) {
      Dim &out = result[rank - shape.size() + i];
      if (dim.isStatic(1) || out == dim)
        continue;
      std::optional<Dim> both = out.isStatic(1) || out.isUnknown() ? std::optional(dim) : join(out, dim);
      if (!both)
        return std::nullopt;
      out = *both;
    }
  return result;
}

std::optional<Dims> lathe::broadcastDims(ArrayRef<Dims> shapes) {
  return broadcastDims(shapes, [](const Dim &a, const Dim &b) { return mayEqual(a, b) ? std::optional(a) : std::nullopt; });
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Checks that the named operands have one element type and broadcast. Returns their common shape.
static FailureOr<Dims> commonShape(std::optional<Location> location, StringRef op, ArrayRef<NamedValue> operands) {
  SmallVector<Dims> shapes;
  for (auto [name, value] : operands)
    shapes.push_back(dimsOf(value));
  std::optional<Dims> result = broadcastDims(shapes);
  if (result)
    return *result;
  // Name the first incompatible pair.
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = i + 1; j < operands.size(); ++j)
      if (!broadcastDims({shapes[i], shapes[j]})) {
        return emitOptionalError(
            location, op, ": operand '", operands[i].first, "' has shape ", str(shapes[i]), ", operand '", operands[j].first,
            "' ", str(shapes[j]),
            "; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1");
      }
  return failure();
}

static LogicalResult sameElement(std::optional<Location> location, StringRef op, ArrayRef<NamedValue> operands) {
  NamedValue a = operands.front();
  for (NamedValue b : operands.drop_front())
    if (typeOf(a.second).getElementType() != typeOf(b.second).getElementType())
      return emitOptionalError(location, op, ": operand '", a.first, "' has element type ", typeOf(a.second).getElementType(),
                               ", operand '", b.first, "' ", typeOf(b.second).getElementType(),
                               "; convert one of them with lathe.convert");
  return success();
}

LogicalResult lathe::inferElementwise(std::optional<Location> location, StringRef op, ArrayRef<NamedValue> operands,
                                      SmallVectorImpl<Type> &types) {
  if (failed(sameElement(location, op, operands)))
    return failure();
  FailureOr<Dims> shape = commonShape(location, op, operands);
  if (failed(shape))
    return failure();
  types.push_back(tensorOf(*shape, typeOf(operands.front().second).getElementType()));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  SmallVector<Type> common;
  if (failed(inferElementwise(location, getOperationName(), {{"lhs", adaptor.getLhs()}, {"rhs", adaptor.getRhs()}}, common)))
    return failure();
  types.push_back(tensorOf(dimsOf(cast<RankedTensorType>(common[0])), IntegerType::get(context, 1)));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value onTrue = adaptor.getOnTrue(), onFalse = adaptor.getOnFalse();
  if (failed(sameElement(location, getOperationName(), {{"on_true", onTrue}, {"on_false", onFalse}})))
    return failure();
  FailureOr<Dims> shape = commonShape(location, getOperationName(),
                                      {{"predicate", adaptor.getPredicate()}, {"on_true", onTrue}, {"on_false", onFalse}});
  if (failed(shape))
    return failure();
  types.push_back(tensorOf(*shape, typeOf(onTrue).getElementType()));
  return success();
}

LogicalResult ConvertOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type element = adaptor.getTo();
  if (!isElementType(element))
    return emitOptionalError(location, getOperationName(), ": cannot convert to ", element, "; expected ", kElementTypes);
  types.push_back(tensorOf(dimsOf(adaptor.getOperand()), element));
  return success();
}

LogicalResult BitcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type from = typeOf(adaptor.getOperand()).getElementType(), to = adaptor.getTo();
  if (!isElementType(to) || from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOptionalError(location, getOperationName(), ": cannot take the bits of ", from, " as ", to,
                             "; expected an element type of ", from.getIntOrFloatBitWidth(),
                             from.isInteger(1) ? " bit" : " bits", "; lathe.convert changes the width");
  types.push_back(tensorOf(dimsOf(adaptor.getOperand()), to));
  return success();
}

LogicalResult PolygammaOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (int64_t order = adaptor.getOrder(); order < 1 || order > kLargestOrder)
    return emitOptionalError(location, getOperationName(), ": order must be from 1 to ", kLargestOrder, ", got ", order,
                             "; order 0 is lathe.digamma");
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult LdexpOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  FailureOr<Dims> shape =
      commonShape(location, getOperationName(), {{"operand", adaptor.getOperand()}, {"exponent", adaptor.getExponent()}});
  if (failed(shape))
    return failure();
  types.push_back(tensorOf(*shape, typeOf(adaptor.getOperand()).getElementType()));
  return success();
}

// ---- Folds. Only identities that hold for every operand, including NaN and signed zero.

static bool isSplatOf(Attribute attr, double number) {
  auto elements = dyn_cast_or_null<SplatElementsAttr>(attr);
  if (!elements)
    return false;
  if (isa<FloatType>(elements.getElementType())) {
    APFloat value = elements.getSplatValue<APFloat>();
    return value.convertToDouble() == number && value.isNegative() == std::signbit(number);
  }
  return elements.getSplatValue<APInt>().getSExtValue() == int64_t(number);
}

OpFoldResult NegOp::fold(FoldAdaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  return {};
}

/// Folds an idempotent op that is applied to its own result.
template <typename Op>
static OpFoldResult foldOfItself(Op op) {
  return op.getOperand().template getDefiningOp<Op>() ? op.getOperand() : Value();
}
OpFoldResult AbsOp::fold(FoldAdaptor) { return foldOfItself(*this); }
OpFoldResult FloorOp::fold(FoldAdaptor) { return foldOfItself(*this); }
OpFoldResult CeilOp::fold(FoldAdaptor) { return foldOfItself(*this); }
OpFoldResult TruncOp::fold(FoldAdaptor) { return foldOfItself(*this); }
OpFoldResult RoundOp::fold(FoldAdaptor) { return foldOfItself(*this); }
OpFoldResult RoundHalfAwayOp::fold(FoldAdaptor) { return foldOfItself(*this); }
OpFoldResult StopGradientOp::fold(FoldAdaptor) { return foldOfItself(*this); }

OpFoldResult NotOp::fold(FoldAdaptor) {
  auto inner = getOperand().getDefiningOp<NotOp>();
  return inner ? inner.getOperand() : Value();
}

/// Folds an op whose result for two equal operands is that operand. Both parts of its cotangent then add up to the whole.
template <typename Op>
static OpFoldResult foldOfEquals(Op op) {
  return op.getLhs() == op.getRhs() ? op.getLhs() : Value();
}
OpFoldResult MaxOp::fold(FoldAdaptor) { return foldOfEquals(*this); }
OpFoldResult MinOp::fold(FoldAdaptor) { return foldOfEquals(*this); }
OpFoldResult AndOp::fold(FoldAdaptor) { return foldOfEquals(*this); }
OpFoldResult OrOp::fold(FoldAdaptor) { return foldOfEquals(*this); }

OpFoldResult AddOp::fold(FoldAdaptor adaptor) { // x + -0.0 is x; x + 0.0 is not for x = -0.0
  bool isFloat = isa<FloatType>(typeOf(getResult()).getElementType());
  return isSplatOf(adaptor.getRhs(), isFloat ? -0.0 : 0.0) && getLhs().getType() == getType() ? getLhs() : Value();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 0.0) && getLhs().getType() == getType() ? getLhs() : Value();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) && getLhs().getType() == getType() ? getLhs() : Value();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) && getLhs().getType() == getType() ? getLhs() : Value();
}

OpFoldResult SelectOp::fold(FoldAdaptor) {
  return getOnTrue() == getOnFalse() && getOnTrue().getType() == getType() ? getOnTrue() : Value();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  // Conversion to a float type that has every value of the original type, and back.
  auto inner = getOperand().getDefiningOp<ConvertOp>();
  if (!inner || inner.getOperand().getType() != getType())
    return {};
  Type from = typeOf(getResult()).getElementType(), through = inner.getTo();
  bool exact = (isHalf(from) && (through.isF32() || through.isF64())) || (from.isF32() && through.isF64());
  return exact ? inner.getOperand() : Value();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (isa<FloatType>(::typeOf(getResult()).getElementType())) // a constant for derivatives, unlike the operand
    return {};
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BitcastOp>())
    if (inner.getOperand().getType() == getType())
      return inner.getOperand();
  return {};
}
