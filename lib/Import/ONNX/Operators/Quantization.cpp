// Quantised tensors: real numbers as small integers, a scale and a zero point, (x - zero) * scale.
#include "lib/Import/ONNX/Operators/Quantization.h"
#include "lib/Import/ONNX/Operators/Dequantized.h"
#include "lib/Import/ONNX/Operators/Windows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

static std::string elementText(Type element) { return nameOf(*elementOf(element)).str(); }
static Type single(Node &node) { return Float32Type::get(node.i64().getContext()); }
static bool isInteger(Type element, unsigned width) {
  return element.getIntOrFloatBitWidth() == width && isa<IntegerType>(element);
}

// ---- Scales and zero points

/// True if the value has one element, whatever its rank.
static bool isOne(Value value) {
  return llvm::all_of(dimsOfValue(value), [](const Dim &dim) { return dim == Dim(1); });
}

Value onnximport::oneOf(Node &node, int input) {
  Value value = node.input(input);
  if (value && !isOne(value))
    node.refuse("input " + Twine(input) + " has the shape " + str(dimsOf(value)) + ", expected one element");
  return node.failed() ? Value() : node.reshape(value, Dims());
}

Value onnximport::zeroOf(Node &node, int input, Type element) {
  Value zero = node.has(input) ? node.input(input) : Value();
  if (zero && element && elementOfValue(zero) != element)
    node.refuse("zero point (input " + Twine(input) + ") is " + elementText(elementOfValue(zero)) + " but its operand is " +
                elementText(element) + "; both must match");
  return zero;
}

Value onnximport::scaleOf(Node &node, int input) {
  Value scale = node.input(input);
  Type element = elementOfValue(scale);
  if (element && !element.isF32() && !isHalf(element))
    node.refuse("scale (input " + Twine(input) + ") is " + elementText(element) + ", expected f32, f16 or bf16");
  return node.failed() ? Value() : node.convert(scale, single(node));
}

/// Repeats one element for each block of `block` positions along the axis; the last block may be cut.
static Value repeatBlocks(Node &node, Value value, ArrayRef<Dim> dims, int64_t axis, int64_t block) {
  Dims blocks = dimsOfValue(value), expected(dims);
  Dim covered = blocks.size() == dims.size() ? blocks[axis] * Dim(block) : Dim(0), rest = covered - dims[axis];
  if (blocks.size() == dims.size())
    expected[axis] = blocks[axis];
  if (blocks != expected || !rest.isStatic() || rest.constant() < 0 || rest.constant() >= block) {
    node.refuse("blocks of " + Twine(block) + " along axis " + Twine(axis) + " of an operand of shape " + str(dims) +
                ": a scale or zero point has the shape " + str(blocks) + ", expected one element per block");
    return {};
  }
  Dims apart = blocks, merged = blocks;
  apart.insert(apart.begin() + axis + 1, Dim(block));
  merged[axis] = covered;
  Integers places = range(0, apart.size());
  places.erase(places.begin() + axis + 1);
  return node.slice(node.reshape(node.broadcast(value, places, apart), merged), axis, 0, dims[axis]);
}

/// Broadcasts a scale or zero point to an operand: one for all, for each position of the axis, or for each block along it.
static Value spread(Node &node, Value value, ArrayRef<Dim> dims) {
  if (!value || node.failed())
    return {};
  if (isOne(value))
    return node.reshape(value, Dims());
  int64_t axis = node.axis(node.integer("axis", 1), dims.size()), block = node.integer("block_size", 0);
  if (block < 0 || block >= int64_t(1) << 30)
    node.refuse("block_size is " + Twine(block) + ", expected a positive number");
  if (node.opset() < 13)
    node.refuse("a scale per element of an axis needs opset 13");
  if (node.failed())
    return {};
  if (block)
    return repeatBlocks(node, value, dims, axis, block);
  if (Dims own = dimsOf(value); own.size() != 1 || own[0] != dims[axis]) {
    node.refuse("a scale or zero point has the shape " + str(own) + " for an operand of shape " + str(dims) +
                ": expected one element, or " + dims[axis].str() + " for axis " + Twine(axis));
    return {};
  }
  Dims shape(dims.size(), Dim(1));
  shape[axis] = dims[axis];
  return node.reshape(value, shape);
}

Value onnximport::centred(Node &node, Value x, Value zero, Type wide) {
  x = node.convert(x, wide);
  return zero ? node.emit<SubOp>({x, node.convert(zero, wide)}) : x;
}

Value onnximport::saturate(Node &node, Value x, Value zero, Type element) {
  x = node.emit<RoundOp>(x);
  if (zero && !isEverywhere(zero, 0)) { // beyond 2^24 the sum is rounded, but then it exceeds the type, too
    x = node.convert(x, Node::wide(elementOfValue(x)));
    x = node.emit<AddOp>({x, node.convert(zero, elementOfValue(x))});
  }
  return element ? node.convert(x, element) : Value();
}

// ---- Conversions between real and quantised numbers

/// Returns the type that an attribute names, of the accepted kind; null if the attribute is missing or 0.
static Type typeOf(Node &node, StringRef attribute, bool (*isGood)(Type), StringRef expected) {
  int64_t number = node.integer(attribute, 0);
  if (number == 0)
    return {};
  Type type = elementTypeOf(number, node.i64().getContext());
  if (!type || !isGood(type))
    node.refuse(attribute + " is " + nameOfDataType(number) + ", expected " + expected);
  return type;
}

static bool isQuantised(Type element) { return isInteger(element, 8) || isInteger(element, 16); }
static bool isReal(Type element) { return element.isF32() || isHalf(element); }

/// Returns the type of the zero point or of the attribute, else u8.
static Type quantisedType(Node &node) {
  Type said = typeOf(node, "output_dtype", isQuantised, "INT8, UINT8, INT16 or UINT16");
  Type byte = IntegerType::get(node.i64().getContext(), 8, IntegerType::Unsigned);
  if (!node.has(2))
    return said ? said : byte;
  Type element = elementOfValue(node.input(2));
  if (element && !isQuantised(element))
    node.refuse("the zero point is of " + elementText(element) + ", expected i8, u8, i16 or u16");
  if (element && said && said != element)
    node.refuse("output_dtype says " + elementText(said) + ", but the zero point is " + elementText(element));
  return element;
}

/// Converts QuantizeLinear. The quotient has the scale's type unless `precision` names another.
static void quantizeLinear(Node &node) {
  Value x = node.input(0), scale = node.input(1);
  Type element = quantisedType(node);
  Type precision = typeOf(node, "precision", isReal, "FLOAT, FLOAT16 or BFLOAT16");
  if (node.failed())
    return;
  if (Value quantized = precision ? Value() : requantized(node, x, scale, zeroOf(node, 2, element), element))
    return node.set(0, quantized);
  if (!precision)
    precision = isReal(elementOfValue(scale)) ? elementOfValue(scale) : Type(Float64Type::get(element.getContext()));
  Dims dims = dimsOf(x);
  Value quotient = node.emit<DivOp>({node.convert(x, precision), node.convert(spread(node, scale, dims), precision)});
  node.set(0, saturate(node, quotient, spread(node, zeroOf(node, 2, element), dims), element));
}

static void dequantizeLinear(Node &node) {
  Value x = node.input(0), scale = scaleOf(node, 1);
  Type element = node.element(0), said = typeOf(node, "output_dtype", isReal, "FLOAT, FLOAT16 or BFLOAT16");
  Value zero = zeroOf(node, 2, element);
  if (node.failed())
    return;
  if (!isQuantised(element) && !element.isSignlessInteger(32))
    return node.refuse("it is of " + elementText(element) + ", expected i8, u8, i16, u16 or i32");
  if (zero && isEverywhere(zero, 0))
    zero = Value();
  Dims dims = dimsOf(x);
  Type wide = zero && element.isSignlessInteger(32) ? node.i64() : IntegerType::get(element.getContext(), 32);
  Value difference = node.convert(centred(node, x, spread(node, zero, dims), wide), single(node));
  Value y = node.emit<MulOp>({difference, spread(node, scale, dims)});
  node.set(0, node.convert(y, said ? said : node.element(1)));
}

/// Quantises to u8 with the scale and zero point of the range of x and 0. If all elements are 0, the scale is 1.
DynamicallyQuantized onnximport::quantizeDynamically(Node &node, Value x) {
  if (node.failed() || !elementOfValue(x).isF32()) {
    node.refuse("expected a tensor of f32");
    return {};
  }
  Type element = elementOfValue(x), byte = IntegerType::get(element.getContext(), 8, IntegerType::Unsigned);
  Integers dims = range(0, rankOf(x));
  Value none = node.constant(0, element), most = node.constant(255, element);
  Value high = node.emit<MaxOp>({node.reduce(ReduceKind::Max, x, dims, /*keep=*/false), none});
  Value low = node.emit<MinOp>({node.reduce(ReduceKind::Min, x, dims, /*keep=*/false), none});
  Value step = node.emit<DivOp>({node.emit<SubOp>({high, low}), most});
  Value isFlat = node.compare(CompareKind::EQ, high, low);
  Value scale = node.emit<SelectOp>({isFlat, node.constant(1, element), step});
  Value start = node.emit<NegOp>(node.emit<DivOp>({low, scale}));
  Value zero = saturate(node, start, {}, byte);
  return {saturate(node, node.emit<DivOp>({x, scale}), zero, byte), scale, zero};
}

static void dynamicQuantizeLinear(Node &node) {
  DynamicallyQuantized x = quantizeDynamically(node, node.input(0));
  node.set(0, x.values);
  node.set(1, x.scale);
  node.set(2, x.zero);
}

Value onnximport::quantizedProduct(Node &node, Value x, const QuantizedMatrix &matrix) {
  DynamicallyQuantized left = quantizeDynamically(node, x);
  Value sums = matrixProduct(node, centred(node, left.values, left.zero, i32(node)), matrix.values);
  return node.emit<MulOp>({node.convert(sums, elementOfValue(x)), node.emit<MulOp>({left.scale, matrix.scale})});
}

// ---- Products of quantised numbers: sums in i32

Value onnximport::bytes(Node &node, int input) {
  Value x = node.input(input);
  if (x && !isInteger(elementOfValue(x), 8))
    node.refuse("input " + Twine(input) + " is of " + elementText(elementOfValue(x)) + ", expected i8 or u8");
  return x;
}

/// Broadcasts a scale or zero point to a matrix: one for all, for each row of the left or each column of the right operand.
static Value spreadLines(Node &node, Value value, ArrayRef<Dim> dims, bool isLeft) {
  if (!value || node.failed())
    return {};
  if (isOne(value))
    return node.reshape(value, Dims());
  Dims own = dimsOf(value), expected(dims);
  int64_t rank = dims.size();
  if (own.size() == 1 && (rank == 2 || (rank > 2 && !isLeft))) // a list for the rows of several matrices would be ambiguous
    own.insert(isLeft ? own.end() : own.begin(), Dim(1));
  if (rank >= 2)
    expected[isLeft ? rank - 1 : rank - 2] = Dim(1);
  if (rank < 2 || (own != expected && ArrayRef(own) != ArrayRef(expected).take_back(2))) {
    node.refuse("a scale or zero point has the shape " + str(dimsOf(value)) + " for an operand of shape " + str(dims) +
                ": expected one element, or one per " + (isLeft ? "row" : "column"));
    return {};
  }
  return node.reshape(value, own);
}

static Value integerProduct(Node &node, Value a, Value aZero, Value b, Value bZero) {
  Value lhs = centred(node, a, spreadLines(node, aZero, dimsOfValue(a), /*isLeft=*/true), i32(node));
  Value rhs = centred(node, b, spreadLines(node, bZero, dimsOfValue(b), /*isLeft=*/false), i32(node));
  return matrixProduct(node, lhs, rhs);
}

static void matMulInteger(Node &node) {
  Value a = bytes(node, 0), b = bytes(node, 1);
  node.set(0, integerProduct(node, a, zeroOf(node, 2, node.element(0)), b, zeroOf(node, 3, node.element(1))));
}

Value onnximport::requantize(Node &node, Value sums, Value left, Value right, int scale) {
  Value to = scaleOf(node, scale), zero = bytes(node, scale + 1);
  if (node.failed())
    return {};
  if (!isOne(to) || !isOne(zero)) {
    node.refuse("the result has a scale and zero point per row or column; only one for the whole tensor is supported");
    return {};
  }
  Value factor = node.emit<DivOp>({node.emit<MulOp>({left, right}), node.reshape(to, Dims())});
  Value scaled = node.emit<MulOp>({node.convert(sums, single(node)), factor});
  if (!node.failed() && dimsOf(scaled) != dimsOf(sums))
    node.refuse("scales of shape " + str(dimsOf(factor)) + " do not stretch to the result " + str(dimsOf(sums)));
  return node.failed() ? Value() : saturate(node, scaled, node.reshape(zero, Dims()), elementOfValue(zero));
}

static void qLinearMatMul(Node &node) {
  Value a = bytes(node, 0), b = bytes(node, 3);
  Value left = spreadLines(node, scaleOf(node, 1), dimsOfValue(a), /*isLeft=*/true);
  Value right = spreadLines(node, scaleOf(node, 4), dimsOfValue(b), /*isLeft=*/false);
  Value sums = integerProduct(node, a, zeroOf(node, 2, node.element(0)), b, zeroOf(node, 5, node.element(3)));
  node.set(0, requantize(node, sums, left, right, 6));
}

/// Broadcasts one element for all channels of the result, or one for each: `count` of them, the last dimension here.
static Value spreadChannels(Node &node, Value value, const Dim &count) {
  if (!value || node.failed())
    return {};
  if (isOne(value))
    return node.reshape(value, Dims());
  if (Dims own = dimsOf(value); own.size() != 1 || own[0] != count)
    node.refuse("the weights' scale or zero point has the shape " + str(own) + ", expected one element, or " + count.str() +
                " for the channels");
  return value;
}

/// Returns the sums of a convolution, channels last. The padding is the zero point, which stands for 0.
static Value integerConvolution(Node &node, Value x, int xZero, Value filter, int filterZero) {
  Value zero = zeroOf(node, xZero, elementOfValue(x)), zeros = zeroOf(node, filterZero, elementOfValue(filter));
  if (!checkConvolution(node, x, filter))
    return {};
  zero = zero ? oneOf(node, xZero) : zero;
  zeros = spreadChannels(node, zeros, dimsOf(filter)[0]);
  Value images = centred(node, channelsLast(node, x), zero, i32(node));
  return convolve(node, images, centred(node, filterLast(node, filter), zeros, i32(node)));
}

static void convInteger(Node &node) {
  node.set(0, channelsFirst(node, integerConvolution(node, bytes(node, 0), 2, bytes(node, 1), 3)));
}

static void qLinearConv(Node &node) {
  Value x = bytes(node, 0), filter = bytes(node, 3), scale = scaleOf(node, 1), scales = scaleOf(node, 4);
  Value sums = integerConvolution(node, x, 2, filter, 5);
  if (node.failed())
    return;
  if (!isOne(scale))
    return node.refuse("the image's scale has the shape " + str(dimsOf(scale)) + ", expected one element");
  sums = addBias(node, sums, 8);
  Value y = requantize(node, sums, node.reshape(scale, Dims()), spreadChannels(node, scales, dimsOf(filter)[0]), 6);
  node.set(0, channelsFirst(node, y));
}

void onnximport::addQuantization(Converters &converters) {
  converters["QuantizeLinear"] = {quantizeLinear, 2, 3, "axis,block_size,output_dtype,precision,saturate"};
  converters["DequantizeLinear"] = {dequantizeLinear, 2, 3, "axis,block_size,output_dtype"};
  converters["DynamicQuantizeLinear"] = {dynamicQuantizeLinear, 1, 1, ""};
  converters["MatMulInteger"] = {matMulInteger, 2, 4, ""};
  converters["ConvInteger"] = {convInteger, 2, 4, "auto_pad,dilations,group,kernel_shape,pads,strides"};
  converters["QLinearMatMul"] = {qLinearMatMul, 8, 8, ""};
  converters["QLinearConv"] = {qLinearConv, 8, 9, "auto_pad,dilations,group,kernel_shape,pads,strides"};
}
