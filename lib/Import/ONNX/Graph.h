// The values of a model's graph by name, as they become values of the module.
#ifndef LATHE_IMPORT_ONNX_GRAPH_H
#define LATHE_IMPORT_ONNX_GRAPH_H

#include "lib/Import/ONNX/Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace lathe {
struct ConstInputs;
} // namespace lathe

namespace lathe::onnximport {

/// What a name of the model stands for.
struct Entry {
  mlir::Value value;                        // once it is needed
  onnx::TensorProto *initializer = nullptr; // its bytes are taken once they are needed
  mlir::ElementsAttr constant;              // those of an initializer, or of an input that the user made a constant
  std::string problem;                      // why an initializer has no value; told where it is used first
  std::optional<Known> known;               // its elements, if import worked them out
  mlir::RankedTensorType type;              // of all but refused ones and those with a problem
  bool isRefused = false;                   // why it has no value has been told
};

/// The name of a node, or of its first output.
std::string nodeName(const onnx::NodeProto &node);

/// One graph while it is imported into a function.
class Graph {
public:
  Graph(onnx::ModelProto &model, std::string folder, std::string file, mlir::MLIRContext *context,
        const std::map<std::string, int64_t> &sizes, ConstInputs *constants);

  /// Imports all that the outputs need. Every refusal is told.
  mlir::OwningOpRef<mlir::ModuleOp> import();

  Entry *find(llvm::StringRef name);
  Entry &define(llvm::StringRef name) { return entries[name]; }
  /// The elements of a value where they are known: of a small initializer, or worked out.
  const Known *knownOf(Entry &entry);
  /// The value of an entry, made where it was not needed before. Null with a reason.
  mlir::Value valueOf(Entry &entry, mlir::Location location, std::string &reason);
  /// The inputs that a value which is not known is computed of, in the order of the model; those near to it, of a large graph.
  std::vector<std::string> inputsBehind(llvm::StringRef name);
  /// Notes that import cannot go on without the values of some inputs.
  void want(llvm::ArrayRef<std::string> inputs) { wanted.insert(inputs.begin(), inputs.end()); }
  /// Wanted inputs, named as in the header.
  const std::set<std::string> &getWanted() const { return wanted; }
  /// A rank 0 i64 of the size that a dimension has.
  mlir::Value sizeOf(const Dim &dim, mlir::Location location);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::MLIRContext *getContext() { return builder.getContext(); }
  int64_t getOpset() const { return opset; }
  ExternalFiles &getFiles() { return files; }
  /// Whether so many elements more may be worked out and kept.
  bool spendElements(int64_t count) { return (elementsLeft -= count) >= 0; }

private:
  mlir::Location fileLocation(int line = 0);
  mlir::Location locationOf(const onnx::NodeProto &node, int index);
  mlir::LogicalResult refuse(const llvm::Twine &text);

  mlir::LogicalResult readOpsets();
  mlir::LogicalResult readInitializers();
  /// Takes the bytes of an initializer, if they have not been taken.
  void takeInitializer(Entry &entry);
  mlir::LogicalResult readInputs();
  /// An input that is no initializer.
  struct Argument {
    const onnx::ValueInfoProto &input;
    std::string field; // its name in the header
    bool isConstant;
  };
  mlir::FailureOr<std::vector<Argument>> nameArguments();
  /// Whether the model has all the dimensions that were given a size.
  mlir::LogicalResult checkSizes();
  mlir::FailureOr<mlir::RankedTensorType> declaredType(const onnx::ValueInfoProto &input);
  mlir::LogicalResult declareInput(const onnx::ValueInfoProto &input, const std::string &field);
  mlir::LogicalResult makeConstant(const onnx::ValueInfoProto &input, const std::string &field);
  mlir::LogicalResult readOutputs();
  /// Nodes that the outputs need, each after those that it needs itself.
  mlir::FailureOr<std::vector<int>> orderNodes();
  std::vector<char> neededNodes();
  mlir::LogicalResult importNode(const onnx::NodeProto &node, int index);

  Dim dimensionOf(const onnx::TensorShapeProto::Dimension &dimension, llvm::StringRef input, int index);
  std::string fieldName(llvm::StringRef name, llvm::StringRef suffix);
  mlir::Value makeKnown(const Known &known, mlir::Location location);

  onnx::ModelProto &model;
  onnx::GraphProto &graph;
  ExternalFiles files;
  std::string file;
  mlir::OpBuilder builder;
  std::map<std::string, int64_t> sizes, used; // of dimensions: what was given, and what of it the model has
  ConstInputs *constants;                     // may be null
  std::set<std::string> wanted;
  int64_t opset = 0, weights = 0, elementsLeft = int64_t(1) << 20;
  llvm::StringMap<Entry> entries;
  llvm::StringMap<int> producers;                     // nodes by their outputs
  llvm::StringMap<std::string> dimNames, ownDimNames; // identifiers of names of dimensions: the model's, and made up here
  llvm::StringSet<> fields;                           // names that the generated header's struct will have
  llvm::StringMap<unsigned> fieldClashes;             // how often a name was wanted again
  std::map<std::string, std::pair<mlir::BlockArgument, int64_t>> dimSources;
  mlir::func::FuncOp function;
  mlir::SmallVector<mlir::Value> outputs;
};

} // namespace lathe::onnximport

#endif
