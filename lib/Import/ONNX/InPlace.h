// Imports graphs inside a node in place of the node: the only branch that is left, or the body of a function.
#ifndef LATHE_IMPORT_ONNX_INPLACE_H
#define LATHE_IMPORT_ONNX_INPLACE_H

#include "lib/Import/ONNX/Node.h"

namespace lathe::onnximport {

/// Returns the outputs of the node that may be used.
llvm::SmallVector<int> wantedOutputs(Node &node);
/// Imports the parts of `inside` that the used outputs need; its outputs are the node's. It is kept as long as the model.
void importInPlace(Node &node, Graph &inside);
/// Returns an empty graph for a copy of `bytes` bytes of a graph inside the node or called by it. Returns null and refuses the
/// node if copies take too much memory.
onnx::GraphProto *addCopy(Node &node, size_t bytes);
/// Returns a copy of a graph inside the node, to be imported in place of the node. It is kept as long as the model. Null if
/// refused.
Graph *copyOf(Node &node, const onnx::GraphProto &body);

} // namespace lathe::onnximport

#endif
