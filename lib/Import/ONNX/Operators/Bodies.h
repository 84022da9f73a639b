// Graphs inside of a node that become regions of an op.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_BODIES_H
#define LATHE_IMPORT_ONNX_OPERATORS_BODIES_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// A graph inside, imported apart from the op that it becomes a region of, whose results' types are not known before.
struct Body {
  Body(Node &node, onnx::GraphProto &proto)
      : location(node.getLocation()), graph(node.getGraph(), proto, node.getLine(), &block) {}

  /// A value that a step brings, called like input `input`.
  Value bring(int input, Type type) {
    Value value = block.addArgument(type, location);
    graph.bind(graph.getProto().input(input).name(), value);
    return value;
  }

  mlir::Location location;
  mlir::Block block; // goes after the graph's values
  Graph graph;
};

/// The values of what a graph inside gives; nullopt after a refusal.
std::optional<llvm::SmallVector<Value>> importBody(Node &node, Graph &graph, llvm::ArrayRef<int> outputs);
/// Moves what a block holds to the end of an op's one, which has the same arguments, and ends it.
void moveInto(mlir::Block &from, mlir::Block &to, ValueRange results);
std::string typeText(Type type);
/// A condition or a number of steps, of one element of that type, as one of rank 0.
Value scalar(Node &node, Value value, Type element);
/// What step after step takes on, before and after a step; the step calls them like its inputs from `input` on. Their types
/// may depend on the operands `deciding`.
bool carriesKeepTheirTypes(Node &node, mlir::TypeRange first, llvm::ArrayRef<Value> next, const onnx::GraphProto &body,
                           int input, llvm::ArrayRef<int> deciding = {});

void convertLoop(Node &node);
void convertScan(Node &node);

} // namespace lathe::onnximport

#endif
