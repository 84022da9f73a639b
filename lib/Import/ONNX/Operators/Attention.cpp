// Attention and position embeddings.
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Operators/Heads.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The operands of Attention in 4 dimensions, with keys and values for each head: q [B, H, S, D], k [B, H, T, D] and v [B, H,
/// T, E]. Arithmetic is in `wide`.
struct Heads {
  Value q, k, v;
  Type element, wide;
  Dim batch, heads, queries, keys, size, past; // `past` keys are from earlier calls
  bool isSplit = false;                        // the model's operands have 3 dimensions
};

/// The mask on keys.
struct Mask {
  Value allowed, bias;         // i1 and `wide`; null if there is none
  bool isLowerTriangle = true; // applied by the composite, not in `allowed`: query i sees the keys up to i
};

enum Operand { Q, K, V, AttnMask, PastKey, PastValue, NonpadLength };
} // namespace

Value onnximport::splitHeads(Node &node, Value x, int64_t heads, StringRef name, StringRef attribute) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  if (heads < 1)
    return node.refuse(name + " with 3 dimensions needs " + attribute + ", at least 1"), Value();
  std::optional<Dim> size = dims[2].dividedBy(heads);
  if (!size)
    return node.refuse(name + " of shape " + str(dims) + " does not split into " + Twine(heads) + " heads (" + attribute + ")"),
           Value();
  return node.transpose(node.reshape(x, {dims[0], dims[1], Dim(heads), *size}), {0, 2, 1, 3});
}

Value onnximport::joinHeads(Node &node, Value x) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  return node.reshape(node.transpose(x, {0, 2, 1, 3}), {dims[0], dims[2], dims[1] * dims[3]});
}

Value onnximport::repeatHeads(Node &node, Value x, const Dim &heads) {
  Dims dims = dimsOfValue(x);
  if (node.failed() || dims[1] == heads)
    return x;
  if (!dims[1].isStatic() && !heads.isStatic() && canBeEqual(dims[1], heads))
    return node.withSizes(x, {dims[0], heads, dims[2], dims[3]});
  if (!dims[1].isStatic() || !heads.isStatic() || dims[1].constant() < 1 || heads.constant() % dims[1].constant())
    return node.refuse(heads.str() + " query heads are not a multiple of the " + dims[1].str() +
                       " key and value heads, or one count is not a number; fix the dimension with --dim"),
           Value();
  Dim times(heads.constant() / dims[1].constant());
  Value many = node.broadcast(x, {0, 1, 3, 4}, {dims[0], dims[1], times, dims[2], dims[3]});
  return node.reshape(many, {dims[0], heads, dims[2], dims[3]});
}

static void checkOperands(Node &node) {
  if (!isa_and_nonnull<FloatType>(node.element(Q)))
    node.refuse("expected floats");
  int64_t rank = node.rank(Q);
  if ((rank != 3 && rank != 4) || node.rank(K) != rank || node.rank(V) != rank)
    node.refuse("Q, K and V have " + Twine(rank) + ", " + Twine(node.rank(K)) + " and " + Twine(node.rank(V)) +
                " dimensions; all must have 3, or all 4");
  if (node.has(PastKey) != node.has(PastValue))
    node.refuse("past_key and past_value must be used together");
  if (node.has(PastKey) && node.has(NonpadLength))
    node.refuse("past_key and nonpad_kv_seqlen cannot be combined");
  if (node.has(PastKey) && (node.rank(PastKey) != 4 || node.rank(PastValue) != 4))
    node.refuse("past_key and past_value must have 4 dimensions");
  for (auto [name, operand] : {std::pair("q_num_heads", Q), {"kv_num_heads", K}})
    if (rank == 4 && node.hasAttribute(name) && node.dims(operand)[1] != Dim(node.integer(name, 0)))
      node.refuse(Twine(name) + " differs from the " + node.dims(operand)[1].str() + " heads of the operand");
}

/// Reads the operands, and sets the keys and values that become the past of a later call.
static std::optional<Heads> readHeads(Node &node) {
  checkOperands(node);
  Value q = node.input(Q), k = node.input(K), v = node.input(V);
  Heads heads;
  if (node.failed())
    return std::nullopt;
  if (rankOf(q) == 3) {
    int64_t keyHeads = node.integer("kv_num_heads", 0);
    q = splitHeads(node, q, node.integer("q_num_heads", 0), "Q", "q_num_heads");
    k = splitHeads(node, k, keyHeads, "K", "kv_num_heads");
    v = splitHeads(node, v, keyHeads, "V", "kv_num_heads");
    heads.isSplit = true;
  }
  if (node.has(PastKey)) {
    k = node.concatenate({node.input(PastKey), k}, 2);
    v = node.concatenate({node.input(PastValue), v}, 2);
    heads.past = node.failed() ? Dim() : node.dims(PastKey)[2];
  }
  if (node.failed())
    return std::nullopt;
  node.set(1, k);
  node.set(2, v);
  Dims dims = dimsOf(q), shape = dimsOf(k), values = dimsOf(v);
  Dims ofKeys{dims[0], shape[1], shape[2], dims[3]}, ofValues{dims[0], shape[1], shape[2], values[3]};
  if (!llvm::all_of_zip(shape, ofKeys, canBeEqual) || !llvm::all_of_zip(values, ofValues, canBeEqual)) {
    node.refuse("Q, K and V of shapes " + str(dims) + ", " + str(shape) + " and " + str(values) +
                " as [batch, heads, length, size] do not fit");
    return std::nullopt;
  }
  k = node.withSizes(k, ofKeys);
  v = node.withSizes(v, ofValues);
  heads.element = elementOfValue(q);
  heads.wide = Node::wide(heads.element);
  heads.batch = dims[0], heads.heads = dims[1], heads.queries = dims[2], heads.keys = shape[2], heads.size = dims[3];
  heads.q = node.convert(q, heads.wide);
  heads.k = repeatHeads(node, node.convert(k, heads.wide), heads.heads);
  heads.v = repeatHeads(node, node.convert(v, heads.wide), heads.heads);
  return node.failed() ? std::nullopt : std::optional(heads);
}

// ---- Masks

static void restrict(Node &node, Mask &mask, Value condition) {
  mask.allowed = mask.allowed ? node.emit<AndOp>({mask.allowed, condition}) : condition;
}

static Value minusInfinity(Node &node, Type element) { return node.constant(-INFINITY, element); }

/// Applies attn_mask: keys beyond its size are masked, and so are those with -inf, whatever their products are.
static void addOperandMask(Node &node, const Heads &heads, Mask &mask) {
  Value given = node.input(AttnMask);
  Type element = node.element(AttnMask);
  if (node.failed())
    return;
  bool isTruth = element.isInteger(1);
  if (!isTruth && !isa<FloatType>(element))
    return node.refuse("attn_mask must be boolean or floating-point");
  Dims shape = dimsOf(given), all{heads.batch, heads.heads, heads.queries, heads.keys};
  if (shape.empty())
    return node.refuse("attn_mask must have 1 to 4 dimensions");
  Dims missing = shape;
  missing.back() = heads.keys - shape.back();
  shape.back() = heads.keys;
  bool isLonger = missing.back().isStatic() && missing.back().constant() < 0;
  if (isLonger || shape.size() > 4 || broadcastDims({shape, all}) != std::optional(all))
    return node.refuse("attn_mask of shape " + str(dimsOf(given)) + " does not broadcast to " + str(all) +
                       ", the shape [batch, heads, queries, keys]");
  if (missing.back() != Dim(0)) {
    Value never = isTruth ? node.constantInt(0, element) : minusInfinity(node, element);
    given = node.concatenate({given, node.broadcast(never, {}, missing)}, shape.size() - 1);
  }
  if (isTruth)
    return restrict(node, mask, given);
  mask.bias = node.convert(given, heads.wide);
  restrict(node, mask, node.compare(CompareKind::NE, mask.bias, minusInfinity(node, heads.wide)));
}

/// Bounds the distance between the positions of a query and a key. Positions count from the first key: query 0 follows the
/// past, or the last query is at the last key that is not padding.
static void addPlaces(Node &node, const Heads &heads, Mask &mask, bool isCausal, int64_t left, int64_t right) {
  Dims grid{heads.queries, heads.keys};
  Value lengths, offset;
  if (node.has(NonpadLength)) {
    if (node.dims(NonpadLength) != Dims{heads.batch})
      return node.refuse("nonpad_kv_seqlen of shape " + str(node.dims(NonpadLength)) + ", expected one length for each of " +
                         heads.batch.str() + " in the batch");
    lengths = node.reshape(node.convert(node.input(NonpadLength), node.i64()), {heads.batch, 1, 1, 1});
    grid.insert(grid.begin(), {heads.batch, Dim(1)});
  }
  int64_t last = grid.size() - 1;
  Value key = node.iota(last, grid, node.i64());
  if (lengths)
    restrict(node, mask, node.compare(CompareKind::LT, key, lengths));
  if (!isCausal && left < 0 && right < 0)
    return;
  offset = lengths ? node.emit<SubOp>({lengths, node.size(heads.queries, node.i64())}) : node.size(heads.past, node.i64());
  Value place = node.emit<AddOp>({node.iota(last - 1, grid, node.i64()), offset});
  auto bound = [&](CompareKind kind, int64_t distance) {
    Value end = distance ? node.emit<AddOp>({place, node.constantInt(distance, node.i64())}) : place;
    restrict(node, mask, node.compare(kind, key, end));
  };
  if (isCausal)
    bound(CompareKind::LE, 0);
  if (left >= 0)
    bound(CompareKind::GE, -left);
  if (right >= 0)
    bound(CompareKind::LE, right);
}

/// Returns the mask. If `inAllowed`, the lower triangle becomes part of `allowed`.
static Mask readMask(Node &node, const Heads &heads, bool inAllowed) {
  Mask mask;
  // Nothing is farther apart, and sums with positions do not wrap.
  constexpr int64_t kFar = int64_t(1) << 40;
  int64_t left = std::min(node.integer("left_window_size", -1), kFar),
          right = std::min(node.integer("right_window_size", -1), kFar);
  if (left < -1 || right < -1)
    node.refuse("window sizes must be -1 or more");
  bool isCausal = node.integer("is_causal", 0);
  mask.isLowerTriangle = isCausal && !inAllowed && heads.past == Dim(0) && !node.has(NonpadLength);
  if (node.has(AttnMask))
    addOperandMask(node, heads, mask);
  isCausal &= !mask.isLowerTriangle;
  if (isCausal || left >= 0 || right >= 0 || node.has(NonpadLength))
    addPlaces(node, heads, mask, isCausal, left, right);
  return mask;
}

// ---- The products

/// Returns the probabilities along the last dimension; zeros if all scores are -inf.
static Value weightsOf(Node &node, Value scores, Type element) {
  Value largest = node.reduce(ReduceKind::Max, scores, 3, /*keep=*/true);
  Value isBlind = node.compare(CompareKind::EQ, largest, minusInfinity(node, element));
  Value offset = node.emit<SelectOp>({isBlind, node.constant(0, element), largest});
  Value power = node.emit<ExpOp>(node.emit<SubOp>({scores, offset}));
  Value total = node.reduce(ReduceKind::Sum, power, 3, /*keep=*/true);
  return node.emit<DivOp>({power, node.emit<SelectOp>({isBlind, node.constant(1, element), total})});
}

/// Emits attention step by step, for options and results that the composite does not have.
static Value stepByStep(Node &node, const Heads &heads, double scale, double softcap, Type precision) {
  Mask mask = readMask(node, heads, /*inAllowed=*/true);
  Type wide = heads.wide;
  Value factor = node.constant(scale, wide);
  if (scale < 0)
    factor = node.emit<RsqrtOp>(node.size(heads.size, wide));
  Value raw = node.emit<MulOp>({node.contract(heads.q, heads.k, 3, 3, {0, 1}, {0, 1}), factor});
  Value capped = raw;
  if (softcap > 0) {
    Value cap = node.constant(softcap, wide);
    capped = node.emit<MulOp>({node.emit<TanhOp>(node.emit<DivOp>({raw, cap})), cap});
  }
  Value masked = mask.bias ? node.emit<AddOp>({capped, mask.bias}) : capped;
  if (mask.allowed)
    masked = node.emit<SelectOp>({mask.allowed, masked, minusInfinity(node, wide)});
  // Rounded to the requested precision; for halves, the following computation is in f32.
  Type computed = Node::wide(precision);
  Value weights = weightsOf(node, node.convert(node.convert(masked, precision), computed), computed);
  weights = node.convert(node.convert(weights, precision), wide);
  int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    node.refuse("qk_matmul_output_mode is " + Twine(mode) + ", expected 0 to 3");
  else if (node.wants(3))
    node.set(3, node.convert(std::array{raw, capped, masked, weights}[mode], heads.element));
  return node.contract(weights, heads.v, 3, 2, {0, 1}, {0, 1});
}

static Value inOne(Node &node, const Heads &heads, double scale) {
  Mask mask = readMask(node, heads, /*inAllowed=*/false);
  SmallVector<NamedAttribute> options;
  if (scale >= 0)
    options.push_back(node.realNumber("scale", scale));
  if (mask.isLowerTriangle)
    options.push_back(node.flag("causal"));
  return node.composite("attention", {heads.q, heads.k, heads.v}, options, {{"mask", mask.allowed}, {"bias", mask.bias}});
}

Type onnximport::softmaxPrecision(Node &node, Type otherwise) {
  if (!node.hasAttribute("softmax_precision"))
    return otherwise;
  int64_t number = node.integer("softmax_precision", 0);
  Type type = elementTypeOf(number, node.i64().getContext());
  if (!isa_and_nonnull<FloatType>(type))
    node.refuse("softmax_precision is " + nameOfDataType(number) + ", expected FLOAT, FLOAT16, DOUBLE or BFLOAT16");
  return type;
}

static void attention(Node &node) {
  std::optional<Heads> heads = readHeads(node);
  if (!heads)
    return;
  // A negative scale stands for 1 / sqrt(D) of a named D.
  double scale = heads->size.isStatic() ? 1 / std::sqrt(double(heads->size.constant())) : -1;
  if (node.hasAttribute("scale") && !((scale = node.real("scale", 1)) >= 0))
    return node.refuse("scale must not be negative");
  double softcap = node.real("softcap", 0);
  if (!(softcap >= 0))
    node.refuse("softcap must not be negative");
  Type precision = softmaxPrecision(node, heads->wide);
  if (precision == heads->element)
    precision = heads->wide;
  if (node.failed())
    return;
  bool isWhole = softcap == 0 && precision == heads->wide && !node.wants(3);
  Value y = isWhole ? inOne(node, *heads, scale) : stepByStep(node, *heads, scale, softcap, precision);
  y = node.convert(y, heads->element);
  node.set(0, heads->isSplit ? joinHeads(node, y) : y);
}

// ---- RotaryEmbedding

/// Returns the cosines or sines of each position, [B, S, R / 2], with a dimension for the heads.
static Value angles(Node &node, int input, int64_t half, int64_t headDim) {
  Value cache = node.input(input);
  bool hasPlaces = node.has(3);
  if (node.failed())
    return {};
  Dims dims = dimsOf(cache);
  StringRef name = input == 1 ? "cos_cache" : "sin_cache";
  if (dims.size() != (hasPlaces ? 2 : 3) || dims.back() != Dim(half))
    return node.refuse(name + " of shape " + str(dims) + ", expected " + (hasPlaces ? "[places, " : "[batch, sequence, ") +
                       Twine(half) + "]"),
           Value();
  Value rows = hasPlaces ? node.gather(cache, node.convert(node.input(3), node.i64()), 0) : cache;
  Dims apart = dimsOfValue(rows);
  if (node.failed() || apart.size() != 3)
    return node.refuse("position_ids must be [batch, sequence]"), Value();
  apart.insert(apart.begin() + headDim, Dim(1));
  return node.convert(node.reshape(rows, apart), Node::wide(node.element(0)));
}

/// Rotates pairs of elements by angles. A pair is an element of each half, or two adjacent elements.
static Value rotate(Node &node, Value x, int64_t size, Value cosine, Value sine) {
  bool areNeighbours = node.integer("interleaved", 0);
  int64_t half = size / 2, step = areNeighbours ? 2 : 1;
  Value first = node.slice(x, 3, 0, Dim(areNeighbours ? size : half), step);
  Value second = node.slice(x, 3, areNeighbours ? 1 : half, Dim(size), step);
  auto times = [&](Value a, Value b) { return node.emit<MulOp>({a, b}); };
  Value real = node.emit<SubOp>({times(cosine, first), times(sine, second)});
  Value imaginary = node.emit<AddOp>({times(sine, first), times(cosine, second)});
  if (!areNeighbours)
    return node.concatenate({real, imaginary}, 3);
  Dims dims = dimsOfValue(real), apart = dims;
  if (node.failed())
    return {};
  apart.push_back(Dim(1));
  dims[3] = Dim(size);
  return node.reshape(node.concatenate({node.reshape(real, apart), node.reshape(imaginary, apart)}, 4), dims);
}

static void rotaryEmbedding(Node &node) {
  Value x = node.input(0);
  Dims dims = node.dims(0), shape = dims;
  if (node.failed())
    return;
  if (dims.size() == 3) {
    int64_t heads = node.integer("num_heads", 0);
    std::optional<Dim> size = heads > 0 ? dims[2].dividedBy(heads) : std::nullopt;
    if (!size)
      return node.refuse("X of shape " + str(dims) + " does not split into " + Twine(heads) + " heads (num_heads)");
    shape = {dims[0], dims[1], Dim(heads), *size};
  }
  if (shape.size() != 4)
    return node.refuse("X has " + Twine(dims.size()) + " dimensions, expected 3 or 4");
  if (!isa<FloatType>(node.element(0)) || !shape[3].isStatic())
    return node.refuse("expected floats and a number for the size " + shape[3].str() +
                       " of heads; fix the dimension with --dim");
  int64_t size = shape[3].constant(), given = node.integer("rotary_embedding_dim", 0), turned = given ? given : size;
  if (turned < 2 || turned % 2 || turned > size)
    return node.refuse("elements are rotated in pairs: " + Twine(turned) + " of " + Twine(size) +
                       " of a head, expected an even number up to that");
  int64_t headDim = dims.size() == 4 ? 1 : 2;
  Value cosine = angles(node, 1, turned / 2, headDim), sine = angles(node, 2, turned / 2, headDim);
  x = node.reshape(x, shape);
  Value part = node.convert(node.slice(x, 3, 0, Dim(turned)), Node::wide(node.element(0)));
  Value y = node.convert(rotate(node, part, turned, cosine, sine), node.element(0));
  if (turned < size)
    y = node.concatenate({y, node.slice(x, 3, turned, Dim(size))}, 3);
  if (!node.failed() && dimsOf(y) != shape)
    return node.refuse("the caches have more positions than X of shape " + str(dims));
  node.set(0, node.reshape(y, dims));
}

void onnximport::addAttention(Converters &converters) {
  converters["Attention"] = {
      attention, 3, 7,
      "is_causal,kv_num_heads,left_window_size,q_num_heads,qk_matmul_output_mode,right_window_size,scale,"
      "softcap,softmax_precision"};
  converters["RotaryEmbedding"] = {rotaryEmbedding, 3, 4, "interleaved,num_heads,rotary_embedding_dim"};
}
