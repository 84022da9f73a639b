// Losses of classes: scores [N, C, ...] against targets [N, ...].
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Reduces a tensor of losses or weights as `reduction` says, in `wide`.
static Value reduced(Node &node, Value losses, Value weights) {
  std::string reduction = node.text("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    node.refuse("reduction is '" + reduction + "', expected 'none', 'sum' or 'mean'");
  if (node.failed() || reduction == "none")
    return losses;
  Integers dims = range(0, rankOf(losses));
  if (reduction == "mean" && !weights)
    return node.composite("mean", losses, node.list("dims", dims));
  Value sum = node.reduce(ReduceKind::Sum, losses, dims, /*keep=*/false);
  return reduction == "sum" ? sum : node.emit<DivOp>({sum, node.reduce(ReduceKind::Sum, weights, dims, /*keep=*/false)});
}

/// Checks that targets are classes for the input's positions, and that the weights, which may be null, are those of its
/// classes.
static bool checkShapes(Node &node, Value input, Value target, Value weights) {
  if (node.failed())
    return false;
  Dims dims = dimsOf(input), places = dims;
  if (dims.size() < 2) {
    node.refuse("the input has the shape " + str(dims) + ", expected [N, C, ...]");
    return false;
  }
  Dim classes = dims[1];
  places.erase(places.begin() + 1);
  if (dimsOf(target) != places)
    node.refuse("the target has the shape " + str(dimsOf(target)) + ", expected " + str(places) + " for an input of shape " +
                str(dims));
  if (Type element = elementOfValue(target); !element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    node.refuse("expected a target of i32 or i64");
  if (weights && dimsOf(weights) != Dims{classes})
    node.refuse("the weights have the shape " + str(dimsOf(weights)) + ", expected [" + classes.str() + "]");
  return !node.failed();
}

/// Returns the loss of logarithms of probabilities.
static Value likelihood(Node &node, Value logarithms, Value target, Value classWeights) {
  Type wide = elementOfValue(logarithms);
  int64_t rank = rankOf(logarithms);
  Integers order = range(0, rank); // the classes last
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  Value losses = node.emit<NegOp>(node.gather(node.transpose(logarithms, order), target, rank - 1, rank - 1)), weights;
  if (classWeights) {
    weights = node.gather(node.convert(classWeights, wide), target, 0);
    losses = node.emit<MulOp>({losses, weights});
  }
  if (node.hasAttribute("ignore_index")) { // an ignored target has no loss, whatever its logarithm, and no weight
    Value ignored = node.constantInt(node.integer("ignore_index", 0), node.i64()), none = node.constant(0, wide);
    Value isIgnored = node.compare(CompareKind::EQ, node.convert(target, node.i64()), ignored);
    losses = node.emit<SelectOp>({isIgnored, none, losses});
    Value counted = weights ? weights : node.constant(1, wide);
    weights = node.emit<SelectOp>({isIgnored, none, counted});
  }
  return reduced(node, losses, weights);
}

static void loss(Node &node) {
  bool isSoftmax = node.op() == "SoftmaxCrossEntropyLoss";
  Type element = node.element(0);
  Value input = node.input(0), target = node.input(1), weights = node.has(2) ? node.input(2) : Value();
  if (!checkShapes(node, input, target, weights))
    return;
  Value logarithms = node.convert(input, Node::wide(element));
  if (isSoftmax)
    logarithms = node.composite("log_softmax", logarithms, node.number("dim", 1));
  node.set(0, node.convert(likelihood(node, logarithms, target, weights), element));
  if (isSoftmax)
    node.set(1, node.convert(logarithms, element));
}

void onnximport::addLosses(Converters &converters) {
  converters["NegativeLogLikelihoodLoss"] = {loss, 2, 3, "ignore_index,reduction"};
  converters["SoftmaxCrossEntropyLoss"] = {loss, 2, 3, "ignore_index,reduction"};
}
