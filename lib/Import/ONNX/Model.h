// State that all graphs of one model share during its import: its own graph, those inside its nodes, and its functions.
#ifndef LATHE_IMPORT_ONNX_MODEL_H
#define LATHE_IMPORT_ONNX_MODEL_H

#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Import/Emit/FieldNames.h"
#include "lib/Import/ONNX/Limits.h"
#include "lib/Import/ONNX/SharedNames.h"
#include "lib/Import/ONNX/Tensors.h"
#include "lib/Import/ONNX/WideSizes.h"
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
  /// `mapped` is the model's file, whose name is `file`. Initializers in `fixed` stay constants, even if `options` makes them
  /// variables.
  Model(onnx::ModelProto &proto, std::shared_ptr<llvm::MemoryBuffer> mapped, std::string file, mlir::MLIRContext *context,
        const OnnxOptions &options, const std::set<std::string> &fixed, SharedNames &shared);
  ~Model();
  Model(const Model &) = delete;

  /// Returns the module of one function, or null after errors. Reports every refusal.
  mlir::OwningOpRef<mlir::ModuleOp> import();

  mlir::LogicalResult refuse(const llvm::Twine &text);
  mlir::Location location(int line = 0);
  /// Returns a unique field name for the header (FieldNames).
  std::string fieldName(llvm::StringRef name, llvm::StringRef suffix, llvm::StringRef prefix = "_") {
    return fields.take(name, suffix, prefix);
  }
  /// Returns a dimension of an input. A dimension whose name occurs at several inputs is a size of its own unless `shared` says
  /// otherwise.
  Dim dimensionOf(const onnx::TensorShapeProto::Dimension &dimension, llvm::StringRef input, int index);
  /// Reserves the model's names of an input's dimensions for the header, before any are generated.
  void takeNames(const onnx::ValueInfoProto &input);
  Dim inOwnNames(const Dim &dim);
  /// Checks that the model has all the dimensions for which a size is given.
  mlir::LogicalResult checkSizes();
  /// Returns the size of a dimension as a rank 0 i64, for the whole function to use.
  mlir::Value sizeOfName(const std::string &name, mlir::Location location);
  mlir::Value signedQuotient(const DerivedDim &quotient, mlir::Location location);
  mlir::Value sizeOf(const Dim &dim, mlir::Location location);
  /// Returns the size with data-decided sizes at their maximum.
  Dim mostOf(const Dim &dim) const;
  /// True if an initializer of the model's own graph becomes a variable.
  bool isState(const onnx::TensorProto &initializer);
  /// Adds the variable of an initializer.
  VariableOp addVariable(llvm::StringRef initializer, mlir::ElementsAttr value);
  /// Returns an empty graph for a copy of `bytes` bytes, kept as long as the model; null if copies take too much memory.
  onnx::GraphProto *addCopy(size_t bytes);
  /// Returns the model's function that an operator calls, or null.
  const onnx::FunctionProto *functionOf(const onnx::NodeProto &node) const;

  onnx::ModelProto &proto;
  ExternalFiles files;
  std::string file;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function; // its arguments and results are set once the graph is imported, since each list is kept
  std::vector<std::string> argumentNames;                        // of the function's block, with the header's names
  std::vector<std::string> inputNames;                           // of these and of inputs that are constants
  std::map<std::string, int64_t> sizes, used;                    // of dimensions: the given ones, and those that the model has
  std::map<std::string, std::string> formulas, usedFormulas;     // the same for dimensions that are expressions of others
  std::map<std::string, std::string> broadcasts, usedBroadcasts; // the same for dimensions that are 1 or another one
  std::map<std::string, int64_t> numbers;                        // dimensions of inputs that the model fixes, as x.1
  WideSizes wideSizes;                                           // that broadcast to one another
  std::map<std::string, int64_t> maxSteps;                       // of data-dependent loops, by an output, or "" for all
  ConstInputs *constants;                                        // may be null
  mlir::FunctionType declared;                                   // may be null
  const std::map<unsigned, Tensor> &given;                       // values of inputs by their numbers
  SharedNames &shared;                                           // of dimensions
  std::set<std::string> wanted;       // inputs whose values the import needs, with the header's names
  std::set<std::string> wantedStates; // the same for initializers that are variables, with the model's names
  std::map<std::string, std::pair<mlir::Value, int64_t>> dimSources; // where a named dimension's size can be read
  llvm::DenseMap<mlir::Value, mlir::Value> nonZeros;                 // results of NonZero, by its operand
  /// Dimensions whose sizes data decides, with their maximum sizes.
  std::map<std::string, Dim> dataDims;

  // Remaining budgets: bytes that an object can hold, elements that are evaluated and kept, and nodes.
  int64_t weightsLeft, elementsLeft = int64_t(1) << 20, nodesLeft = kMostNodes;
  bool namesValues;                               // in locations, by their names in the model
  bool hasJoined = false;                         // sizes of `shared` were joined, so the import must be repeated
  bool leavesUnread = false;                      // ops without uses, whose results were evaluated
  int64_t randomNodes = 0;                        // imported so far: each has its own stream of random numbers
  std::vector<const onnx::FunctionProto *> calls; // functions that are being expanded, outermost first
  std::vector<std::unique_ptr<Graph>> inlined;    // graphs whose values others use

private:
  /// Returns the size that `--dim` gives a dimension of that spelling.
  std::optional<Dim> fixedDim(const std::string &spelled);

  google::protobuf::Arena copies; // its byte count excludes long strings and bytes
  uint64_t copiedBytes = 0;

  mlir::LogicalResult checkStates();
  mlir::FailureOr<int64_t> readOpset();
  mlir::LogicalResult readFunctions();
  void describeFunction(mlir::ValueRange outputs);

  const OnnxOptions &options;
  const std::set<std::string> &fixed;
  std::vector<llvm::GlobPattern> states;              // of names of initializers
  std::vector<bool> matches;                          // for each pattern: true if an initializer matches
  llvm::StringMap<std::string> dimNames, ownDimNames; // identifiers of dimension names: the model's, and generated ones
  FieldNames fields;                                  // of the generated header's struct
  llvm::StringMap<const onnx::FunctionProto *> functions;
};

/// Returns the opset of ai.onnx among imports, 0 if it is missing, -1 if it occurs twice.
int64_t opsetOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports);

} // namespace lathe::onnximport

#endif
