// Operators of domain com.microsoft, which ONNX Runtime inserts into models that it quantises.
#include "lib/Import/ONNX/Operators/Quantization.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns the real numbers for a quantised input, whose scale and zero point are the next two inputs.
static Value dequantized(Node &node, int input) {
  Value x = bytes(node, input), scale = scaleOf(node, input + 1), zero = zeroOf(node, input + 2, node.element(input));
  if (node.failed())
    return {};
  oneOf(node, input + 1); // refuses more
  Value difference = centred(node, x, zero ? oneOf(node, input + 2) : zero, i32(node));
  return node.emit<MulOp>({node.convert(difference, elementOfValue(scale)), node.reshape(scale, Dims())});
}

/// Sets the output to real numbers, quantised by the scale and the zero point after it; to type `otherwise` without a zero
/// point.
static void setQuantized(Node &node, Value real, int scale, Type otherwise) {
  Value to = scaleOf(node, scale), zero = node.has(scale + 1) ? bytes(node, scale + 1) : Value();
  if (node.failed())
    return;
  oneOf(node, scale);
  zero = zero ? oneOf(node, scale + 1) : zero;
  Value quotient = node.emit<DivOp>({real, node.reshape(to, Dims())});
  node.set(0, saturate(node, quotient, zero, zero ? elementOfValue(zero) : otherwise));
}

template <typename Op>
static void binary(Node &node) {
  Value result = node.emit<Op>({dequantized(node, 0), dequantized(node, 3)});
  setQuantized(node, result, 6, node.element(0));
}

static void sigmoid(Node &node) { setQuantized(node, node.emit<LogisticOp>(dequantized(node, 0)), 3, node.element(0)); }

static void leakyRelu(Node &node) {
  NamedAttribute slope = node.realNumber("slope", node.real("alpha", 0.01f));
  setQuantized(node, node.composite("leaky_relu", dequantized(node, 0), slope), 3, node.element(0));
}

static void globalAveragePool(Node &node) {
  int64_t rank = node.rank(0);
  bool isLast = node.integer("channels_last", 0);
  if (rank < 3)
    return node.refuse("expected images [N, C, ...]");
  NamedAttribute dims = node.list("dims", isLast ? range(1, rank - 1) : range(2, rank));
  setQuantized(node, node.composite("mean", dequantized(node, 0), {dims, node.flag("keep")}), 3, node.element(0));
}

/// Converts QLinearConcat; scale and zero point of the result come first.
static void concat(Node &node) {
  if (node.inputs() % 3 != 2)
    return node.refuse("each operand needs a scale and a zero point");
  int64_t axis = node.axis(node.integer("axis", 0), node.rank(2));
  SmallVector<Value> parts;
  for (int i = 2; i < node.inputs(); i += 3)
    parts.push_back(dequantized(node, i));
  if (!node.failed())
    setQuantized(node, node.concatenate(parts, axis), 0, node.element(2));
}

/// Emits alpha * A * B + C, where C is in the scale of the product; f32 if the result has no scale.
static void gemm(Node &node) {
  Value a = bytes(node, 0), b = bytes(node, 3), left = scaleOf(node, 1), right = scaleOf(node, 4);
  Value zero = zeroOf(node, 2, node.element(0)), zeros = zeroOf(node, 5, node.element(3));
  bool transposesA = node.integer("transA", 0), transposesB = node.integer("transB", 0);
  if (!node.failed() && (rankOf(a) != 2 || rankOf(b) != 2))
    node.refuse("expected matrices");
  if (node.failed())
    return;
  Dim columns = dimsOf(b)[transposesB ? 0 : 1];
  for (Value each : {right, zeros}) // one, or one for each column
    if (each && dimsOf(each) != Dims() && dimsOf(each) != Dims{Dim(1)} && dimsOf(each) != Dims{columns})
      node.refuse("a scale or zero point of B has the shape " + str(dimsOf(each)) + ", expected one element or [" +
                  columns.str() + "]");
  oneOf(node, 1);
  if (zeros && transposesB && rankOf(zeros) == 1)
    zeros = node.reshape(zeros, {dimsOf(zeros)[0], Dim(1)});
  Value lhs = centred(node, a, zero ? oneOf(node, 2) : zero, i32(node)), rhs = centred(node, b, zeros, i32(node));
  Value sums = node.contract(lhs, rhs, transposesA ? 0 : 1, transposesB ? 1 : 0);
  left = node.emit<MulOp>({node.reshape(left, Dims()), node.constant(node.real("alpha", 1), elementOfValue(left))});
  Dims shape = dimsOfValue(sums);
  if (node.has(6))
    sums = node.emit<AddOp>({sums, node.input(6)});
  if (!node.failed() && dimsOfValue(sums) != shape)
    node.refuse("C of shape " + str(node.dims(6)) + " does not broadcast to " + str(shape));
  if (node.has(7))
    return node.set(0, requantize(node, sums, left, right, 7));
  node.set(0, node.emit<MulOp>({node.convert(sums, elementOfValue(left)), node.emit<MulOp>({left, right})}));
}

void onnximport::addMicrosoft(Converters &converters) {
  auto add = [&](StringRef name, Converter converter) { converters[(kMicrosoft + ":" + name).str()] = converter; };
  add("QLinearAdd", {binary<AddOp>, 7, 8, ""});
  add("QLinearMul", {binary<MulOp>, 7, 8, ""});
  add("QLinearSigmoid", {sigmoid, 4, 5, ""});
  add("QLinearLeakyRelu", {leakyRelu, 4, 5, "alpha"});
  add("QLinearGlobalAveragePool", {globalAveragePool, 4, 5, "channels_last"});
  add("QLinearConcat", {concat, 5, -1, "axis"});
  add("QGemm", {gemm, 6, 9, "alpha,transA,transB"});
  add("QuantizeLinear", converters.lookup("QuantizeLinear")); // with 16 bits also before opset 21
  add("DequantizeLinear", converters.lookup("DequantizeLinear"));
}
