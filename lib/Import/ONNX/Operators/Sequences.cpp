// Parts of sequence models: orders of steps, states across calls, gates.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Reverses the first `length` steps of each row.
static void reverseSequence(Node &node) {
  Value x = node.input(0), lengths = node.input(1);
  int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  Dims dims = node.dims(0);
  if (dims.size() < 2 || std::min(batch, time) != 0 || std::max(batch, time) != 1)
    node.refuse("expected at least 2 dimensions, with batch_axis and time_axis the first two of them");
  else if (node.dims(1) != Dims{dims[batch]})
    node.refuse("sequence_lens of shape " + str(node.dims(1)) + ", expected [" + dims[batch].str() + "]: one per row");
  if (node.failed())
    return;
  Integers order = range(0, dims.size());
  std::swap(order[0], order[batch]);
  Dims steps{dims[batch], dims[time]};
  Value length = node.broadcast(node.convert(lengths, node.i64()), {0}, steps);
  Value step = node.iota(1, steps, node.i64());
  Value mirrored = node.emit<SubOp>({node.emit<SubOp>({length, node.constantInt(1, node.i64())}), step});
  Value from = node.emit<SelectOp>({node.compare(CompareKind::LT, step, length), mirrored, step});
  node.set(0, node.transpose(node.gather(node.transpose(x, order), from, 1, 1), order));
}

/// Writes new steps into a cache, at a position for each row of the batch.
static void tensorScatter(Node &node) {
  Value cache = node.input(0), update = node.input(1);
  Dims dims = node.dims(0), shape = node.dims(1);
  std::string mode = node.text("mode", "linear");
  int64_t axis = node.axis(node.integer("axis", -2), dims.size());
  if (node.failed())
    return;
  if (axis == 0)
    return node.refuse("axis must not be 0, the batch axis");
  if (mode != "linear" && mode != "circular")
    return node.refuse("mode is '" + mode + "', expected linear or circular");
  Dims others = shape;
  if (others.size() == dims.size())
    others[axis] = dims[axis];
  if (others != dims || signOf(dims[axis] - shape[axis]) == -1)
    return node.refuse("an update of shape " + str(shape) + " for a cache of shape " + str(dims) +
                       ": the update may only be shorter along axis " + Twine(axis));
  Dims places(ArrayRef(shape).take_front(axis + 1));
  Value place = node.iota(axis, places, node.i64());
  if (node.has(2)) {
    if (node.dims(2) != Dims{dims[0]})
      return node.refuse("write_indices of shape " + str(node.dims(2)) + ", expected [" + dims[0].str() + "]: one per row");
    place = node.emit<AddOp>({place, node.broadcast(node.convert(node.input(2), node.i64()), {0}, places)});
  }
  if (mode == "circular")
    place = node.emit<FloorModOp>({place, node.size(dims[axis], node.i64())});
  std::optional<Dim> rows = numElements(ArrayRef(dims).take_front(axis));
  if (!rows)
    return node.refuse("its size overflows 63 bits");
  auto flat = [&](Value value, ArrayRef<Dim> inner) {
    Dims joined{*rows};
    joined.append(inner.begin(), inner.end());
    return node.reshape(value, joined);
  };
  Value result = node.scatter(ScatterKind::Set, flat(cache, ArrayRef(dims).drop_front(axis)), flat(place, shape[axis]),
                              flat(update, ArrayRef(shape).drop_front(axis)), 1, 1);
  node.set(0, node.reshape(result, dims));
}

/// Returns the last `count` elements of a dimension, which may be named.
static Value lastOf(Node &node, Value x, int64_t dim, int64_t count) {
  Value reversed = node.reverse(x, dim);
  return node.reverse(node.slice(reversed, dim, 0, Dim(count)), dim);
}

/// Convolves [B, C, L] with a filter [C, 1, k] for each channel, over this and the k - 1 previous steps; those before the first
/// are the state's, or 0.
static void causalConvolution(Node &node) {
  Value x = node.input(0), filter = node.input(1);
  Dims dims = node.dims(0), weights = node.dims(1);
  std::string activation = node.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    node.refuse("activation is '" + activation + "', expected 'none', 'silu' or 'swish'");
  if (!isa_and_nonnull<FloatType>(node.element(0)) || dims.size() != 3 || weights.size() != 3 || !weights[2].isStatic() ||
      !dims[1].isStatic() || weights[0] != dims[1] || weights[1] != Dim(1))
    node.refuse("an operand of shape " + str(dims) + " and weights of shape " + str(weights) +
                ", expected floats [N, C, L] and [C, 1, k] with numbers for C and k");
  if (node.failed())
    return;
  Type element = node.element(0), wide = Node::wide(element);
  int64_t before = weights[2].constant() - 1;
  Dims state{dims[0], dims[1], Dim(before)};
  if (node.has(3) && node.dims(3) != state)
    return node.refuse("past_state of shape " + str(node.dims(3)) + ", expected " + str(state));
  if (before == 0)
    node.set(1, node.slice(x, 2, 0, Dim(0)));
  if (before > 0) {
    Value past = node.has(3) ? node.input(3) : node.broadcast(node.constant(0, element), {}, state);
    x = node.concatenate({past, x}, 2);
    node.set(1, lastOf(node, x, 2, before));
  }
  Value images = node.transpose(node.convert(x, wide), {0, 2, 1});
  Value y =
      node.emit<ConvOp>({images, node.transpose(node.convert(filter, wide), {2, 1, 0})},
                        {node.list("strides", 1), node.list("pad_low", 0), node.list("pad_high", 0), node.list("dilation", 1),
                         node.list("input_dilation", 1), node.number("groups", dims[1].constant())});
  if (node.has(2)) {
    if (node.dims(2) != Dims{dims[1]})
      return node.refuse("the bias has the shape " + str(node.dims(2)) + ", expected [" + dims[1].str() + "]: one per channel");
    y = node.emit<AddOp>({y, node.convert(node.input(2), wide)});
  }
  if (activation != "none")
    y = node.emit<MulOp>({y, node.emit<LogisticOp>(y)});
  node.set(0, node.convert(node.transpose(y, {0, 2, 1}), element));
}

/// Emits a * logistic(alpha * a) * b.
static void swiGlu(Node &node) {
  Value gate = node.input(0), value = node.input(1);
  if (!node.failed() && (node.dims(0) != node.dims(1) || !isa<FloatType>(node.element(0))))
    node.refuse("operands of shape " + str(node.dims(0)) + " and " + str(node.dims(1)) + ", expected floats of one shape");
  if (node.failed())
    return;
  Type wide = Node::wide(node.element(0));
  gate = node.convert(gate, wide);
  double alpha = node.real("alpha", 1);
  Value scaled = alpha == 1 ? gate : node.emit<MulOp>({gate, node.constant(alpha, wide)});
  Value swish = node.emit<MulOp>({gate, node.emit<LogisticOp>(scaled)});
  node.set(0, node.convert(node.emit<MulOp>({swish, node.convert(value, wide)}), node.element(0)));
}

void onnximport::addSequences(Converters &converters) {
  converters["ReverseSequence"] = {reverseSequence, 2, 2, "batch_axis,time_axis"};
  converters["TensorScatter"] = {tensorScatter, 2, 3, "axis,mode"};
  converters["CausalConvWithState"] = {causalConvolution, 2, 4, "activation"};
  converters["SwiGLU"] = {swiGlu, 2, 2, "alpha"};
}
