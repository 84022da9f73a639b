// Graphs inside of a node that are imported where the node is: the one branch that is left, the body of a function.
#ifndef LATHE_IMPORT_ONNX_INPLACE_H
#define LATHE_IMPORT_ONNX_INPLACE_H

#include "lib/Import/ONNX/Node.h"

namespace lathe::onnximport {

/// Outputs of the node that somebody may read.
llvm::SmallVector<int> wantedOutputs(Node &node);
/// Imports what the wanted outputs need of `inside`, whose outputs are the node's; it is kept as long as the model.
void importInPlace(Node &node, Graph &inside);
/// A graph of so many bytes that is to be a copy of one inside of the node or called by it. Null, and the node refused, where
/// copies take too much memory.
onnx::GraphProto *addCopy(Node &node, size_t bytes);
/// A copy of a graph inside of the node, to be imported where the node is; it is kept as long as the model. Null if refused.
Graph *copyOf(Node &node, const onnx::GraphProto &body);

} // namespace lathe::onnximport

#endif
