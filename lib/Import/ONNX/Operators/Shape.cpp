// Shapes: the elements stay, their positions change.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Operators/Operators.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns the quotient. If it may have a remainder, it is rounded down, so that the entry can check the product. Returns an
/// unknown dimension if no sizes divide without a remainder.
static Dim quotientOf(const Dim &dividend, const Dim &divisor) {
  if (std::optional<Dim> exact = divide(dividend, divisor))
    return *exact;
  Dim rounded = floorDiv(dividend, divisor);
  return canBeEqual(rounded * divisor, dividend) ? rounded : Dim::unknown();
}

/// Resolves -1 and 0 in a shape.
static std::optional<Dims> resolveShape(Node &node, Dims to, ArrayRef<Dim> from, bool allowZero) {
  int64_t open = -1;
  Dims given, left(from); // without the dimensions that stay, which may be 0
  for (auto [i, dim] : llvm::enumerate(to)) {
    if (dim == Dim(-1)) {
      if (open >= 0)
        return node.refuse("the shape contains -1 twice"), std::nullopt;
      open = i;
      continue;
    }
    if (dim == Dim(0) && !allowZero) {
      if (i >= from.size())
        return node.refuse("the shape has a 0 for dimension " + Twine(i) + ", which the operand does not have"), std::nullopt;
      dim = from[i];
    }
    if (i < from.size() && dim == from[i])
      left[i] = Dim(1);
    else
      given.push_back(dim);
  }
  if (open < 0)
    return to;
  std::optional<Dim> count = numElements(left), product = numElements(given);
  Dim rest = count && product ? quotientOf(*count, *product) : Dim::unknown();
  if (count && product && rest.isUnknown() && numElements(from) == Dim(0)) // as for named sizes that are 0
    rest = floorDiv(*count, *product);
  if (rest.isUnknown())
    return node.refuse("-1 in the shape stands for " + (count ? count->str() : "too many") + " elements over " +
                       (product ? product->str() : "too many") + ", which does not divide them; change the sizes with --dim"),
           std::nullopt;
  to[open] = rest;
  return to;
}

static void reshape(Node &node) {
  Dims to = node.knownDims(1, "the shape's elements");
  Value x = node.input(0);
  if (node.failed())
    return;
  if (std::optional<Dims> shape = resolveShape(node, to, dimsOf(x), node.integer("allowzero", 0)))
    node.set(0, node.reshape(x, *shape));
}

static void flatten(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  int64_t given = node.integer("axis", 1), rank = dims.size(), axis = given == rank ? rank : node.axis(given, rank);
  if (node.failed())
    return;
  std::optional<Dim> rows = numElements(ArrayRef(dims).take_front(axis)), row = numElements(ArrayRef(dims).drop_front(axis));
  if (!rows || !row)
    return node.refuse("the tensor is too large");
  node.set(0, node.reshape(x, {*rows, *row}));
}

/// Returns the value, whose dimension `dim` must be 1. If data decides whether the node runs, it reports another size when it
/// runs; otherwise the entry does.
static Value withOne(Node &node, Value value, int64_t dim) {
  Dims dims = dimsOfValue(value);
  if (node.failed() || dims[dim] == Dim(1))
    return value;
  Graph &graph = node.getGraph();
  if (graph.getBlock() != &graph.getModel().function.front()) {
    Value isOne = node.compare(CompareKind::EQ, node.size(dims[dim], node.i64()), node.constantInt(1, node.i64()));
    if (!node.failed())
      AssertOp::create(graph.getBuilder(), node.getLocation(), isOne, "dimension " + std::to_string(dim) + " is 1");
    return node.slice(value, dim, 0, Dim(1));
  }
  dims[dim] = Dim(1);
  return node.withSizes(value, dims);
}

static void squeeze(Node &node) {
  Value value = node.input(0);
  Dims dims = node.dims(0), left;
  std::optional<Integers> given = node.axesOf(1);
  Integers axes = given ? node.axes(*given, dims.size()) : Integers();
  for (auto [i, dim] : llvm::enumerate(dims)) { // the entry checks sizes that are not known to be 1
    bool goes = given ? llvm::is_contained(axes, i) : dim.isStatic(1);
    if (!given && !dim.isStatic())
      return node.refuse("without axes, the rank depends on whether " + dim.str() + " is 1; fix it with --dim");
    if (goes && !dim.isStatic(1) && !canBeEqual(dim, Dim(1)))
      return node.refuse("dimension " + Twine(i) + " is " + dim.str() + ", expected 1");
    if (!goes)
      left.push_back(dim);
    else
      value = withOne(node, value, i);
  }
  node.set(0, node.reshape(value, left));
}

static void unsqueeze(Node &node) {
  Dims dims = node.dims(0);
  std::optional<Integers> given = node.axesOf(1);
  if (!given)
    return node.refuse("it has no axes");
  Integers axes = node.axes(*given, dims.size() + given->size());
  if (node.failed())
    return;
  for (int64_t axis : axes)
    dims.insert(dims.begin() + axis, Dim(1));
  node.set(0, node.reshape(node.input(0), dims));
}

static void transpose(Node &node) {
  Integers permutation = node.integers("perm");
  if (!node.hasAttribute("perm")) {
    permutation = range(0, node.rank(0));
    std::reverse(permutation.begin(), permutation.end());
  }
  if (int64_t(permutation.size()) != node.rank(0))
    return node.refuse("perm has " + Twine(permutation.size()) + " entries, expected " + Twine(node.rank(0)));
  node.set(0, node.transpose(node.input(0), permutation));
}

static void concat(Node &node) {
  int64_t axis = node.axis(node.integer("axis", node.opset() < 4 ? 1 : 0), node.rank(0));
  node.set(0, node.concatenate(node.allInputs(), axis));
}

static void expand(Node &node) {
  Dims to = node.knownDims(1, "the shape's elements");
  Value x = node.input(0);
  if (node.failed())
    return;
  std::optional<Dims> shape = node.broadcastShapes({to, dimsOf(x)}); // of two sizes that may be equal, the requested one
  if (!shape)
    return node.refuse("a tensor of shape " + str(dimsOf(x)) + " does not broadcast to " + str(to));
  node.set(0, node.checkedWide(node.broadcastTo(x, *shape), to));
}

/// Converts Tile: [a, b] repeated [r, s] times is [1, a, 1, b] broadcast to [r, a, s, b].
static void tile(Node &node) {
  Dims repeats = node.knownDims(1, "the repeats"), dims = node.dims(0), apart, wide, result;
  Value x = node.input(0);
  if (!node.failed() && repeats.size() != dims.size())
    node.refuse("it has " + Twine(repeats.size()) + " repeats for a tensor of rank " + Twine(dims.size()));
  if (node.failed())
    return;
  for (auto [times, dim] : llvm::zip_equal(repeats, dims)) {
    apart.append({Dim(1), dim});
    wide.append({times, dim});
    result.push_back(times * dim);
  }
  node.set(0, node.reshape(node.broadcastTo(node.reshape(x, apart), wide), result));
}

static void constantOfShape(Node &node) {
  Dims shape = node.knownDims(0, "the shape's elements");
  const onnx::AttributeProto *attribute = node.find("value");
  Type element = Float32Type::get(node.i64().getContext());
  if (!attribute)
    return node.set(0, node.broadcastTo(node.constant(0, element), shape));
  onnx::TensorProto copy = attribute->t();
  TensorData data;
  if (std::string reason = takeTensor(copy, node.files(), element.getContext(), data); !reason.empty())
    return node.refuse("attribute 'value': " + reason);
  if (data.type.getNumElements() != 1)
    return node.refuse("attribute 'value' must have one element");
  NamedAttribute value(StringAttr::get(element.getContext(), "value"), toAttr(std::move(data), "value"));
  node.set(0, node.broadcastTo(node.reshape(node.emit<ConstantOp>({}, value), Dims()), shape));
}

static void constant(Node &node) {
  MLIRContext *context = node.i64().getContext();
  Type f32 = Float32Type::get(context);
  if (node.hasAttribute("value_int"))
    return node.set(0, Known{node.i64(), {}, {Scalar::of(Dim(node.integer("value_int", 0)))}});
  if (node.hasAttribute("value_ints")) {
    Integers values = node.integers("value_ints");
    if (int64_t(values.size()) > kMostKnown)
      return node.set(0, node.constants(values, {int64_t(values.size())}, node.i64()));
    return node.set(0, knownList(node.i64(), Dims(values.begin(), values.end())));
  }
  if (node.hasAttribute("value_float"))
    return node.set(0, Known{f32, {}, {Scalar::of(node.real("value_float", 0))}});
  if (const onnx::AttributeProto *floats = node.find("value_floats")) {
    SmallVector<double> values(floats->floats().begin(), floats->floats().end());
    return node.set(0, node.realConstants(values, {int64_t(values.size())}, f32));
  }
  const onnx::AttributeProto *value = node.find("value");
  if (!value)
    return node.refuse("it has no dense numeric value");
  onnx::TensorProto copy = value->t();
  TensorData data;
  if (std::string reason = takeTensor(copy, node.files(), context, data); !reason.empty())
    return node.refuse("attribute 'value': " + reason);
  if (std::optional<Known> known = toKnown(data))
    return node.set(0, std::move(*known));
  NamedAttribute attribute(StringAttr::get(context, "value"), toAttr(std::move(data), node.output(0)));
  node.set(0, node.emit<ConstantOp>({}, attribute));
}

/// Returns the exact value of a number as a fraction, or the quotient that a scalar stands for; nullopt if it has neither.
/// Unlike a scale (fractionOf), a step of 0.1f is not a tenth: a Range may have an element more or less.
static std::optional<Scalar> exactQuotient(const Scalar &scalar) {
  constexpr int64_t kLargest = int64_t(1) << 31;
  if (scalar.isRoot)
    return std::nullopt;
  if (!scalar.real)
    return scalar;
  for (int64_t divisor = 1; divisor < kLargest; divisor *= 2)
    if (double whole = *scalar.real * double(divisor); std::fabs(whole) < double(kLargest) && whole == std::trunc(whole))
      return Scalar{Dim(int64_t(whole)), std::nullopt, divisor};
  return std::nullopt;
}

/// Returns the number of elements of a Range, (to - from) / step rounded up, for a step whose sign is the same for all sizes.
static std::optional<Dim> lengthOfRange(const Scalar &from, const Scalar &to, const Scalar &step) {
  auto over = [](const Scalar &scalar, int64_t divisor) { return scalar.dim * Dim(divisor / scalar.divisor); };
  int64_t divisor = std::lcm(std::lcm(from.divisor, to.divisor), step.divisor);
  if (divisor <= 0 || divisor > int64_t(1) << 31)
    return std::nullopt;
  Dim span = over(to, divisor) - over(from, divisor), by = over(step, divisor);
  std::optional<Dim> count = divide(span, by);
  std::optional<int> sign = signOf(by);
  if (!count && (!sign || *sign == 0))
    return std::nullopt;
  if (!count && *sign < 0)
    span = Dim(0) - span, by = Dim(0) - by;
  if (!count)
    count = by.isStatic() ? ceilDiv(span, by.constant()) : floorDiv(span + by - Dim(1), by);
  if (count->isUnknown() || isNeverNegative(*count))
    return count;
  return maxOf(*count, Dim(0)); // none if the limit is before the start
}

/// Returns a scalar as a tensor of rank 0.
static Value scalarOf(Node &node, const Scalar &scalar, Type element) {
  if (scalar.real)
    return node.constant(*scalar.real, element);
  Value size = node.size(scalar.dim, element);
  return scalar.divisor == 1 ? size : node.emit<DivOp>({size, node.constant(double(scalar.divisor), element)});
}

/// Converts Range of numbers.
static void numberRange(Node &node, double from, double to, double step) {
  constexpr double kExact = int64_t(1) << 53;
  Type element = node.element(0);
  if (!isa<FloatType>(element) && std::max(std::fabs(from), std::fabs(to)) > kExact)
    return node.refuse("its values exceed 2^53");
  double count = std::ceil((to - from) / step);
  if (!(count <= 1 << 24))
    return node.refuse("it has more than 2^24 elements");
  SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(from + double(i) * step);
  node.set(0, node.realConstants(values, {int64_t(values.size())}, element));
}

/// Converts Range. Its length may be an expression of dimensions.
static void rangeOf(Node &node) {
  const Known *start = node.known(0), *limit = node.known(1), *delta = node.known(2);
  if (!start || !limit || !delta)
    return node.refuseData("its length depends on data", {0, 1, 2});
  if (start->elements.size() != 1 || limit->elements.size() != 1 || delta->elements.size() != 1)
    return node.refuse("start, limit and delta must have one element");
  const Scalar &from = start->elements[0], &to = limit->elements[0], &step = delta->elements[0];
  if (from.isNumber() && to.isNumber() && step.isNumber() && step.number() != 0)
    return numberRange(node, from.number(), to.number(), step.number());
  auto first = exactQuotient(from), last = exactQuotient(to), by = exactQuotient(step);
  std::optional<Dim> count = first && last && by ? lengthOfRange(*first, *last, *by) : std::nullopt;
  if (!count || count->isUnknown())
    return node.refuse("its length, from " + textOf(from) + " to " + textOf(to) + " in steps of " + textOf(step) +
                       ", is not an expression of dimensions; fix the dimensions with --dim");
  Type element = node.element(0), wide = Node::wide(element);
  Value places = node.iota(0, {*count}, wide);
  if (by->dim != Dim(1) || by->divisor != 1)
    places = node.emit<MulOp>({places, scalarOf(node, step, wide)});
  if (first->dim != Dim(0))
    places = node.emit<AddOp>({places, scalarOf(node, from, wide)});
  node.set(0, node.convert(places, element));
}

/// Returns the attributes of both: blocksize, and true if a block's pixels come before the channels.
static std::pair<Dim, bool> readBlocks(Node &node) {
  int64_t size = node.integer("blocksize", 0);
  std::string mode = node.text("mode", "DCR");
  if (node.rank(0) != 4 || size < 1 || size > 1 << 20 || (mode != "DCR" && mode != "CRD"))
    node.refuse("expected images [N, C, H, W], a positive blocksize and mode DCR or CRD");
  return {Dim(size), mode == "DCR"};
}

/// Moves blocks of channels to pixels.
static void depthToSpace(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  auto [block, blockFirst] = readBlocks(node);
  if (node.failed())
    return;
  Dim channels = quotientOf(dims[1], block * block);
  if (channels.isUnknown())
    return node.refuse(dims[1].str() + " channels are not a multiple of blocksize squared");
  x = node.withSizes(x, {dims[0], channels * block * block, dims[2], dims[3]});
  Dims apart = blockFirst ? Dims{dims[0], block, block, channels, dims[2], dims[3]}
                          : Dims{dims[0], channels, block, block, dims[2], dims[3]};
  Integers order = blockFirst ? Integers{0, 3, 4, 1, 5, 2} : Integers{0, 1, 4, 2, 5, 3};
  Value y = node.transpose(node.reshape(x, apart), order);
  node.set(0, node.reshape(y, {dims[0], channels, dims[2] * block, dims[3] * block}));
}

/// Moves blocks of pixels to channels.
static void spaceToDepth(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  auto [block, blockFirst] = readBlocks(node);
  if (node.failed())
    return;
  Dim height = quotientOf(dims[2], block), width = quotientOf(dims[3], block);
  if (height.isUnknown() || width.isUnknown())
    return node.refuse("images of " + dims[2].str() + " by " + dims[3].str() + " are not multiples of blocksize");
  Integers order = blockFirst ? Integers{0, 3, 5, 1, 2, 4} : Integers{0, 1, 3, 5, 2, 4};
  x = node.withSizes(x, {dims[0], dims[1], height * block, width * block});
  Value y = node.transpose(node.reshape(x, {dims[0], dims[1], height, block, width, block}), order);
  node.set(0, node.reshape(y, {dims[0], dims[1] * block * block, height, width}));
}

static void shapeOfUnknown(Node &node) { node.refuse("its operand has too many elements"); }

void onnximport::addShape(Converters &converters) {
  converters["Reshape"] = {reshape, 2, 2, "allowzero"};
  converters["Flatten"] = {flatten, 1, 1, "axis"};
  converters["Squeeze"] = {squeeze, 1, 2, "axes"};
  converters["Unsqueeze"] = {unsqueeze, 1, 2, "axes"};
  converters["Transpose"] = {transpose, 1, 1, "perm"};
  converters["Concat"] = {concat, 1, -1, "axis"};
  converters["Expand"] = {expand, 2, 2, ""};
  converters["Tile"] = {tile, 2, 2, ""};
  converters["Shape"] = {shapeOfUnknown, 1, 1, "start,end"};
  converters["Size"] = {shapeOfUnknown, 1, 1, ""};
  converters["ConstantOfShape"] = {constantOfShape, 1, 1, "value"};
  converters["Constant"] = {constant, 0, 0, "value,value_int,value_ints,value_float,value_floats"};
  converters["Range"] = {rangeOf, 3, 3, "stash_type"};
  converters["DepthToSpace"] = {depthToSpace, 1, 1, "blocksize,mode"};
  converters["SpaceToDepth"] = {spaceToDepth, 1, 1, "blocksize,mode"};
}
