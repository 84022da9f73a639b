// Evaluates shapes as data: nodes with known operands are computed during import, over named dimensions.
#include "lib/Import/ONNX/Evaluator.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Evaluates Shape and Size, which need only the operand's type.
bool Evaluator::shapeOfInput() {
  if (!node.has(0))
    return false;
  Dims dims = node.dims(0);
  int64_t rank = dims.size();
  if (node.op() == "Size") {
    std::optional<Dim> count = numElements(dims);
    return count && !count->isUnknown() && give(Known{node.i64(), {}, {Scalar::of(*count)}});
  }
  auto bound = [&](StringRef name, int64_t otherwise) {
    int64_t value = node.integer(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = bound("start", 0), end = std::max(start, bound("end", rank));
  Known shape = knownList(node.i64(), ArrayRef(dims).slice(start, end - start));
  for (Scalar &extent : shape.elements)
    extent.isExtent = true;
  return give(std::move(shape));
}

/// Evaluates Squeeze, Unsqueeze, Reshape and Flatten: the elements stay the same.
bool Evaluator::reshape() {
  Known result = in(0);
  if (node.op() == "Identity")
    return give(std::move(result));
  if (node.op() == "Reshape") {
    std::optional<std::vector<int64_t>> to = integersOf(1);
    if (!to || node.integer("allowzero", 0))
      return false;
    int64_t product = 1;
    for (auto [i, extent] : llvm::enumerate(*to)) {
      if (extent == 0)
        extent = i < in(0).shape.size() ? in(0).shape[i] : -2;
      if (extent < -1 || extent > kMostKnown || (product *= extent == -1 ? 1 : extent) > kMostKnown)
        return false;
    }
    for (int64_t &extent : *to)
      if (extent == -1 && product)
        extent = int64_t(result.elements.size()) / product;
    result.shape = *to;
    return knownSize(result.shape) == int64_t(result.elements.size()) && give(std::move(result));
  }
  std::optional<Integers> axes = node.axesOf(1);
  if (node.op() == "Unsqueeze") {
    if (!axes)
      return false;
    for (int64_t axis : node.axes(*axes, result.rank() + axes->size()))
      result.shape.insert(result.shape.begin() + std::min<int64_t>(axis, result.rank()), 1);
    return !node.failed() && give(std::move(result));
  }
  Integers gone = axes ? node.axes(*axes, result.rank()) : Integers();
  for (int64_t i = 0; !axes && i < result.rank(); ++i)
    if (result.shape[i] == 1)
      gone.push_back(i);
  if (node.failed())
    return false;
  for (int64_t axis : llvm::reverse(gone)) {
    if (result.shape[axis] != 1)
      return false;
    result.shape.erase(result.shape.begin() + axis);
  }
  return give(std::move(result));
}

bool Evaluator::expand() {
  std::optional<std::vector<int64_t>> to = integersOf(1);
  std::optional<std::vector<int64_t>> shape = to ? broadcastShape(in(0).shape, *to) : std::nullopt;
  std::optional<int64_t> size = shape ? knownSize(*shape) : std::nullopt;
  if (!size)
    return false;
  Known result{in(0).element, *shape, {}};
  for (int64_t i = 0; i < *size; ++i)
    result.elements.push_back(in(0).elements[broadcastIndex(i, *shape, in(0).shape)]);
  return give(std::move(result));
}

bool Evaluator::concat() {
  if (in(0).rank() != 1 || node.axis(node.integer("axis", 0), 1) != 0 || node.failed())
    return false;
  Known result{in(0).element, {0}, {}};
  for (int i = 0; i < node.inputs(); ++i) {
    if (in(i).rank() != 1 || in(i).element != result.element ||
        int64_t(result.elements.size() + in(i).elements.size()) > kMostKnown)
      return false;
    result.elements.insert(result.elements.end(), in(i).elements.begin(), in(i).elements.end());
  }
  result.shape[0] = result.elements.size();
  return give(std::move(result));
}

/// Returns the elements at these indices of a dimension, which are in range; their number becomes its extent.
static Known take(const Known &from, int64_t axis, ArrayRef<int64_t> indices) {
  Known result{from.element, from.shape, {}};
  int64_t extent = from.shape[axis], inner = 1;
  for (int64_t size : ArrayRef(from.shape).drop_front(axis + 1))
    inner *= size;
  result.shape[axis] = indices.size();
  for (int64_t outer = 0, all = from.elements.size(), row = extent * inner; row && outer < all; outer += row)
    for (int64_t index : indices) {
      auto first = from.elements.begin() + outer + index * inner;
      result.elements.insert(result.elements.end(), first, first + inner);
    }
  return result;
}

bool Evaluator::gather() {
  std::optional<std::vector<int64_t>> indices = integersOf(1);
  if (!indices || in(0).rank() == 0)
    return false;
  int64_t axis = node.axis(node.integer("axis", 0), in(0).rank());
  if (node.failed())
    return false;
  std::vector<int64_t> shape = in(0).shape;
  for (int64_t &index : *indices) {
    if (index < -shape[axis] || index >= shape[axis])
      return false;
    index += index < 0 ? shape[axis] : 0;
  }
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, in(1).shape.begin(), in(1).shape.end());
  if (!knownSize(shape))
    return false;
  Known result = take(in(0), axis, *indices);
  result.shape = std::move(shape);
  return give(std::move(result));
}

/// Returns the indices from `start` up to `end` with Slice's rules, or nullopt for a step of 0, which is an error, or
/// INT64_MIN.
static std::optional<std::vector<int64_t>> sliceIndices(int64_t extent, int64_t start, int64_t end, int64_t step) {
  if (step == 0 || step == INT64_MIN)
    return std::nullopt;
  start = std::clamp<int64_t>(start < 0 ? start + extent : start, step > 0 ? 0 : -1, step > 0 ? extent : extent - 1);
  end = std::clamp<int64_t>(end < 0 ? end + extent : end, step > 0 ? 0 : -1, extent);
  step = std::clamp(step, -extent - 1, extent + 1); // the same elements without overflow
  std::vector<int64_t> indices;
  for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
    indices.push_back(i);
  return indices;
}

/// Reads the starts, ends, axes and steps of Slice, all of one length. Returns false if one is not known.
bool Evaluator::sliceBounds(std::array<std::vector<int64_t>, 4> &bounds) {
  bool attributes = node.opset() < 10;
  static constexpr StringRef kNames[] = {"starts", "ends", "axes"};
  for (int i = 0; i < 4; ++i) {
    if (attributes && i < 3 && node.hasAttribute(kNames[i])) {
      Integers given = node.integers(kNames[i]);
      bounds[i].assign(given.begin(), given.end());
    } else if (!attributes && node.has(i + 1)) {
      std::optional<std::vector<int64_t>> given = integersOf(i + 1);
      if (!given)
        return false;
      bounds[i] = *given;
    } else if (i == 2) {
      for (size_t axis = 0; axis < bounds[0].size(); ++axis)
        bounds[i].push_back(axis);
    } else if (i == 3) {
      bounds[i].assign(bounds[0].size(), 1);
    }
    if (bounds[i].size() != bounds[0].size())
      return false;
  }
  return true;
}

bool Evaluator::slice() {
  std::array<std::vector<int64_t>, 4> bounds;
  if (!sliceBounds(bounds))
    return false;
  node.axes(bounds[2], in(0).rank()); // refuses an axis that is named twice
  Known result = in(0);
  for (auto [i, given] : llvm::enumerate(bounds[2])) {
    int64_t axis = node.axis(given, in(0).rank());
    if (node.failed())
      return false;
    auto indices = sliceIndices(result.shape[axis], bounds[0][i], bounds[1][i], bounds[3][i]);
    if (!indices)
      return false;
    result = take(result, axis, *indices);
  }
  return give(std::move(result));
}

bool Evaluator::transpose() {
  const Known &from = in(0);
  int64_t rank = from.rank();
  Integers order = node.integers("perm");
  for (int64_t i = rank; order.empty() && i > 0; --i)
    order.push_back(i - 1);
  if (int64_t(order.size()) != rank || !isPermutationVector(order))
    return false;
  std::vector<int64_t> strides(rank, 1);
  for (int64_t i = rank - 1; i > 0; --i)
    strides[i - 1] = strides[i] * from.shape[i];
  Known result{from.element, {}, {}};
  for (int64_t axis : order)
    result.shape.push_back(from.shape[axis]);
  for (int64_t i = 0, all = from.elements.size(); i < all; ++i) {
    int64_t rest = i, place = 0;
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
      place += rest % result.shape[axis] * strides[order[axis]];
      rest /= result.shape[axis];
    }
    result.elements.push_back(from.elements[place]);
  }
  return give(std::move(result));
}

/// Evaluates Range of integers; the converter handles floats.
bool Evaluator::rangeOf() {
  std::optional<std::vector<int64_t>> start = integersOf(0), limit = integersOf(1), delta = integersOf(2);
  if (!start || !limit || !delta || in(0).isFloat() || start->size() != 1 || limit->size() != 1 || delta->size() != 1 ||
      delta->front() == 0)
    return false;
  Known result{in(0).element, {0}, {}};
  for (int64_t i = start->front(); delta->front() > 0 ? i < limit->front() : i > limit->front(); i += delta->front()) {
    if (int64_t(result.elements.size()) == kMostKnown || std::abs(i) > (int64_t(1) << 60) ||
        std::abs(delta->front()) > (int64_t(1) << 60))
      return false;
    result.elements.push_back(Scalar::of(Dim(i)));
  }
  result.shape[0] = result.elements.size();
  return give(std::move(result));
}

bool Evaluator::constantOfShape() {
  std::optional<std::vector<int64_t>> shape = integersOf(0);
  std::optional<int64_t> size = shape ? knownSize(*shape) : std::nullopt;
  const onnx::AttributeProto *value = node.find("value");
  TensorData data(RankedTensorType::get({1}, Builder(node.i64().getContext()).getF32Type()), std::string(4, '\0'));
  if (value) {
    onnx::TensorProto copy = value->t();
    if (!takeTensor(copy, node.files(), node.i64().getContext(), data).empty())
      return false;
  }
  std::optional<Known> element = toKnown(data);
  if (!size || !element || element->elements.size() != 1)
    return false;
  return give(Known{element->element, *shape, std::vector<Scalar>(*size, element->elements[0])});
}

bool Evaluator::run() {
  using Method = bool (Evaluator::*)();
  static const llvm::StringMap<Method> kMethods = [] {
    llvm::StringMap<Method> methods;
    for (StringRef name : {"Neg", "Abs", "Floor", "Ceil", "Sqrt", "Not", "Relu", "Sign", "Round", "BitwiseNot"})
      methods[name] = &Evaluator::unary;
    for (StringRef name : {"Add", "Sub", "Mul", "Div", "Mod", "Pow", "BitShift", "BitwiseAnd", "Equal", "Less", "LessOrEqual",
                           "Greater", "GreaterOrEqual", "And", "Or", "Xor"})
      methods[name] = &Evaluator::binary;
    for (StringRef name : {"Max", "Min", "Sum", "Mean"})
      methods[name] = &Evaluator::fold;
    for (StringRef name : {"Identity", "Reshape", "Squeeze", "Unsqueeze"})
      methods[name] = &Evaluator::reshape;
    for (StringRef name :
         {"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare"})
      methods[name] = &Evaluator::reduce;
    methods["Cast"] = methods["CastLike"] = &Evaluator::cast;
    methods["CumSum"] = &Evaluator::runningSum;
    methods["Expand"] = &Evaluator::expand;
    methods["Concat"] = &Evaluator::concat;
    methods["Gather"] = &Evaluator::gather;
    methods["Transpose"] = &Evaluator::transpose;
    methods["Slice"] = &Evaluator::slice;
    methods["Clip"] = &Evaluator::clip;
    methods["TopK"] = &Evaluator::topK;
    methods["ScatterND"] = &Evaluator::scatter;
    methods["Where"] = &Evaluator::select;
    methods["Range"] = &Evaluator::rangeOf;
    methods["ConstantOfShape"] = &Evaluator::constantOfShape;
    return methods;
  }();
  if (node.op() == "Shape" || node.op() == "Size")
    return shapeOfInput();
  auto method = kMethods.find(node.op());
  if (method == kMethods.end())
    return false;
  if (node.op() == "CastLike") // only the type of its second operand matters
    return node.known(0) && cast();
  bool mayLack = node.op() == "Slice" || node.op() == "Squeeze" || node.op() == "Unsqueeze" || node.op() == "Clip" ||
                 node.op().starts_with("Reduce");
  for (int i = 0; i < node.inputs(); ++i)
    if (node.has(i) ? !node.known(i) : i == 0 || !mayLack)
      return false;
  return (this->*method->second)();
}

bool onnximport::evaluateNode(Node &node) { return node.inputs() > 0 && Evaluator(node).run(); }
