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

Graph &onnximport::copyOf(Node &node, const onnx::GraphProto &body) {
  Graph &graph = node.getGraph();
  Model &model = graph.getModel();
  onnx::GraphProto &copy = *model.bodies.emplace_back(std::make_unique<onnx::GraphProto>(body));
  return *model.inlined.emplace_back(std::make_unique<Graph>(graph, copy, node.getLine(), graph.getBlock()));
}
