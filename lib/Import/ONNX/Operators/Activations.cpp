// Activations, most of them composites of the library.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Converts to the composite `kName`, which has the same meaning.
template <const char *kName>
static void same(Node &node) {
  node.set(0, node.composite(kName, node.input(0)));
}

static void relu(Node &node) {
  if (isa_and_nonnull<FloatType>(node.element(0)))
    node.set(0, node.composite("relu", node.input(0)));
  else
    node.set(0, node.emit<MaxOp>({node.input(0), node.constantInt(0, node.element(0))}));
}

static void leakyRelu(Node &node) {
  node.set(0, node.composite("leaky_relu", node.input(0), node.realNumber("slope", node.real("alpha", 0.01f))));
}

static void prelu(Node &node) {
  Value x = node.input(0), slope = node.input(1);
  if (node.opset() < 7 && !node.failed() && rankOf(slope) == 1 && rankOf(x) > 2) { // one for each channel
    Dims channels(rankOf(x) - 1, Dim(1));
    channels[0] = dimsOf(slope)[0];
    slope = node.reshape(slope, channels);
  }
  // In the specification only the slope is broadcast; ONNX Runtime broadcasts both.
  if (std::optional<Dims> shape = node.broadcastShapes({dimsOfValue(x), dimsOfValue(slope)})) {
    x = node.broadcastTo(x, *shape);
    slope = node.fitted(slope, *shape);
  }
  if (isa_and_nonnull<FloatType>(node.element(0)))
    return node.set(0, node.composite("prelu", {x, slope}));
  Value isBelow = node.compare(CompareKind::LT, x, node.constantInt(0, node.element(0)));
  node.set(0, node.emit<SelectOp>({isBelow, node.emit<MulOp>({x, slope}), x}));
}

static Value elu(Node &node, double alpha) { return node.composite("elu", node.input(0), node.realNumber("alpha", alpha)); }

static void elu(Node &node) { node.set(0, elu(node, node.real("alpha", 1.0))); }

static void selu(Node &node) {
  Value x = elu(node, node.real("alpha", 1.67326319217681884765625));
  node.set(0, node.emit<MulOp>({x, node.constant(node.real("gamma", 1.05070102214813232421875), elementOfValue(x))}));
}

static void celu(Node &node) {
  if (!(node.real("alpha", 1.0) > 0))
    return node.refuse("alpha must be positive");
  node.set(0, node.composite("celu", node.input(0), node.realNumber("alpha", node.real("alpha", 1.0))));
}

static void hardSigmoid(Node &node) {
  node.set(0, node.composite(
                  "hard_sigmoid", node.input(0),
                  {node.realNumber("offset", node.real("beta", 0.5)), node.realNumber("slope", node.real("alpha", 0.2f))}));
}

static void gelu(Node &node) {
  std::string approximation = node.text("approximate", "none");
  if (approximation != "none" && approximation != "tanh")
    return node.refuse("approximate is '" + approximation + "', expected 'none' or 'tanh'");
  node.set(0, node.composite("gelu", node.input(0), node.word("approximation", approximation)));
}

static void sigmoid(Node &node) { node.set(0, node.emit<LogisticOp>(node.input(0))); }

static void swish(Node &node) {
  Value x = node.input(0);
  Value scaled = node.emit<MulOp>({x, node.constant(node.real("alpha", 1.0), node.element(0))});
  node.set(0, node.emit<MulOp>({x, node.emit<LogisticOp>(scaled)}));
}

static void thresholdedRelu(Node &node) {
  Type element = node.element(0);
  Value x = node.input(0);
  Value isAbove = node.compare(CompareKind::GT, x, node.constant(node.real("alpha", 1.0), element));
  node.set(0, node.emit<SelectOp>({isAbove, x, node.constant(0, element)}));
}

static void shrink(Node &node) {
  Type element = node.element(0);
  double lambda = node.real("lambd", 0.5), bias = node.real("bias", 0.0);
  Value x = node.input(0), shift = node.constant(bias, element);
  if (!isa_and_nonnull<FloatType>(element))
    return node.refuse("only floats are supported");
  Value below = node.compare(CompareKind::LT, x, node.constant(-lambda, element));
  Value above = node.compare(CompareKind::GT, x, node.constant(lambda, element));
  Value rest = node.emit<SelectOp>({above, node.emit<SubOp>({x, shift}), node.constant(0, element)});
  node.set(0, node.emit<SelectOp>({below, node.emit<AddOp>({x, shift}), rest}));
}

/// Normalises along one axis from opset 13 on; before, over all dimensions from the axis on.
static void softmax(Node &node) {
  StringRef name = node.op() == "Softmax" ? "softmax" : "log_softmax";
  Dims dims = node.dims(0);
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), dims.size());
  if (node.failed())
    return;
  if (node.opset() >= 13 || axis + 1 == int64_t(dims.size()))
    return node.set(0, node.composite(name, x, node.number("dim", axis)));
  std::optional<Dim> rows = numElements(ArrayRef(dims).take_front(axis)), row = numElements(ArrayRef(dims).drop_front(axis));
  if (!rows || !row)
    return node.refuse("the tensor is too large");
  node.set(0, node.reshape(node.composite(name, node.reshape(x, {*rows, *row}), node.number("dim", 1)), dims));
}

/// Emits 1 at the first largest element and 0 elsewhere.
static void hardmax(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), dims.size());
  if (node.opset() < 13 && axis + 1 != int64_t(dims.size()))
    return node.refuse("before opset 13 only the last axis is supported");
  if (node.failed())
    return;
  Value largest = node.emit<ArgmaxOp>(x, node.number("dim", axis));
  Dims kept = dims;
  kept[axis] = Dim(1);
  largest = node.convert(node.reshape(largest, kept), node.i64());
  Value isLargest = node.compare(CompareKind::EQ, node.iota(axis, dims, node.i64()), largest);
  node.set(0, node.convert(isLargest, node.element(0)));
}

static constexpr char kHardSwish[] = "hard_swish", kSoftplus[] = "softplus", kSoftsign[] = "softsign", kMish[] = "mish";

void onnximport::addActivations(Converters &converters) {
  converters["Relu"] = {relu, 1, 1, ""};
  converters["LeakyRelu"] = {leakyRelu, 1, 1, "alpha"};
  converters["PRelu"] = {prelu, 2, 2, ""};
  converters["Elu"] = {elu, 1, 1, "alpha"};
  converters["Selu"] = {selu, 1, 1, "alpha,gamma"};
  converters["Celu"] = {celu, 1, 1, "alpha"};
  converters["Sigmoid"] = {sigmoid, 1, 1, ""};
  converters["HardSigmoid"] = {hardSigmoid, 1, 1, "alpha,beta"};
  converters["HardSwish"] = {same<kHardSwish>, 1, 1, ""};
  converters["Softplus"] = {same<kSoftplus>, 1, 1, ""};
  converters["Softsign"] = {same<kSoftsign>, 1, 1, ""};
  converters["Mish"] = {same<kMish>, 1, 1, ""};
  converters["Swish"] = {swish, 1, 1, "alpha"};
  converters["Gelu"] = {gelu, 1, 1, "approximate"};
  converters["ThresholdedRelu"] = {thresholdedRelu, 1, 1, "alpha"};
  converters["Shrink"] = {shrink, 1, 1, "lambd,bias"};
  converters["Softmax"] = {softmax, 1, 1, "axis"};
  converters["LogSoftmax"] = {softmax, 1, 1, "axis"};
  converters["Hardmax"] = {hardmax, 1, 1, "axis"};
}
