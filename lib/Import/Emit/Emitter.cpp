#include "lib/Import/Emit/Emitter.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;
using namespace lathe;

Integers lathe::range(int64_t begin, int64_t end) {
  Integers values;
  for (int64_t i = begin; i < end; ++i)
    values.push_back(i);
  return values;
}

NamedAttribute Emitter::list(StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}
NamedAttribute Emitter::number(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}
NamedAttribute Emitter::realNumber(StringRef name, double value) {
  return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
}
NamedAttribute Emitter::word(StringRef name, StringRef value) {
  return builder.getNamedAttr(name, builder.getStringAttr(value));
}
NamedAttribute Emitter::flag(StringRef name) { return builder.getNamedAttr(name, builder.getUnitAttr()); }
NamedAttribute Emitter::shape(StringRef name, ArrayRef<Dim> dims) {
  return builder.getNamedAttr(name, shapeOf(getContext(), dims));
}
NamedAttribute Emitter::type(StringRef name, Type type) { return builder.getNamedAttr(name, TypeAttr::get(type)); }
template <typename KindAttr, typename Kind>
NamedAttribute Emitter::kindOf(Kind kind) {
  return builder.getNamedAttr("kind", KindAttr::get(getContext(), kind));
}

Type Emitter::i64() { return builder.getI64Type(); }
Type Emitter::i1() { return builder.getI1Type(); }

/// Returns a constant's element. The value is rounded or wraps; a float out of 64-bit range becomes the nearest limit of the
/// type, and NaN becomes 0.
template <typename T>
static Attribute elementAttr(T value, Type element) {
  if (auto real = dyn_cast<FloatType>(element))
    return FloatAttr::get(real, double(value));
  if (std::is_same_v<T, double> && !(std::abs(value) < 0x1p63)) {
    llvm::APSInt end(element.getIntOrFloatBitWidth(), element.isUnsignedInteger() || element.isInteger(1));
    bool isExact;
    llvm::APFloat(double(value)).convertToInteger(end, llvm::APFloat::rmTowardZero, &isExact);
    return IntegerAttr::get(element, end);
  }
  return IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), int64_t(value), /*isSigned=*/true,
                                         /*implicitTrunc=*/true));
}

template <typename T>
static NamedAttribute elementsAttr(Builder &builder, ArrayRef<T> values, ArrayRef<int64_t> shape, Type element) {
  SmallVector<Attribute> elements(llvm::map_range(values, [&](T value) { return elementAttr(value, element); }));
  return builder.getNamedAttr("value", DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

Value Emitter::constant(double value, Type element) { return realConstants({value}, {}, element); }
Value Emitter::constantInt(int64_t value, Type element) { return constants({value}, {}, element); }

/// Emits a constant of many elements; an attribute for each would stay in the context.
template <typename T, typename From>
static Value manyConstants(Emitter &node, Builder &builder, ArrayRef<From> values, ArrayRef<int64_t> shape, Type element) {
  SmallVector<T> elements(values.begin(), values.end());
  auto type = RankedTensorType::get(shape, element);
  return node.emit<ConstantOp>({}, builder.getNamedAttr("value", DenseElementsAttr::get(type, ArrayRef<T>(elements))));
}

Value Emitter::constants(ArrayRef<int64_t> values, ArrayRef<int64_t> shape, Type element) {
  if (element && element.isSignlessInteger(64))
    return manyConstants<int64_t>(*this, builder, values, shape, element);
  if (element && element.isSignlessInteger(32))
    return manyConstants<int32_t>(*this, builder, values, shape, element);
  return element ? emit<ConstantOp>({}, elementsAttr(builder, values, shape, element)) : Value();
}

Value Emitter::realConstants(ArrayRef<double> values, ArrayRef<int64_t> shape, Type element) {
  if (element && element.isF32())
    return manyConstants<float>(*this, builder, values, shape, element);
  if (element && element.isF64())
    return manyConstants<double>(*this, builder, values, shape, element);
  return element ? emit<ConstantOp>({}, elementsAttr(builder, values, shape, element)) : Value();
}

Value Emitter::convert(Value value, Type element) {
  return !value || elementOfValue(value) == element ? value : emit<ConvertOp>(value, type("to", element));
}

Value Emitter::reshape(Value value, ArrayRef<Dim> dims) {
  if (value && ArrayRef(dimsOf(value)) == dims)
    return value;
  std::optional<Dim> from = numElements(dimsOfValue(value)), to = numElements(dims);
  if (from && to && *from != *to && canBeEqual(*from, *to))
    return emit<ReshapeOp>(value, {shape("shape", dims), flag("checked")});
  return emit<ReshapeOp>(value, shape("shape", dims));
}

Value Emitter::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (value && permutation == ArrayRef(range(0, rankOf(value))))
    return value;
  return emit<TransposeOp>(value, list("permutation", permutation));
}

Value Emitter::broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<Dim> to) {
  if (value && dims == ArrayRef(range(0, to.size())) && ArrayRef(dimsOf(value)) == to)
    return value;
  return emit<BroadcastOp>(value, {list("dims", dims), shape("shape", to)});
}

Value Emitter::reverse(Value value, ArrayRef<int64_t> dims) { return emit<ReverseOp>(value, list("dims", dims)); }

Value Emitter::slice(Value value, int64_t dim, const Dim &start, const Dim &limit, int64_t step) {
  Dims limits = dimsOfValue(value);
  if (value && dim >= int64_t(limits.size()))
    refuse("a tensor of shape " + str(limits) + " has no dimension " + Twine(dim));
  if (failed() || (start.isStatic(0) && step == 1 && limits[dim] == limit))
    return value;
  Dims starts(limits.size());
  Integers steps(limits.size(), 1);
  starts[dim] = start;
  steps[dim] = step;
  limits[dim] = limit;
  return emit<SliceOp>(value, {shape("starts", starts), shape("limits", limits), list("steps", steps)});
}

Value Emitter::pad(Value value, Value with, ArrayRef<Dim> low, ArrayRef<Dim> high) {
  auto isZero = [](const Dim &amount) { return amount.isStatic(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return value;
  return emit<PadOp>({value, with}, {shape("low", low), shape("high", high), list("interior", Integers(low.size(), 0))});
}

Value Emitter::concatenate(ValueRange values, int64_t dim) {
  return values.size() == 1 ? values[0] : emit<ConcatenateOp>(values, number("dim", dim));
}

Value Emitter::iota(int64_t dim, ArrayRef<Dim> dims, Type element) {
  return emit<IotaOp>({}, {number("dim", dim), shape("shape", dims), type("element", element)});
}

Value Emitter::compare(CompareKind kind, Value lhs, Value rhs) {
  return emit<CompareOp>({lhs, rhs}, kindOf<CompareKindAttr>(kind));
}

Value Emitter::gather(Value table, Value indices, int64_t axis, int64_t batch) {
  return emit<GatherOp>({table, indices}, {number("axis", axis), number("batch", batch)});
}

Value Emitter::reduce(ReduceKind kind, Value value, ArrayRef<int64_t> dims, bool keep) {
  Dims kept = dimsOfValue(value);
  Value result = dims.empty() ? value : emit<ReduceOp>(value, {kindOf<ReduceKindAttr>(kind), list("dims", dims)});
  if (!keep || failed())
    return result;
  for (int64_t dim : dims)
    kept[dim] = Dim(1);
  return reshape(result, kept);
}

SmallVector<NamedAttribute> Emitter::windowAttributes(ReduceKind kind, const Window &window) {
  auto list = [&](ArrayRef<int64_t> numbers) { return builder.getDenseI64ArrayAttr(numbers); };
  auto attribute = WindowAttr::get(getContext(), list(window.size), list(window.stride), list(window.dilation),
                                   list(window.base.empty() ? Integers(window.size.size(), 1) : window.base), list(window.low),
                                   list(window.high));
  return {kindOf<ReduceKindAttr>(kind), builder.getNamedAttr("window", attribute)};
}

Value Emitter::reduceWindow(ReduceKind kind, Value value, const Window &window) {
  return emit<ReduceWindowOp>(value, windowAttributes(kind, window));
}

Value Emitter::windowIndex(ReduceKind kind, Value value, const Window &window) {
  return emit<WindowIndexOp>(value, windowAttributes(kind, window));
}

Value Emitter::cumulative(CumulativeKind kind, Value value, int64_t dim, bool reverses) {
  SmallVector<NamedAttribute> attributes{number("dim", dim), kindOf<CumulativeKindAttr>(kind)};
  if (reverses)
    attributes.push_back(flag("reverse"));
  return emit<CumulativeOp>(value, attributes);
}

Value Emitter::scatter(ScatterKind kind, Value into, Value indices, Value updates, int64_t axis, int64_t batch) {
  return emit<ScatterOp>({into, indices, updates},
                         {kindOf<ScatterKindAttr>(kind), number("axis", axis), number("batch", batch)});
}

Value Emitter::contract(Value lhs, Value rhs, ArrayRef<int64_t> lhsContract, ArrayRef<int64_t> rhsContract,
                        ArrayRef<int64_t> lhsBatch, ArrayRef<int64_t> rhsBatch) {
  return emit<DotGeneralOp>({lhs, rhs}, {list("lhs_contract", lhsContract), list("rhs_contract", rhsContract),
                                         list("lhs_batch", lhsBatch), list("rhs_batch", rhsBatch)});
}

// ---- Building. If an op's own inference refuses its operands, the node is refused for that reason.

Value Emitter::emitNamed(StringRef name, ValueRange given, ArrayRef<NamedAttribute> attributes) {
  if (failed() || llvm::is_contained(given, Value())) {
    refuse("an operand is missing");
    return {};
  }
  MLIRContext *context = getContext();
  OperationState state(place, name, given, {}, attributes);
  RegisteredOperationName info = *state.name.getRegisteredInfo();
  if (info.hasTrait<ElementwiseTrait>())
    prepareElementwise(state.operands);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    refuse(diagnostic.str());
    return success();
  });
  DictionaryAttr dictionary = state.attributes.getDictionary(context);
  int size = info.getOpPropertyByteSize(); // 0 for an op without attributes
  auto storage = std::make_unique<char[]>(std::max(1, size));
  OpaqueProperties properties(size ? storage.get() : nullptr);
  auto emitError = [&] { return mlir::emitError(place); };
  if (size)
    info.initOpProperties(properties, OpaqueProperties(nullptr));
  auto infer = [&](ValueRange operands) {
    state.types.clear();
    return info.getInterface<InferTypeOpInterface>()->inferReturnTypes(context, place, operands, dictionary, properties, {},
                                                                       state.types);
  };
  bool good = (!size || succeeded(info.setOpPropertiesFromAttribute(state.name, properties, dictionary, emitError))) &&
              succeeded(inferWithChecks(builder, place, name, state.operands, canBeEqual, infer));
  if (size)
    info.destroyOpProperties(properties);
  if (!good) {
    refuse(name + " does not accept these operands");
    return {};
  }
  for (Type type : state.types)
    if (int64_t rank = cast<RankedTensorType>(type).getRank(); rank > kMostRank) {
      refuse("its result has " + Twine(rank) + " dimensions, expected up to " + Twine(kMostRank));
      return {};
    }
  Operation *op = builder.create(state);
  if (mlir::failed(mlir::verify(op))) {
    op->erase();
    return {};
  }
  return op->getNumResults() ? op->getResult(0) : Value();
}

/// Names the dimensions of a composite's result, which has no names before it is expanded. The composites that converters use
/// keep the dimensions of their first operand that they do not reduce; attention has the last one of the values. Other
/// dimensions stay unknown.
static void nameDims(Value result, StringRef name, ValueRange operands, ArrayRef<NamedAttribute> options) {
  auto type = cast<RankedTensorType>(result.getType());
  Dims dims = dimsOf(operands[0]);
  if (name == "attention")
    dims.back() = dimsOf(operands[2]).back();
  if (type.getRank() < int64_t(dims.size()))
    for (NamedAttribute option : options)
      if (auto reduced = dyn_cast<DenseI64ArrayAttr>(option.getValue()); reduced && option.getName() == "dims")
        for (int64_t dim : llvm::reverse(reduced.asArrayRef()))
          dims.erase(dims.begin() + dim);
  if (type.getRank() != int64_t(dims.size()))
    return;
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent))
      dims[i] = Dim(extent);
    else if (dims[i].isStatic())
      return;
  result.setType(tensorOf(dims, type.getElementType()));
}

Value Emitter::composite(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> options,
                         ArrayRef<std::pair<StringRef, Value>> given) {
  SmallVector<Value> all(operands);
  SmallVector<Attribute> names;
  for (auto [parameter, value] : given)
    if (value) {
      names.push_back(builder.getStringAttr(parameter));
      all.push_back(value);
    }
  Value result = emit<StdOp>(all, {builder.getNamedAttr("composite", builder.getStringAttr(name)),
                                   builder.getNamedAttr("given", builder.getArrayAttr(names)),
                                   builder.getNamedAttr("options", builder.getDictionaryAttr(options))});
  if (result)
    nameDims(result, name, operands, options);
  return result;
}

void lathe::moveInto(Block &from, Block &to, ValueRange results) {
  SmallVector<Value> ends(results);
  for (auto [argument, value] : llvm::zip_equal(from.getArguments(), to.getArguments())) {
    std::replace(ends.begin(), ends.end(), Value(argument), Value(value));
    argument.replaceAllUsesWith(value);
  }
  to.getOperations().splice(to.end(), from.getOperations());
  OpBuilder builder = OpBuilder::atBlockEnd(&to);
  YieldOp::create(builder, to.getParentOp()->getLoc(), ends);
}
