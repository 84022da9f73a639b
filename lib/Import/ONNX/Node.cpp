#include "lib/Import/ONNX/Node.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Limits.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

// ---- Results

void Node::set(int output, Value value) {
  if (value && wants(output))
    graph.bind(proto.output(output), value);
}

void Node::set(int output, Entry *entry) {
  if (wants(output))
    graph.bind(proto.output(output), entry);
}

void Node::set(int output, Known known) {
  if (!wants(output))
    return;
  if (known.rank() > kMostRank)
    return refuse("its result has " + Twine(known.rank()) + " dimensions, expected up to " + Twine(kMostRank));
  graph.bind(proto.output(output), std::move(known));
}
