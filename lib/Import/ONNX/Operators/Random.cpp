// Random numbers, which depend only on a seed, the node and the steps of loops, and dropout.
#include "lib/Import/ONNX/Operators/Operators.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns the bits of a floating-point seed, the usual form, or an integer seed; 0 without one.
static int64_t seedOf(Node &node) {
  const onnx::AttributeProto *seed = node.find("seed");
  if (seed && seed->type() == onnx::AttributeProto::INT)
    return node.integer("seed", 0);
  return llvm::bit_cast<uint32_t>(float(node.real("seed", 0)));
}

/// Emits the node's own random numbers. Each step of the loops around it has another seed.
template <typename Op>
static Value draw(Node &node, ArrayRef<Dim> dims, Type element) {
  Graph &graph = node.getGraph();
  Value seed = node.constantInt(seedOf(node), node.i64());
  for (Value step : graph.getSteps())
    seed = node.emit<RandomFoldInOp>({seed, step});
  int64_t stream = graph.getModel().randomNodes++;
  return node.emit<Op>(seed, {node.number("stream", stream), node.shape("shape", dims), node.type("element", element)});
}

/// Returns the element type of an attribute, else that of the first operand.
static Type elementOf(Node &node) {
  Type element = node.hasAttribute("dtype") || node.inputs() == 0
                     ? elementTypeOf(node.integer("dtype", onnx::TensorProto::FLOAT), node.i64().getContext())
                     : node.element(0);
  if (!element)
    node.refuse("the element type is not supported: " + nameOfDataType(node.integer("dtype", 0)));
  return element;
}

/// Emits uniform or normal numbers with a width or deviation, and a lower bound or mean.
template <typename Op>
static void distribution(Node &node) {
  bool isNormal = std::is_same_v<Op, RandomNormalOp>, isLike = node.inputs() == 1;
  Type element = elementOf(node);
  if (!isa_and_nonnull<FloatType>(element))
    node.refuse("dtype must be a floating-point type");
  Dims dims = node.dims(0);
  if (!isLike && !node.hasAttribute("shape"))
    node.refuse("it has no shape");
  for (int64_t extent : isLike ? Integers() : node.integers("shape"))
    dims.push_back(Dim(extent));
  double offset = isNormal ? node.real("mean", 0) : node.real("low", 0);
  double factor = isNormal ? node.real("scale", 1) : node.real("high", 1) - offset;
  if (node.failed())
    return;
  Type wide = node.wide(element);
  Value numbers = draw<Op>(node, dims, wide);
  if (factor != 1)
    numbers = node.emit<MulOp>({numbers, node.constant(factor, wide)});
  if (offset != 0)
    numbers = node.emit<AddOp>({numbers, node.constant(offset, wide)});
  node.set(0, node.convert(numbers, element));
}

/// Emits 1 with the probability in each element.
static void bernoulli(Node &node) {
  Type to = elementOf(node), wide = node.wide(node.element(0));
  Value probability = node.convert(node.input(0), wide);
  if (!isa_and_nonnull<FloatType>(wide))
    node.refuse("probabilities must be floating-point");
  if (node.failed())
    return;
  Value numbers = draw<RandomUniformOp>(node, node.dims(0), wide);
  node.set(0, node.convert(node.compare(CompareKind::LT, numbers, probability), to));
}

/// Emits classes [N, samples] from unnormalised log probabilities [N, classes]: the number of cumulative probabilities that a
/// uniform number reaches. In f64, where many small ones add up to 1.
static void multinomial(Node &node) {
  Type to = elementTypeOf(node.integer("dtype", onnx::TensorProto::INT32), node.i64().getContext());
  Dims dims = node.dims(0);
  int64_t count = node.integer("sample_size", 1);
  if (dims.size() != 2)
    node.refuse("the log-probabilities have shape " + str(dims) + ", expected 2 dimensions");
  if (count < 1)
    node.refuse("sample_size is " + Twine(count) + ", expected at least 1");
  if (!to || !to.isSignlessInteger() || to.getIntOrFloatBitWidth() < 32)
    node.refuse("dtype must be int32 or int64");
  if (node.failed())
    return;
  Type real = Float64Type::get(to.getContext());
  Value logarithms = node.convert(node.input(0), real);
  Value most = node.reduce(ReduceKind::Max, logarithms, {1}, /*keep=*/true);
  Value weights = node.emit<ExpOp>(node.emit<SubOp>({logarithms, most}));
  Value sums = node.cumulative(CumulativeKind::Sum, weights, 1);
  Dims all{dims[0], Dim(count), dims[1]};
  constexpr double kBelowOne = 1 - 0x1p-52; // no number reaches the largest sum, after which there is no class
  Value total = node.reduce(ReduceKind::Max, sums, {1}, /*keep=*/true);
  total = node.emit<MulOp>({total, node.constant(kBelowOne, real)});
  Value numbers = node.emit<MulOp>({draw<RandomUniformOp>(node, {dims[0], Dim(count)}, real), total});
  Value reached = node.compare(CompareKind::LE, node.broadcast(sums, {0, 2}, all), node.broadcast(numbers, {0, 1}, all));
  node.set(0, node.reduce(ReduceKind::Sum, node.convert(reached, to), {2}, /*keep=*/false));
}

/// Returns the probability with which an element is dropped, 0 if `training` is false.
static Value ratioOf(Node &node, Value training, Type element) {
  Value ratio = node.has(1) ? node.reshape(node.convert(node.input(1), element), {}) : node.constant(0.5, element);
  return training ? node.emit<SelectOp>({training, ratio, node.constant(0, element)}) : ratio;
}

/// Converts Dropout: the identity in inference. In training, some elements become 0 and the others are scaled up.
static void dropout(Node &node) {
  Value x = node.input(0), mask;
  std::optional<bool> known = node.has(2) ? truthOf(node.known(2)) : false;
  Type element = node.element(0), wide = node.wide(element);
  if (known != false) {
    Value training = known ? Value() : node.reshape(node.input(2), {});
    Value ratio = ratioOf(node, training, wide);
    if (node.failed())
      return;
    mask = node.compare(CompareKind::GE, draw<RandomUniformOp>(node, node.dims(0), wide), ratio);
    Value kept = node.emit<SubOp>({node.constant(1, wide), ratio});
    Value scaled = node.emit<DivOp>({node.convert(x, wide), kept});
    x = node.convert(node.emit<SelectOp>({mask, scaled, node.constant(0, wide)}), element);
  }
  node.set(0, x);
  if (!node.wants(1))
    return;
  Type truth = node.opset() < 10 ? element : node.i1();
  node.set(1, mask ? mask : node.broadcastTo(node.constantInt(1, truth), dimsOfValue(x)));
}

void onnximport::addRandom(Converters &converters) {
  converters["RandomUniform"] = {distribution<RandomUniformOp>, 0, 0, "dtype,high,low,seed,shape"};
  converters["RandomUniformLike"] = {distribution<RandomUniformOp>, 1, 1, "dtype,high,low,seed"};
  converters["RandomNormal"] = {distribution<RandomNormalOp>, 0, 0, "dtype,mean,scale,seed,shape"};
  converters["RandomNormalLike"] = {distribution<RandomNormalOp>, 1, 1, "dtype,mean,scale,seed"};
  converters["Bernoulli"] = {bernoulli, 1, 1, "dtype,seed"};
  converters["Multinomial"] = {multinomial, 1, 1, "dtype,sample_size,seed"};
  converters["Dropout"] = {dropout, 1, 3, "ratio,seed,is_test"};
}
