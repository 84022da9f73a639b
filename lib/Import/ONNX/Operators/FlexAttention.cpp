// Attention whose scores and probabilities the model's own graphs may change: FlexAttention of domain ai.onnx.preview.
#include "lib/Import/ONNX/Operators/Heads.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Applies the graph in an attribute to x; returns x if there is none.
static Value modified(Node &node, StringRef name, Value x) {
  if (!node.hasAttribute(name))
    return x;
  onnx::GraphProto *body = node.body(name);
  if (node.failed())
    return {};
  if (body->input_size() != 1 || body->output_size() != 1)
    return node.refuse(name + " has " + Twine(body->input_size()) + " inputs and " + Twine(body->output_size()) +
                       " outputs, expected one output"),
           Value();
  Graph &graph = node.getGraph();
  Graph &inside =
      *graph.getModel().inlined.emplace_back(std::make_unique<Graph>(graph, *body, node.getLine(), graph.getBlock()));
  inside.bind(body->input(0).name(), x);
  FailureOr<SmallVector<Entry *>> entries = inside.importInside(0);
  if (failed(entries))
    return node.refuseAsTold(), Value();
  Value result = node.valueOf(entries->front());
  if (!node.failed() && result.getType() != x.getType())
    node.refuse("the result of " + name + " has the shape " + str(dimsOf(result)) + ", expected the shape " + str(dimsOf(x)) +
                " and the element type of its input");
  return result;
}

static void flexAttention(Node &node) {
  Value q = node.input(0), k = node.input(1), v = node.input(2);
  Dims queries = node.dims(0), keys = node.dims(1), values = node.dims(2);
  Type element = node.element(0), precision = softmaxPrecision(node, Node::wide(element));
  bool fits = queries.size() == 4 && keys.size() == 4 && values.size() == 4 && queries[0] == keys[0] &&
              queries[0] == values[0] && keys[1] == values[1] && keys[2] == values[2] && queries[3] == keys[3];
  if (!node.failed() && !fits)
    node.refuse("operands of shape " + str(queries) + ", " + str(keys) + " and " + str(values) +
                ", expected [B, H, L, D], [B, G, S, D] and [B, G, S, E]");
  if (!isa_and_nonnull<FloatType>(element))
    node.refuse("expected operands of floats");
  if (node.failed())
    return;
  // Halves are computed in f32, and rounded to the precision wherever a graph may observe them.
  Type wide = Node::wide(precision);
  k = node.convert(repeatHeads(node, k, queries[1]), wide);
  v = node.convert(repeatHeads(node, v, queries[1]), wide);
  Value scale =
      node.hasAttribute("scale") ? node.constant(node.real("scale", 1), wide) : node.emit<RsqrtOp>(node.size(queries[3], wide));
  Value scores = node.emit<MulOp>({node.contract(node.convert(q, wide), k, 3, 3, {0, 1}, {0, 1}), scale});
  scores = modified(node, "score_mod", node.convert(scores, precision));
  Value weights = node.composite("softmax", node.convert(scores, wide), {node.number("dim", 3)});
  weights = modified(node, "prob_mod", node.convert(weights, precision));
  node.set(0, node.convert(node.contract(node.convert(weights, wide), v, 3, 2, {0, 1}, {0, 1}), element));
}

void onnximport::addFlexAttention(Converters &converters) {
  converters["ai.onnx.preview:FlexAttention"] = {flexAttention, 3, 3, "prob_mod,scale,score_mod,softmax_precision"};
}
