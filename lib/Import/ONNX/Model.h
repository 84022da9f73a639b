// What all graphs of one model share while it is imported: its own graph, those inside of its nodes, and its functions.
#ifndef LATHE_IMPORT_ONNX_MODEL_H
#define LATHE_IMPORT_ONNX_MODEL_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Import/ONNX/Limits.h"
#include "lib/Import/ONNX/SharedNames.h"
#include "lib/Import/ONNX/Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"
#include <map>
#include <memory>
#include <set>

namespace lathe {
struct ConstInputs;
struct OnnxOptions;
} // namespace lathe

namespace lathe::onnximport {

class Graph;

struct Model {
  /// Of the initializers that `options` makes variables those in `fixed` stay constants.
  Model(onnx::ModelProto &proto, std::string folder, std::string file, mlir::MLIRContext *context, const OnnxOptions &options,
        const std::set<std::string> &fixed, SharedNames &shared);
  ~Model();
  Model(const Model &) = delete;

  /// The module of one function. Null after errors: every refusal is told.
  mlir::OwningOpRef<mlir::ModuleOp> import();

  mlir::LogicalResult refuse(const llvm::Twine &text);
  mlir::Location location(int line = 0);
  /// A name that the header can have: of an identifier, no word of C, and nobody else's: x, x_, x_2, x_3.
  /// One that begins with a digit gets the prefix.
  std::string fieldName(llvm::StringRef name, llvm::StringRef suffix, llvm::StringRef prefix = "_");
  /// Returns a dimension of an input. One whose name other inputs have, too, is a size of its own unless `shared` says
  /// otherwise.
  Dim dimensionOf(const onnx::TensorShapeProto::Dimension &dimension, llvm::StringRef input, int index);
  /// Gives the names that the model has for an input's dimensions to the header, before any are made up.
  void takeNames(const onnx::ValueInfoProto &input);
  Dim inOwnNames(const Dim &dim);
  /// Whether the model has all the dimensions that were given a size.
  mlir::LogicalResult checkSizes();
  /// A rank 0 i64 of the size that a dimension has, for the whole function to use.
  mlir::Value sizeOfName(const std::string &name, mlir::Location location);
  mlir::Value sizeOf(const Dim &dim, mlir::Location location);
  /// Returns the size with what data decides at its most.
  Dim mostOf(const Dim &dim) const;
  /// Whether an initializer of the model's own graph is to be a variable.
  bool isState(const onnx::TensorProto &initializer);
  /// Adds the variable of an initializer.
  VariableOp addVariable(llvm::StringRef initializer, mlir::ElementsAttr value);
  /// An empty graph for a copy of so many bytes, kept as long as the model; null where copies take too much memory.
  onnx::GraphProto *addCopy(size_t bytes);
  /// The function that an operator stands for; null if it is none of the model's.
  const onnx::FunctionProto *functionOf(const onnx::NodeProto &node) const;

  onnx::ModelProto &proto;
  ExternalFiles files;
  std::string file;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;                // knows its arguments and results once the graph is imported: each list is kept
  std::vector<std::string> argumentNames;     // of the function's block, named as in the header
  std::vector<std::string> inputNames;        // of these and of inputs that are constants
  std::map<std::string, int64_t> sizes, used; // of dimensions: what was given, and what of it the model has
  std::map<std::string, std::string> formulas, usedFormulas; // the same of those that are expressions of others
  std::map<std::string, int64_t> maxSteps;                   // of loops that data end, by an output, or "" for all
  ConstInputs *constants;                                    // may be null
  mlir::FunctionType declared;                               // may be null
  const std::map<unsigned, Tensor> &given;                   // values of inputs by their numbers
  SharedNames &shared;                                       // of dimensions
  std::set<std::string> wanted;       // inputs without whose values import cannot go on, named as in the header
  std::set<std::string> wantedStates; // initializers that are variables, named as in the model: the same
  std::map<std::string, std::pair<mlir::Value, int64_t>> dimSources; // where a named dimension's size can be read
  /// Dimensions whose sizes data decides, and the size that each can have at most. They may be 0, others are at least 1.
  std::map<std::string, Dim> dataDims;

  // What is left: of bytes that an object can hold, of elements that are worked out and kept, of nodes.
  int64_t weightsLeft, elementsLeft = int64_t(1) << 20, nodesLeft = kMostNodes;
  bool namesValues;                               // in locations, by their names in the model
  bool hasJoined = false;                         // sizes of `shared`, so that the import must begin again
  bool leavesUnread = false;                      // ops of which nobody reads what they give, as that is known
  int64_t randomNodes = 0;                        // imported so far: each has a stream of random numbers of its own
  std::vector<const onnx::FunctionProto *> calls; // functions that are being expanded, the outermost first
  std::vector<std::unique_ptr<Graph>> inlined;    // graphs whose values others use

private:
  /// Returns what `--dim` gives a dimension of that spelling.
  std::optional<Dim> fixedDim(const std::string &spelled);

  google::protobuf::Arena copies; // knows how much memory it takes, but for long texts and bytes
  uint64_t copiedBytes = 0;

  mlir::LogicalResult checkStates();
  mlir::FailureOr<int64_t> readOpset();
  mlir::LogicalResult readFunctions();
  void describeFunction(mlir::ValueRange outputs);

  const OnnxOptions &options;
  const std::set<std::string> &fixed;
  std::vector<llvm::GlobPattern> states;              // of names of initializers
  std::vector<bool> matches;                          // of each: whether an initializer has such a name
  llvm::StringMap<std::string> dimNames, ownDimNames; // identifiers of names of dimensions: the model's, and made up here
  llvm::StringSet<> fields;                           // names that the generated header's struct will have
  llvm::StringMap<unsigned> fieldClashes;             // how often a name was wanted again
  llvm::StringMap<const onnx::FunctionProto *> functions;
};

/// The opset of ai.onnx among imports, 0 if it is not there, -1 if it is there twice.
int64_t opsetOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports);

} // namespace lathe::onnximport

#endif
