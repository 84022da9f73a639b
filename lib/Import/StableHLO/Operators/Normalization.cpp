// Batch normalisation: each channel by its mean and variance over all other dimensions.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// Arithmetic on an operand and on values of its channels.
struct Channels {
  explicit Channels(HloNode &node) : node(node), dims(node.dims(0)), channel(node.integer("feature_index")) {
    if (channel < 0 || channel >= int64_t(dims.size()))
      node.refuse("feature_index is " + Twine(channel) + ", out of range for an operand of rank " + Twine(dims.size()));
    for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
      if (dim != channel) {
        others.push_back(dim);
        count = count * dims[dim];
      }
  }

  Value spread(Value value) { return node.broadcast(value, channel, dims); }
  Value mean(Value value) {
    Value sum = node.reduce(ReduceKind::Sum, value, others, /*keep=*/false);
    return node.emit<DivOp>({sum, node.size(count, elementOfValue(value))});
  }
  /// Returns 1 / sqrt(variance + epsilon).
  Value scaleOf(Value variance) {
    auto epsilon = node.op->getAttrOfType<FloatAttr>("epsilon");
    Type element = elementOfValue(variance);
    return node.emit<RsqrtOp>(node.emit<AddOp>({variance, node.constant(epsilon ? epsilon.getValueAsDouble() : 0, element)}));
  }
  Value sub(Value lhs, Value rhs) { return node.emit<SubOp>({lhs, rhs}); }
  Value mul(Value lhs, Value rhs) { return node.emit<MulOp>({lhs, rhs}); }

  HloNode &node;
  Dims dims;
  int64_t channel;
  Integers others;
  Dim count = Dim(1);
};
} // namespace

/// Returns (x - mean) / sqrt(variance + epsilon) * scale + offset.
static Value normalize(Channels &channels, Value x, Value mean, Value variance, Value scale, Value offset) {
  Value centred = channels.sub(x, channels.spread(mean));
  Value normal = channels.mul(centred, channels.spread(channels.scaleOf(variance)));
  return channels.node.emit<AddOp>({channels.mul(normal, channels.spread(scale)), channels.spread(offset)});
}

static void inference(HloNode &node) {
  Channels channels(node);
  if (!node.failed())
    node.set(0, normalize(channels, node.operand(0), node.operand(3), node.operand(4), node.operand(1), node.operand(2)));
}

static void training(HloNode &node) {
  Channels channels(node);
  if (node.failed())
    return;
  Value x = node.operand(0), mean = channels.mean(x), centred = channels.sub(x, channels.spread(mean));
  Value variance = channels.mean(channels.mul(centred, centred));
  node.set(ValueRange{normalize(channels, x, mean, variance, node.operand(1), node.operand(2)), mean, variance});
}

/// Converts the gradient of the training form: with x' the normalised operand, and means over all but the channels, that by the
/// operand is (dy - mean(dy) - x' mean(dy x')) * scale / sqrt(variance + epsilon).
static void gradient(HloNode &node) {
  Channels channels(node);
  if (node.failed())
    return;
  Value x = node.operand(0), scale = node.operand(1), mean = node.operand(2), dy = node.operand(4);
  Value factor = channels.scaleOf(node.operand(3));
  Value normal = channels.mul(channels.sub(x, channels.spread(mean)), channels.spread(factor));
  Value byScale = channels.mul(dy, normal);
  Value inner = channels.sub(channels.sub(dy, channels.spread(channels.mean(dy))),
                             channels.mul(normal, channels.spread(channels.mean(byScale))));
  node.set(ValueRange{channels.mul(inner, channels.spread(channels.mul(scale, factor))),
                      node.reduce(ReduceKind::Sum, byScale, channels.others, /*keep=*/false),
                      node.reduce(ReduceKind::Sum, dy, channels.others, /*keep=*/false)});
}

void hloimport::addNormalizations(Converters &converters) {
  converters["stablehlo.batch_norm_inference"] = inference;
  converters["stablehlo.batch_norm_training"] = training;
  converters["stablehlo.batch_norm_grad"] = gradient;
}
