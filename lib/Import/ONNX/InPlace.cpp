#include "lib/Import/ONNX/InPlace.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

SmallVector<int> onnximport::wantedOutputs(Node &node) {
  SmallVector<int> outputs;
  for (int i = 0; i < node.outputs(); ++i)
    if (node.wants(i))
      outputs.push_back(i);
  return outputs;
}

void onnximport::importInPlace(Node &node, Graph &inside) {
  SmallVector<int> outputs = wantedOutputs(node);
  FailureOr<SmallVector<Entry *>> entries = inside.importInside(outputs);
  if (failed(entries))
    return node.refuseAsTold();
  for (auto [output, entry] : llvm::zip_equal(outputs, *entries))
    node.set(output, entry);
}

onnx::GraphProto *onnximport::addCopy(Node &node, size_t bytes) {
  onnx::GraphProto *copy = node.getGraph().getModel().addCopy(bytes);
  if (!copy)
    node.refuse("expanding the model's functions and unrolled loops takes more than " + Twine(kMostCopied >> 20) + " MiB");
  return copy;
}

Graph *onnximport::copyOf(Node &node, const onnx::GraphProto &body) {
  Graph &graph = node.getGraph();
  onnx::GraphProto *copy = addCopy(node, body.ByteSizeLong());
  if (!copy)
    return nullptr;
  *copy = body;
  return graph.getModel().inlined.emplace_back(std::make_unique<Graph>(graph, *copy, node.getLine(), graph.getBlock())).get();
}
