// Ops that many converters need.
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/ConstantValues.h"
#include "lib/Import/ONNX/Node.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

Integers onnximport::range(int64_t begin, int64_t end) {
  Integers values;
  for (int64_t i = begin; i < end; ++i)
    values.push_back(i);
  return values;
}

NamedAttribute Node::list(StringRef name, ArrayRef<int64_t> values) {
  return graph.getBuilder().getNamedAttr(name, graph.getBuilder().getDenseI64ArrayAttr(values));
}
NamedAttribute Node::number(StringRef name, int64_t value) {
  return graph.getBuilder().getNamedAttr(name, graph.getBuilder().getI64IntegerAttr(value));
}
NamedAttribute Node::realNumber(StringRef name, double value) {
  return graph.getBuilder().getNamedAttr(name, graph.getBuilder().getF64FloatAttr(value));
}
NamedAttribute Node::word(StringRef name, StringRef value) {
  return graph.getBuilder().getNamedAttr(name, graph.getBuilder().getStringAttr(value));
}
NamedAttribute Node::flag(StringRef name) { return graph.getBuilder().getNamedAttr(name, graph.getBuilder().getUnitAttr()); }
NamedAttribute Node::shape(StringRef name, ArrayRef<Dim> dims) {
  return graph.getBuilder().getNamedAttr(name, shapeOf(graph.getContext(), dims));
}
NamedAttribute Node::type(StringRef name, Type type) { return graph.getBuilder().getNamedAttr(name, TypeAttr::get(type)); }
template <typename KindAttr, typename Kind>
NamedAttribute Node::kindOf(Kind kind) {
  return graph.getBuilder().getNamedAttr("kind", KindAttr::get(graph.getContext(), kind));
}

Type Node::i64() { return graph.getBuilder().getI64Type(); }
Type Node::i1() { return graph.getBuilder().getI1Type(); }

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

Value Node::constant(double value, Type element) { return realConstants({value}, {}, element); }
Value Node::constantInt(int64_t value, Type element) { return constants({value}, {}, element); }

/// Emits a constant of many elements; an attribute for each would stay in the context.
template <typename T, typename From>
static Value manyConstants(Node &node, Builder &builder, ArrayRef<From> values, ArrayRef<int64_t> shape, Type element) {
  SmallVector<T> elements(values.begin(), values.end());
  auto type = RankedTensorType::get(shape, element);
  return node.emit<ConstantOp>({}, builder.getNamedAttr("value", DenseElementsAttr::get(type, ArrayRef<T>(elements))));
}

Value Node::constants(ArrayRef<int64_t> values, ArrayRef<int64_t> shape, Type element) {
  if (element && element.isSignlessInteger(64))
    return manyConstants<int64_t>(*this, graph.getBuilder(), values, shape, element);
  if (element && element.isSignlessInteger(32))
    return manyConstants<int32_t>(*this, graph.getBuilder(), values, shape, element);
  return element ? emit<ConstantOp>({}, elementsAttr(graph.getBuilder(), values, shape, element)) : Value();
}

Value Node::realConstants(ArrayRef<double> values, ArrayRef<int64_t> shape, Type element) {
  if (element && element.isF32())
    return manyConstants<float>(*this, graph.getBuilder(), values, shape, element);
  if (element && element.isF64())
    return manyConstants<double>(*this, graph.getBuilder(), values, shape, element);
  return element ? emit<ConstantOp>({}, elementsAttr(graph.getBuilder(), values, shape, element)) : Value();
}

Value Node::convert(Value value, Type element) {
  return !value || elementOfValue(value) == element ? value : emit<ConvertOp>(value, type("to", element));
}

Value Node::reshape(Value value, ArrayRef<Dim> dims) {
  if (value && ArrayRef(dimsOf(value)) == dims)
    return value;
  std::optional<Dim> from = numElements(dimsOfValue(value)), to = numElements(dims);
  if (from && to && *from != *to && canBeEqual(*from, *to))
    return emit<ReshapeOp>(value, {shape("shape", dims), flag("checked")});
  return emit<ReshapeOp>(value, shape("shape", dims));
}

Value Node::withSizes(Value value, ArrayRef<Dim> dims, StringRef neededBy) {
  if (value && ArrayRef(dimsOf(value)) == dims)
    return value;
  value = emit<ReshapeOp>(value, {shape("shape", dims), flag("checked"), flag("each")});
  if (value && !neededBy.empty())
    value.getDefiningOp()->setAttr(kNeededByAttr, graph.getBuilder().getStringAttr(neededBy));
  return value;
}

Value Node::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (value && permutation == ArrayRef(range(0, rankOf(value))))
    return value;
  return emit<TransposeOp>(value, list("permutation", permutation));
}

Value Node::broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<Dim> to) {
  if (value && dims == ArrayRef(range(0, to.size())) && ArrayRef(dimsOf(value)) == to)
    return value;
  return emit<BroadcastOp>(value, {list("dims", dims), shape("shape", to)});
}

Value Node::padTo(Value value, ArrayRef<Dim> sizes) {
  Dims dims = dimsOfValue(value), high;
  if (failed() || ArrayRef(dims) == sizes)
    return value;
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    high.push_back(size - dim);
  Type element = elementOfValue(value);
  Value zero = isa<FloatType>(element) ? constant(0, element) : constantInt(0, element);
  return pad(value, zero, Dims(dims.size(), Dim(0)), high);
}

Value Node::setDimSize(Value value, int64_t dim, Value count, const std::string &called) {
  if (failed() || !value || !count)
    return {};
  Dim extent = dimsOf(value)[dim];
  if (std::optional<Known> known = knownValue(count))
    if (int64_t size = known->elements[0].number(); extent.isStatic() && size >= 0 && size <= extent.constant())
      return slice(value, dim, 0, Dim(size));
  Model &model = graph.getModel();
  std::string name = model.fieldName(called.empty() ? "n_" + output(0) : called, "_");
  Value result = emit<SetDimSizeOp>({value, count}, {number("dim", dim), word("name", name)});
  model.dataDims[name] = extent;
  model.dimSources[name] = {result, dim};
  return result;
}

Value Node::rightOperand() {
  Value right = input(1);
  if (opset() >= 7 && (hasAttribute("axis") || hasAttribute("broadcast")))
    refuse("the attributes axis and broadcast were removed in opset 7");
  if (failed() || !integer("broadcast", 0) || !hasAttribute("axis"))
    return right;
  Dims own = dimsOf(right);
  int64_t first = axis(integer("axis", 0), rank(0)), trailing = rank(0) - first - int64_t(own.size());
  if (trailing < 0)
    refuse("the right operand of shape " + str(own) + " does not fit at axis " + Twine(first) + " of " + str(dims(0)) + " on");
  if (failed())
    return {};
  own.append(trailing, Dim(1));
  return reshape(right, own);
}

Value Node::reverse(Value value, int64_t dim) { return emit<ReverseOp>(value, list("dims", dim)); }

Value Node::slice(Value value, int64_t dim, const Dim &start, const Dim &limit, int64_t step) {
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

Value Node::pad(Value value, Value with, ArrayRef<Dim> low, ArrayRef<Dim> high) {
  auto isZero = [](const Dim &amount) { return amount.isStatic(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return value;
  return emit<PadOp>({value, with}, {shape("low", low), shape("high", high), list("interior", Integers(low.size(), 0))});
}

Value Node::concatenate(ValueRange values, int64_t dim) {
  return values.size() == 1 ? values[0] : emit<ConcatenateOp>(values, number("dim", dim));
}

Value Node::iota(int64_t dim, ArrayRef<Dim> dims, Type element) {
  return emit<IotaOp>({}, {number("dim", dim), shape("shape", dims), type("element", element)});
}

Value Node::compare(CompareKind kind, Value lhs, Value rhs) {
  return emit<CompareOp>({lhs, rhs}, kindOf<CompareKindAttr>(kind));
}

Value Node::gather(Value table, Value indices, int64_t axis, int64_t batch) {
  return emit<GatherOp>({table, indices}, {number("axis", axis), number("batch", batch)});
}

Value Node::reduce(ReduceKind kind, Value value, ArrayRef<int64_t> dims, bool keep) {
  Dims kept = dimsOfValue(value);
  Value result = dims.empty() ? value : emit<ReduceOp>(value, {kindOf<ReduceKindAttr>(kind), list("dims", dims)});
  if (!keep || failed())
    return result;
  for (int64_t dim : dims)
    kept[dim] = Dim(1);
  return reshape(result, kept);
}

SmallVector<NamedAttribute> Node::windowAttributes(ReduceKind kind, const Window &window) {
  auto list = [&](ArrayRef<int64_t> numbers) { return graph.getBuilder().getDenseI64ArrayAttr(numbers); };
  auto attribute =
      WindowAttr::get(graph.getContext(), list(window.size), list(window.stride), list(window.dilation),
                      /*base_dilation=*/list(Integers(window.size.size(), 1)), list(window.low), list(window.high));
  return {kindOf<ReduceKindAttr>(kind), graph.getBuilder().getNamedAttr("window", attribute)};
}

Value Node::reduceWindow(ReduceKind kind, Value value, const Window &window) {
  return emit<ReduceWindowOp>(value, windowAttributes(kind, window));
}

Value Node::windowIndex(ReduceKind kind, Value value, const Window &window) {
  return emit<WindowIndexOp>(value, windowAttributes(kind, window));
}

Value Node::cumulative(CumulativeKind kind, Value value, int64_t dim, bool reverses) {
  SmallVector<NamedAttribute> attributes{number("dim", dim), kindOf<CumulativeKindAttr>(kind)};
  if (reverses)
    attributes.push_back(flag("reverse"));
  return emit<CumulativeOp>(value, attributes);
}

Value Node::scatter(ScatterKind kind, Value into, Value indices, Value updates, int64_t axis, int64_t batch) {
  return emit<ScatterOp>({into, indices, updates},
                         {kindOf<ScatterKindAttr>(kind), number("axis", axis), number("batch", batch)});
}

Value Node::contract(Value lhs, Value rhs, ArrayRef<int64_t> lhsContract, ArrayRef<int64_t> rhsContract,
                     ArrayRef<int64_t> lhsBatch, ArrayRef<int64_t> rhsBatch) {
  return emit<DotGeneralOp>({lhs, rhs}, {list("lhs_contract", lhsContract), list("rhs_contract", rhsContract),
                                         list("lhs_batch", lhsBatch), list("rhs_batch", rhsBatch)});
}

Value Node::size(const Dim &dim, Type element) {
  if (failed() || !element)
    return {};
  if (dim.isStatic())
    return constantInt(dim.constant(), element);
  Value value = graph.getModel().sizeOf(dim, location);
  if (!value)
    refuse("the size " + dim.str() + " is not the size of any input dimension");
  return convert(value, element);
}

Value Node::wrapIndices(Value indices, const Dim &extent) {
  Value wide = convert(indices, i64());
  Value isNegative = compare(CompareKind::LT, wide, constantInt(0, i64()));
  return emit<SelectOp>({isNegative, emit<AddOp>({wide, size(extent, i64())}), wide});
}
