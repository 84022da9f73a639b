// Graphs inside a node that become regions of an op.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_BODIES_H
#define LATHE_IMPORT_ONNX_OPERATORS_BODIES_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// An inner graph, imported before the op whose region it becomes, since it determines the types of the op's results.
struct Body {
  Body(Node &node, onnx::GraphProto &proto)
      : location(node.getLocation()), graph(node.getGraph(), proto, node.getLine(), &block) {}

  /// Adds a block argument, bound to input `input` of the graph.
  Value bring(int input, Type type) {
    Value value = block.addArgument(type, location);
    graph.bind(graph.getProto().input(input).name(), value);
    return value;
  }

  mlir::Location location;
  mlir::Block block; // declared first, so that it outlives the graph
  Graph graph;
};

/// Imports a graph and returns the values of its outputs; nullopt after a refusal.
std::optional<llvm::SmallVector<Value>> importBody(Node &node, Graph &graph, llvm::ArrayRef<int> outputs);
/// Returns a condition or a number of steps, which has one element of that type, as rank 0.
Value scalar(Node &node, Value value, Type element);
/// Checks that carries have the same types before and after a step. Their names are those of the body's inputs from `input` on.
/// The types may depend on the operands `deciding`.
bool carriesKeepTheirTypes(Node &node, mlir::TypeRange first, llvm::ArrayRef<Value> next, const onnx::GraphProto &body,
                           int input, llvm::ArrayRef<int> deciding = {});

void convertLoop(Node &node);
void convertScan(Node &node);

} // namespace lathe::onnximport

#endif
