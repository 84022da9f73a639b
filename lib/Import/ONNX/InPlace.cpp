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
