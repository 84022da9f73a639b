// LinearAttention: a state of sums of keys times values, computed for all steps at once. With G_t the sum of the logarithmic
// decays up to step t, S_t = exp(G_t) S_0 + sum over s <= t of exp(G_t - G_s) k_s u_s^T. With the delta rules u_t depends on
// earlier ones, u_t = beta_t (v_t - k_t^T (exp(G_t) S_0 + sum over s < t of exp(G_t - G_s) k_s u_s^T)): a triangular system
// (Yang et al. 2024).
#include "lib/Import/ONNX/Operators/Heads.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
enum Operand { Query, Key, Values, PastState, Decay, Beta };

/// The operands. In `wide`: q [B, Hq, T, D], k [B, H, T, D], v [B, H, T, E], beta [B, H or 1, T, 1], the state [B, H, D, E]. In
/// f64: the sums of the decays, [B, H, T, D] or [B, H, T, 1], since small differences of large ones are needed. Missing
/// operands are null.
struct Operands {
  Value q, k, v, state, decay, beta;
  Dim heads, steps;
  Type wide;
};
} // namespace

/// Reshapes [B, H, T, x] to [B, H, T, 1, x] or [B, H, 1, T, x].
static Value spread(Node &node, Value x, int64_t dim) {
  Dims dims = dimsOfValue(x);
  if (!node.failed())
    dims.insert(dims.begin() + dim, Dim(1));
  return node.reshape(x, dims);
}

static Value flip(Node &node, Value x) { return node.transpose(x, {0, 1, 3, 2}); }

/// Returns e to the power of a difference of summed decays.
static Value fading(Node &node, const Operands &operands, Value exponent) {
  return node.emit<ExpOp>(node.convert(exponent, operands.wide));
}

/// Returns the products of rows t with keys s, decayed from s to t, [B, H, T, T]; 0 where s is after t.
static Value decayedProducts(Node &node, const Operands &operands, Value rows, Value keys, Value decay) {
  Dims grid{operands.steps, operands.steps};
  Value isPast = node.compare(CompareKind::GE, node.iota(0, grid, node.i64()), node.iota(1, grid, node.i64()));
  Value zero = node.constant(0, operands.wide), never = node.constant(-INFINITY, Float64Type::get(operands.wide.getContext()));
  if (!decay)
    return node.emit<SelectOp>({isPast, node.contract(rows, keys, 3, 3, {0, 1}, {0, 1}), zero});
  auto factor = [&](Value condition, Value later, Value earlier) { // growing factors for s after t are never computed
    return fading(node, operands, node.emit<SelectOp>({condition, node.emit<SubOp>({later, earlier}), never}));
  };
  if (dimsOfValue(decay).back() == Dim(1))
    return node.emit<MulOp>({node.emit<SelectOp>({isPast, node.contract(rows, keys, 3, 3, {0, 1}, {0, 1}), zero}),
                             factor(isPast, decay, flip(node, decay))});
  Value factors =
      factor(node.reshape(isPast, {operands.steps, operands.steps, Dim(1)}), spread(node, decay, 3), spread(node, decay, 2));
  Value products = node.emit<MulOp>({node.emit<MulOp>({spread(node, rows, 3), spread(node, keys, 2)}), factors});
  return node.reduce(ReduceKind::Sum, products, 4, /*keep=*/false);
}

/// Returns the product of rows with the initial state.
static Value readState(Node &node, const Operands &operands, Value rows, Value state, Value decay) {
  Value left = decay ? node.emit<MulOp>({rows, fading(node, operands, decay)}) : rows;
  return node.contract(left, state, 3, 2, {0, 1}, {0, 1});
}

/// Returns the value that each step adds to the state at its key.
static Value updates(Node &node, const Operands &operands) {
  if (!operands.beta)
    return operands.v;
  Value right = operands.v;
  if (operands.state)
    right = node.emit<SubOp>({right, readState(node, operands, operands.k, operands.state, operands.decay)});
  // Only elements below the diagonal; a diagonal of ones is not read.
  Value left = node.emit<MulOp>({decayedProducts(node, operands, operands.k, operands.k, operands.decay), operands.beta});
  return node.emit<TriangularSolveOp>({left, node.emit<MulOp>({right, operands.beta})}, node.flag("unit"));
}

static Value lastState(Node &node, const Operands &operands, Value update) {
  Value keys = operands.k, state = operands.state;
  if (Value decay = operands.decay) {
    Value end = node.reverse(node.slice(node.reverse(decay, 2), 2, 0, Dim(1)), 2);
    keys = node.emit<MulOp>({keys, fading(node, operands, node.emit<SubOp>({end, decay}))});
    if (state)
      state = node.emit<MulOp>({state, fading(node, operands, flip(node, end))});
  }
  Value sum = node.contract(keys, update, 2, 2, {0, 1}, {0, 1});
  return state ? node.emit<AddOp>({state, sum}) : sum;
}

/// Checks that the node has the operands of its rule, and no others.
static void checkRule(Node &node) {
  std::string rule = node.text("update_rule", "gated_delta");
  bool decays = rule == "gated" || rule == "gated_delta", corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear")
    node.refuse("update_rule is '" + rule + "', expected linear, gated, delta or gated_delta");
  if (node.has(Decay) != decays || node.has(Beta) != corrects)
    node.refuse("update_rule '" + rule + "' takes " + (decays ? "decay" : "no decay") + " and " +
                (corrects ? "beta" : "no beta"));
  for (int operand : {int(Query), int(Key), int(Values), int(Decay), int(Beta)})
    if (node.has(operand) && (node.rank(operand) != 3 || !isa_and_nonnull<FloatType>(node.element(operand))))
      node.refuse("operand " + Twine(operand) + " must be of floats, [batch, steps, heads * size]");
}

/// Splits [B, T, heads] or [B, T, heads * size] by heads: [B, heads, T, ...].
static Value perHead(Node &node, const Operands &operands, Operand operand, int64_t heads, StringRef name) {
  Value x = node.convert(node.input(operand), operands.wide);
  return splitHeads(node, x, heads, name, "kv_num_heads");
}

/// Returns the summed decays. A decay to 0 in one step counts as -10000, so that later ones remain distinct.
static Value decaySums(Node &node, Value decay) {
  Type type = Float64Type::get(node.i64().getContext());
  decay = node.emit<MaxOp>({node.convert(decay, type), node.constant(-10000, type)});
  return node.cumulative(CumulativeKind::Sum, decay, 2);
}

static Operands readOperands(Node &node) {
  Operands operands;
  checkRule(node);
  Value query = node.input(Query);
  int64_t heads = node.integer("kv_num_heads", 0);
  if (node.failed())
    return operands;
  operands.wide = Node::wide(elementOfValue(query));
  operands.q = splitHeads(node, node.convert(query, operands.wide), node.integer("q_num_heads", 0), "query", "q_num_heads");
  operands.k = perHead(node, operands, Key, heads, "key");
  operands.v = perHead(node, operands, Values, heads, "value");
  if (node.failed())
    return operands;
  Dims q = dimsOf(operands.q), k = dimsOf(operands.k), v = dimsOf(operands.v);
  operands.heads = q[1], operands.steps = q[2];
  if (q[0] != k[0] || q[2] != k[2] || q[3] != k[3] || Dims(ArrayRef(k).take_front(3)) != Dims(ArrayRef(v).take_front(3)))
    node.refuse("query, key and value of shapes " + str(q) + ", " + str(k) + " and " + str(v) +
                " as [batch, heads, steps, size] do not fit");
  Dims state{k[0], k[1], k[3], v[3]};
  if (node.has(PastState) && node.dims(PastState) != state)
    node.refuse("past_state of shape " + str(node.dims(PastState)) + ", expected " + str(state));
  if (node.has(PastState))
    operands.state = node.convert(node.input(PastState), operands.wide);
  auto fits = [&](Operand operand, StringRef name, const Dim &one, const Dim &other) {
    Dims dims = node.dims(operand);
    if (dims[0] != k[0] || dims[1] != k[2] || (dims[2] != one && dims[2] != other))
      node.refuse(name + " of shape " + str(dims) + ", expected [" + k[0].str() + ", " + k[2].str() + ", " + one.str() +
                  " or " + other.str() + "]");
  };
  if (node.has(Decay)) {
    fits(Decay, "decay", k[1], k[1] * k[3]);
    operands.decay = decaySums(node, perHead(node, operands, Decay, heads, "decay"));
  }
  if (node.has(Beta)) {
    fits(Beta, "beta", Dim(1), k[1]);
    operands.beta = perHead(node, operands, Beta, node.failed() || node.dims(Beta)[2] == Dim(1) ? 1 : heads, "beta");
  }
  return operands;
}

static void linearAttention(Node &node) {
  Operands operands = readOperands(node);
  if (node.failed())
    return;
  const Dim size = dimsOf(operands.q)[3];
  double scale = node.real("scale", 0);
  if (scale == 0 && !size.isStatic())
    return node.refuse("scale needs a number for the size " + size.str() + " of heads; fix the dimension with --dim");
  if (scale == 0)
    scale = 1 / std::sqrt(double(size.constant()));
  Value update = updates(node, operands);
  auto repeat = [&](Value x) { return x ? repeatHeads(node, x, operands.heads) : x; };
  Value decay = repeat(operands.decay);
  Value products = decayedProducts(node, operands, operands.q, repeat(operands.k), decay);
  Value y = node.contract(products, repeat(update), 3, 2, {0, 1}, {0, 1});
  if (operands.state)
    y = node.emit<AddOp>({y, readState(node, operands, operands.q, repeat(operands.state), decay)});
  y = node.emit<MulOp>({y, node.constant(scale, operands.wide)});
  node.set(0, node.convert(joinHeads(node, y), node.element(Query)));
  if (node.wants(1))
    node.set(1, node.convert(lastState(node, operands, update), node.element(node.has(PastState) ? PastState : Query)));
}

void onnximport::addLinearAttention(Converters &converters) {
  converters["LinearAttention"] = {linearAttention, 3, 6, "chunk_size,kv_num_heads,q_num_heads,scale,update_rule"};
}
