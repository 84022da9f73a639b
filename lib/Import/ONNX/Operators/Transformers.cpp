// Operators of domain com.microsoft that ONNX Runtime's optimizer creates for transformers, and their quantised forms.
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Operators/Heads.h"
#include "lib/Import/ONNX/Operators/Quantization.h"
#include "lib/Support/Text.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// The default epsilon of these layer normalisations.
static constexpr double kEpsilon = 1e-12;

// ---- Activations

/// Returns the first operand plus the second one, if there is one.
static Value biased(Node &node) { return node.has(1) ? node.emit<AddOp>({node.input(0), node.input(1)}) : node.input(0); }

static void exactGelu(Node &node) { node.set(0, node.composite("gelu", biased(node), node.word("approximation", "none"))); }
static void fastGelu(Node &node) { node.set(0, node.composite("gelu", biased(node), node.word("approximation", "tanh"))); }

static void quickGelu(Node &node) {
  Value x = node.input(0), slope = node.constant(node.real("alpha", 1.702f), node.element(0));
  node.set(0, node.emit<MulOp>({x, node.emit<LogisticOp>(node.emit<MulOp>({x, slope}))}));
}

// ---- Layer normalisations of sums

/// Normalises the last dimension; `shift` may be null.
static void setNormalized(Node &node, Value x, Value scale, Value shift) {
  NamedAttribute dims = node.list("dims", rankOf(x) - 1), epsilon = node.realNumber("epsilon", node.real("epsilon", kEpsilon));
  if (!node.failed())
    node.set(0, node.composite("layer_norm", x, {dims, epsilon}, {{"scale", scale}, {"bias", shift}}));
}

static void skipLayerNormalization(Node &node) {
  Value sum = node.emit<AddOp>({node.input(0), node.input(1)});
  if (node.has(4))
    sum = node.emit<AddOp>({sum, node.input(4)});
  if (node.wants(1) || node.wants(2))
    node.refuse("the outputs mean and inv_std_var are not supported");
  node.set(3, sum);
  setNormalized(node, sum, node.input(2), node.has(3) ? node.input(3) : Value());
}

/// Returns the number of ones in each row of a mask, as i32; 0 without a mask.
static Value countOnes(Node &node, int mask, const Dim &batch) {
  if (!node.has(mask))
    return node.broadcast(node.constantInt(0, i32(node)), {}, {batch});
  Value isOne = node.compare(CompareKind::EQ, node.input(mask), node.constantInt(1, node.element(mask)));
  return node.reduce(ReduceKind::Sum, node.convert(isOne, i32(node)), 1, /*keep=*/false);
}

/// Sets the normalised sum of rows of tables. `rows` reads rows of an input by indices, or all if those are null; `weight`
/// reads scale and shift.
static void embed(Node &node, int mask, int positions, function_ref<Value(int table, Value indices)> rows,
                  function_ref<Value(int input)> weight) {
  constexpr int kSegments = 1, kWords = 2, kPlaces = 3, kSegmentTable = 4, kScale = 5, kShift = 6;
  Dims ids = node.dims(0);
  if (ids.size() != 2)
    node.refuse("input_ids of shape " + str(ids) + ", expected [batch, sequence]");
  if (node.has(kSegments) != node.has(kSegmentTable))
    node.refuse("segment_ids and segment_embedding must be used together");
  if (node.failed())
    return;
  auto indices = [&](int input) { return node.convert(node.input(input), node.i64()); };
  Value places = positions >= 0 && node.has(positions) ? indices(positions) : node.iota(0, ids[1], node.i64());
  Value sum = node.emit<AddOp>({rows(kWords, indices(0)), rows(kPlaces, places)});
  if (node.has(kSegments))
    sum = node.emit<AddOp>({sum, rows(kSegmentTable, indices(kSegments))});
  node.set(1, countOnes(node, mask, ids[0]));
  node.set(2, sum);
  setNormalized(node, sum, weight(kScale), weight(kShift));
}

static void embedLayerNormalization(Node &node) {
  auto rows = [&](int table, Value indices) { return node.gather(node.input(table), indices, 0); };
  embed(node, 7, 8, rows, [&](int input) { return node.input(input); });
}

static void quantizedEmbedLayerNormalization(Node &node) {
  // Scales and zero points, one for each tensor, follow the mask in the order of the tensors.
  auto real = [&](int input, Value bytes) -> Value {
    int scale = input + 6, zero = input + 11;
    scaleOf(node, scale);
    zeroOf(node, zero, node.element(input));
    if (node.failed())
      return {};
    Value difference = centred(node, bytes, oneOf(node, zero), i32(node));
    return node.emit<MulOp>({node.convert(difference, node.element(scale)), node.reshape(oneOf(node, scale), Dims())});
  };
  auto rows = [&](int table, Value indices) { return real(table, node.gather(bytes(node, table), indices, 0)); };
  embed(node, 7, -1, rows, [&](int input) { return real(input, bytes(node, input)); });
}

// ---- Products

/// Returns a matrix of integers with its zero points and scales, one for all or one for each column.
static std::optional<QuantizedMatrix> readMatrix(Node &node, int matrix, int scale, int zero) {
  Value values = bytes(node, matrix), scales = scaleOf(node, scale), zeros = zeroOf(node, zero, node.element(matrix));
  if (node.failed())
    return std::nullopt;
  Dims dims = dimsOf(values);
  auto spread = [&](Value each) -> Value {
    if (!each || numElements(dimsOf(each)) == Dim(1))
      return each ? node.reshape(each, Dims()) : each;
    if (dims.size() < 2 || dimsOf(each) != Dims{dims.back()})
      node.refuse("a scale or zero point has the shape " + str(dimsOf(each)) + " for a matrix of shape " + str(dims) +
                  ": expected one element, or one per column");
    return each;
  };
  scales = spread(scales);
  return QuantizedMatrix{centred(node, values, spread(zeros), i32(node)), scales};
}

/// Sets the product plus the optional bias.
static void setBiased(Node &node, Value product, int bias) {
  node.set(0, node.has(bias) ? node.emit<AddOp>({product, node.input(bias)}) : product);
}

static void dynamicQuantizeMatMul(Node &node) {
  std::optional<QuantizedMatrix> matrix = readMatrix(node, 1, 2, 3);
  if (matrix)
    setBiased(node, quantizedProduct(node, node.input(0), *matrix), 4);
}

/// Returns the product of two quantised operands in f32.
static Value productInFloat(Node &node, int lhs, int lhsScale, int lhsZero, const QuantizedMatrix &matrix) {
  std::optional<QuantizedMatrix> left = readMatrix(node, lhs, lhsScale, lhsZero);
  if (!left || node.failed())
    return {};
  if (rankOf(left->scale))
    return node.refuse("the left operand has several scales; only one is supported"), Value();
  Value sums = matrixProduct(node, left->values, matrix.values);
  return node.emit<MulOp>({node.convert(sums, elementOfValue(matrix.scale)), node.emit<MulOp>({left->scale, matrix.scale})});
}

static void matMulIntegerToFloat(Node &node) {
  std::optional<QuantizedMatrix> matrix = readMatrix(node, 1, 3, 5);
  if (matrix)
    setBiased(node, productInFloat(node, 0, 2, 4, *matrix), 6);
}

// ---- Attention

namespace {
/// Operand numbers in which Attention and its quantised form differ; -1 if missing.
struct Places {
  int mask, past, addend;
};
} // namespace

/// Returns the addend of the products of queries and keys: mask_filter_value for masked keys.
static Value addendOf(Node &node, const Places &places, const Dim &batch, const Dim &queries, const Dim &keys, Type element) {
  Value sum = places.addend >= 0 && node.has(places.addend) ? node.input(places.addend) : Value();
  if (!node.has(places.mask) || node.failed())
    return sum;
  Dims dims = node.dims(places.mask);
  Dims shapes[] = {{batch}, {batch, keys}, {batch, queries, keys}};
  auto *shape = llvm::find_if(shapes, [&](const Dims &each) { return each.size() == dims.size(); });
  if (shape == std::end(shapes) || !llvm::all_of_zip(dims, *shape, canBeEqual))
    return node.refuse("mask_index of shape " + str(dims) + ", expected " + str(shapes[0]) + ", " + str(shapes[1]) + " or " +
                       str(shapes[2])),
           Value();
  Value mask = node.withSizes(node.convert(node.input(places.mask), node.i64()), *shape), seen;
  if (shape == shapes) // number of keys before the padding
    seen = node.compare(CompareKind::LT, node.iota(3, {batch, Dim(1), Dim(1), keys}, node.i64()),
                        node.reshape(mask, {batch, Dim(1), Dim(1), Dim(1)}));
  else
    seen = node.compare(CompareKind::GT, node.reshape(mask, {batch, Dim(1), dims.size() == 2 ? Dim(1) : queries, keys}),
                        node.constantInt(0, node.i64()));
  double filter = node.real("mask_filter_value", -10000);
  Value hidden = node.emit<SelectOp>({seen, node.constant(0, element), node.constant(filter, element)});
  return sum ? node.emit<AddOp>({sum, hidden}) : hidden;
}

/// Emits attention of queries, keys and values that are adjacent in the last dimension of [batch, sequence, sizes].
static void attend(Node &node, Value all, Integers sizes, const Places &places) {
  int64_t heads = node.integer("num_heads", 0);
  Dims dims = dimsOfValue(all);
  if (!node.failed() && (dims.size() != 3 || !dims[2].isStatic()))
    node.refuse("input and weights give " + str(dims) + ", expected [batch, sequence, a number]");
  if (node.integer("do_rotary", 0) || node.integer("past_present_share_buffer", 0))
    node.refuse("do_rotary and past_present_share_buffer are not supported");
  if (node.failed())
    return;
  if (sizes.empty())
    sizes.assign(3, dims[2].constant() / 3);
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != dims[2].constant() || sizes[0] != sizes[1])
    return node.refuse("qkv_hidden_sizes " + listText(sizes) + " do not split " + dims[2].str() + " columns");
  SmallVector<Value> parts;
  int64_t start = 0;
  for (auto [size, name] : llvm::zip_equal(sizes, ArrayRef<StringRef>{"Q", "K", "V"})) {
    parts.push_back(splitHeads(node, node.slice(all, 2, Dim(start), Dim(start + size)), heads, name, "num_heads"));
    start += size;
  }
  Value past = node.has(places.past) ? node.input(places.past) : Value();
  if (node.failed())
    return;
  Dim before(0);
  if (past) {
    Dims given = dimsOf(past);
    if (given.size() != 5 || given[0] != Dim(2))
      return node.refuse("past of shape " + str(given) + ", expected [2, batch, heads, past, size]");
    before = given[3];
    for (int64_t i : {0, 1}) {
      Value old = node.reshape(node.slice(past, 0, Dim(i), Dim(i + 1)), ArrayRef(given).drop_front());
      parts[1 + i] = node.concatenate({old, parts[1 + i]}, 2);
    }
  }
  Dim keys = before + dims[1];
  if (node.wants(1)) {
    SmallVector<Value> stacked;
    for (Value part : {parts[1], parts[2]}) {
      Dims shape = dimsOfValue(part);
      shape.insert(shape.begin(), Dim(1));
      stacked.push_back(node.reshape(part, shape));
    }
    node.set(1, node.concatenate(stacked, 0));
  }
  double scale = node.real("scale", 0);
  SmallVector<NamedAttribute> options{
      node.realNumber("scale", scale ? scale : 1 / std::sqrt(double(sizes[0]) / double(heads)))};
  Value allowed, addend = addendOf(node, places, dims[0], dims[1], keys, elementOfValue(all));
  bool isCausal = node.integer("unidirectional", 0);
  if (isCausal && past) {
    Dims grid{dims[1], keys};
    Value place = node.emit<AddOp>({node.iota(0, grid, node.i64()), node.size(before, node.i64())});
    allowed = node.compare(CompareKind::LE, node.iota(1, grid, node.i64()), place);
  } else if (isCausal) {
    options.push_back(node.flag("causal"));
  }
  if (node.failed())
    return;
  Value y = node.composite("attention", parts, options, {{"mask", allowed}, {"bias", addend}});
  node.set(0, joinHeads(node, y));
}

static void attention(Node &node) {
  Value product = matrixProduct(node, node.input(0), node.input(1));
  if (node.has(2))
    product = node.emit<AddOp>({product, node.input(2)});
  if (node.has(6))
    node.refuse("past_sequence_length is not supported");
  attend(node, product, node.integers("qkv_hidden_sizes"), {/*mask=*/3, /*past=*/4, /*addend=*/5});
}

static void quantizedAttention(Node &node) {
  std::optional<QuantizedMatrix> weights = readMatrix(node, 1, 4, 7);
  if (!weights)
    return;
  Value product = productInFloat(node, 0, 3, 6, *weights);
  product = node.emit<AddOp>({product, node.input(2)});
  attend(node, product, {}, {/*mask=*/5, /*past=*/8, /*addend=*/-1});
}

void onnximport::addTransformers(Converters &converters) {
  auto add = [&](StringRef name, Converter converter) { converters[(kMicrosoft + ":" + name).str()] = converter; };
  add("Gelu", {exactGelu, 1, 1, ""});
  add("BiasGelu", {exactGelu, 2, 2, ""});
  add("FastGelu", {fastGelu, 1, 2, ""});
  add("QuickGelu", {quickGelu, 1, 1, "alpha"});
  add("SkipLayerNormalization", {skipLayerNormalization, 3, 5, "epsilon"});
  add("EmbedLayerNormalization", {embedLayerNormalization, 7, 9, "epsilon,mask_index_type"});
  add("QEmbedLayerNormalization", {quantizedEmbedLayerNormalization, 18, 18, "epsilon"});
  add("DynamicQuantizeMatMul", {dynamicQuantizeMatMul, 3, 5, ""});
  add("MatMulIntegerToFloat", {matMulIntegerToFloat, 4, 7, ""});
  StringRef attributes = "do_rotary,mask_filter_value,num_heads,past_present_share_buffer,scale,unidirectional";
  add("QAttention", {quantizedAttention, 5, 9, attributes});
  add("Attention", {attention, 2, 7,
                    "do_rotary,mask_filter_value,num_heads,past_present_share_buffer,qkv_hidden_sizes,scale,unidirectional"});
}
