// The values of a graph by name, and their conversion to values of the module.
#ifndef LATHE_IMPORT_ONNX_GRAPH_H
#define LATHE_IMPORT_ONNX_GRAPH_H

#include "lib/Import/ONNX/Model.h"
#include <deque>

namespace lathe::onnximport {

/// The meaning of a name in a graph.
struct Entry {
  mlir::Block *block = nullptr;                 // the block of its graph, where its value is created
  mlir::Value value;                            // set when it is first needed
  onnx::TensorProto *initializer = nullptr;     // its bytes are taken when they are first needed
  mlir::ElementsAttr constant;                  // of an initializer, or of an input that the user made a constant
  std::string problem;                          // why an initializer has no value; reported at its first use
  std::optional<Known> known;                   // its elements, if import evaluated them
  mlir::RankedTensorType type;                  // set unless it is refused or has a problem
  bool isState = false;                         // an initializer that becomes a variable
  bool isRefused = false;                       // the reason for a missing value has been reported
  std::optional<std::vector<Entry *>> sequence; // the elements of a sequence, which is not a value of the module
  bool isNothing = false;                       // an optional value that is absent

  bool isTensor() const { return !sequence && !isNothing; }
};

/// Returns the name of a node, or of its first output with a name.
std::string nodeName(const onnx::NodeProto &node);
/// Returns the names that a node uses: its inputs, and the outer names that graphs inside it use.
std::vector<llvm::StringRef> usedNames(const onnx::NodeProto &node);

/// A graph during its import at the end of a block. A graph inside a node sees the names of the graphs around it.
class Graph {
public:
  Graph(Model &model, onnx::GraphProto &graph, int64_t opset, mlir::Block *block);
  /// A graph inside a node of `outer`, or the body of a function, which sees no names of `outer` and has an opset of its own.
  Graph(Graph &outer, onnx::GraphProto &graph, int line, mlir::Block *block);
  Graph(Graph &outer, onnx::GraphProto &graph, int line, int64_t opset);

  /// Imports the model's graph, whose inputs become arguments. Returns the values of its outputs. Reports every refusal.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> importWhole();
  /// Imports a graph inside a node; all of its used inputs must be bound. Returns the entries of the given outputs.
  mlir::FailureOr<mlir::SmallVector<Entry *>> importInside(llvm::ArrayRef<int> outputs);
  /// Binds a name to a value, an entry of another graph, or elements.
  void bind(llvm::StringRef name, mlir::Value value);
  void bind(llvm::StringRef name, Entry *entry) { aliases[name] = entry; }
  void bind(llvm::StringRef name, Known known);

  /// Returns a new entry without a name, for the caller to fill.
  Entry &addUnnamed();
  /// Adds the step index of a loop whose body the graph is.
  void addStep(mlir::Value index) { steps.push_back(index); }
  /// Returns the step indices of all loops around the graph, outermost first.
  llvm::ArrayRef<mlir::Value> getSteps() const { return steps; }

  Entry *find(llvm::StringRef name);
  /// Returns the elements of a value if they are known, from a small initializer or by evaluation; else null.
  const Known *knownOf(Entry &entry);
  /// Returns the value of an entry and creates it if needed. Returns null and sets the reason on failure.
  mlir::Value valueOf(Entry &entry, mlir::Location location, std::string &reason);
  /// Returns the inputs on which an unknown value depends, in the order of the model. In a large graph it returns only near
  /// ones.
  std::vector<std::string> inputsBehind(llvm::StringRef name);

  /// Returns the node behind an unknown value whose operands are known: sizes from which it computes something else. Returns
  /// null if there is none.
  const onnx::NodeProto *sizeNodeBehind(llvm::StringRef name);

  const onnx::GraphProto &getProto() const { return graph; }
  Model &getModel() { return model; }
  mlir::OpBuilder &getBuilder() { return model.builder; }
  mlir::MLIRContext *getContext() { return model.builder.getContext(); }
  int64_t getOpset() const { return opset; }
  mlir::Block *getBlock() { return block; }
  /// True if `count` more elements may be evaluated and kept. Counts them.
  bool spendElements(int64_t count) { return (model.elementsLeft -= count) >= 0; }

private:
  /// Returns the graph's own entry for a name, created if it does not exist.
  Entry &define(llvm::StringRef name);
  /// Returns the location of node `index`. Nodes of an inner graph have the location of the node around it.
  mlir::Location locationOf(const onnx::NodeProto &node, int index);
  int lineOf(int index) const { return line ? line : index + 1; }
  mlir::LogicalResult refuse(const llvm::Twine &text);

  mlir::LogicalResult readInitializers();
  /// Takes the bytes of an initializer, if that has not happened.
  void takeInitializer(Entry &entry);
  mlir::LogicalResult readInputs();
  /// An input that is not an initializer.
  struct Argument {
    const onnx::ValueInfoProto &input;
    std::string field;   // its name in the header
    const Tensor *value; // the caller's value for it, else null
    bool isConstant;     // with that value, or one from the user
  };
  mlir::FailureOr<std::vector<Argument>> nameArguments();
  void takeDeclared(llvm::ArrayRef<Argument> arguments);
  mlir::FailureOr<mlir::RankedTensorType> declaredType(const onnx::ValueInfoProto &input);
  mlir::LogicalResult declareInput(const onnx::ValueInfoProto &input, const std::string &field);
  mlir::LogicalResult makeConstant(const Argument &argument);
  /// Returns the nodes that the outputs need, in dependency order.
  mlir::FailureOr<std::vector<int>> orderNodes();
  std::vector<char> neededNodes();
  mlir::LogicalResult importNodes(llvm::ArrayRef<int> order);
  mlir::LogicalResult importNode(onnx::NodeProto &node, int index);
  /// Evaluates a node's outputs if they depend on constants only.
  void workOut(const onnx::NodeProto &node);
  /// Returns why a node cannot be imported, without looking at its operands, or an empty string.
  std::string unsupported(const onnx::NodeProto &node) const;
  /// Returns why operands that are not tensors are unsupported, or an empty string.
  std::string unsupportedOperand(const onnx::NodeProto &node);

  Model &model;
  onnx::GraphProto &graph;
  Graph *outer = nullptr; // the graph whose names it sees
  int line = 0;           // of the node around it; 0 in the model's own graph
  int64_t opset;
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> steps;
  llvm::StringMap<Entry> entries;
  std::deque<Entry> unnamed;
  llvm::StringMap<Entry *> aliases;    // names for entries of other graphs
  llvm::StringMap<int> producers;      // nodes by their outputs
  std::vector<llvm::StringRef> needed; // names of the required outputs
};

} // namespace lathe::onnximport

#endif
