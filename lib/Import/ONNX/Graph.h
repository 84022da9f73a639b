// The values of a graph by name, as they become values of the module.
#ifndef LATHE_IMPORT_ONNX_GRAPH_H
#define LATHE_IMPORT_ONNX_GRAPH_H

#include "lib/Import/ONNX/Model.h"
#include <deque>

namespace lathe::onnximport {

/// What a name of a graph stands for.
struct Entry {
  mlir::Block *block = nullptr;                 // of its graph: where its value is made
  mlir::Value value;                            // once it is needed
  onnx::TensorProto *initializer = nullptr;     // its bytes are taken once they are needed
  mlir::ElementsAttr constant;                  // those of an initializer, or of an input that the user made a constant
  std::string problem;                          // why an initializer has no value; told where it is used first
  std::optional<Known> known;                   // its elements, if import worked them out
  mlir::RankedTensorType type;                  // of all but refused ones and those with a problem
  bool isState = false;                         // an initializer that becomes a variable
  bool isRefused = false;                       // why it has no value has been told
  std::optional<std::vector<Entry *>> sequence; // what a sequence holds; it is none of the module's values
  bool isNothing = false;                       // an optional value that is not there

  bool isTensor() const { return !sequence && !isNothing; }
};

/// The name of a node, or of its first output that has one.
std::string nodeName(const onnx::NodeProto &node);
/// Names that a node takes: its inputs, and what the graphs inside of it take of those around them.
std::vector<llvm::StringRef> usedNames(const onnx::NodeProto &node);

/// One graph while it is imported at the end of a block. A graph inside of a node sees the names of those around it.
class Graph {
public:
  Graph(Model &model, onnx::GraphProto &graph, int64_t opset, mlir::Block *block);
  /// One inside of node `node` of `outer`; of a function, which sees no names of `outer`, with an opset of its own.
  Graph(Graph &outer, onnx::GraphProto &graph, int line, mlir::Block *block);
  Graph(Graph &outer, onnx::GraphProto &graph, int line, int64_t opset);

  /// The model's graph, whose inputs become arguments: the values of its outputs. Every refusal is told.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> importWhole();
  /// A graph inside of a node, of whose inputs all that are used are bound: what the given ones of its outputs stand for.
  mlir::FailureOr<mlir::SmallVector<Entry *>> importInside(llvm::ArrayRef<int> outputs);
  /// What a name stands for from now on: a value, one of another graph, or elements.
  void bind(llvm::StringRef name, mlir::Value value);
  void bind(llvm::StringRef name, Entry *entry) { aliases[name] = entry; }
  void bind(llvm::StringRef name, Known known);

  /// An entry without a name, to be filled.
  Entry &addUnnamed();
  /// The index of the step of a loop that the graph is the body of.
  void addStep(mlir::Value index) { steps.push_back(index); }
  /// Those of all loops around the graph, the outermost first.
  llvm::ArrayRef<mlir::Value> getSteps() const { return steps; }

  Entry *find(llvm::StringRef name);
  /// The elements of a value where they are known: of a small initializer, or worked out.
  const Known *knownOf(Entry &entry);
  /// The value of an entry, made where it was not needed before. Null with a reason.
  mlir::Value valueOf(Entry &entry, mlir::Location location, std::string &reason);
  /// The inputs that a value which is not known is computed of, in the order of the model; those near to it, of a large graph.
  std::vector<std::string> inputsBehind(llvm::StringRef name);

  const onnx::GraphProto &getProto() const { return graph; }
  Model &getModel() { return model; }
  mlir::OpBuilder &getBuilder() { return model.builder; }
  mlir::MLIRContext *getContext() { return model.builder.getContext(); }
  int64_t getOpset() const { return opset; }
  mlir::Block *getBlock() { return block; }
  /// Whether so many elements more may be worked out and kept.
  bool spendElements(int64_t count) { return (model.elementsLeft -= count) >= 0; }

private:
  /// The graph's own entry of a name, made if it is not there.
  Entry &define(llvm::StringRef name);
  /// Of node `index`; one of a graph inside is where the node around it is.
  mlir::Location locationOf(const onnx::NodeProto &node, int index);
  int lineOf(int index) const { return line ? line : index + 1; }
  mlir::LogicalResult refuse(const llvm::Twine &text);

  mlir::LogicalResult readInitializers();
  /// Takes the bytes of an initializer, if they have not been taken.
  void takeInitializer(Entry &entry);
  mlir::LogicalResult readInputs();
  /// An input that is no initializer.
  struct Argument {
    const onnx::ValueInfoProto &input;
    std::string field;   // its name in the header
    const Tensor *value; // that the caller has for it, else null
    bool isConstant;     // with that value, or one of the user's
  };
  mlir::FailureOr<std::vector<Argument>> nameArguments();
  void takeDeclared(llvm::ArrayRef<Argument> arguments);
  mlir::FailureOr<mlir::RankedTensorType> declaredType(const onnx::ValueInfoProto &input);
  mlir::LogicalResult declareInput(const onnx::ValueInfoProto &input, const std::string &field);
  mlir::LogicalResult makeConstant(const Argument &argument);
  /// Nodes that the outputs need, each after those that it needs itself.
  mlir::FailureOr<std::vector<int>> orderNodes();
  std::vector<char> neededNodes();
  mlir::LogicalResult importNodes(llvm::ArrayRef<int> order);
  mlir::LogicalResult importNode(onnx::NodeProto &node, int index);
  /// Works out the elements of a node's outputs that constants alone decide.
  void workOut(const onnx::NodeProto &node);
  /// Why a node cannot be imported before its operands are looked at; empty if it can.
  std::string unsupported(const onnx::NodeProto &node) const;
  /// The same of operands that are no tensors.
  std::string unsupportedOperand(const onnx::NodeProto &node);

  Model &model;
  onnx::GraphProto &graph;
  Graph *outer = nullptr; // whose names it sees
  int line = 0;           // of the node around it; 0 of the model's own graph
  int64_t opset;
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> steps;
  llvm::StringMap<Entry> entries;
  std::deque<Entry> unnamed;
  llvm::StringMap<Entry *> aliases;    // names for entries of other graphs
  llvm::StringMap<int> producers;      // nodes by their outputs
  std::vector<llvm::StringRef> needed; // names of the outputs that are asked for
};

} // namespace lathe::onnximport

#endif
