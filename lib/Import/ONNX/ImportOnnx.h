// Imports an ONNX model as a module of lathe ops.
#ifndef LATHE_IMPORT_ONNX_IMPORTONNX_H
#define LATHE_IMPORT_ONNX_IMPORTONNX_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace lathe {

/// Options for one model of an import.
struct OnnxOptions : ImportOptions {
  std::string prefix;                   // of the names of variables
  mlir::FunctionType declared;          // the declared type of the model; its numbers fix named dimensions
  std::map<unsigned, Tensor> given;     // values of inputs, by their numbers among inputs without a default
  std::set<unsigned> *wanted = nullptr; // receives the numbers of inputs whose values the import needs; may be null
  /// Infers the dimensions of all values of a module, with a checked reshape where an op needs two of them to be equal.
  std::function<llvm::LogicalResult(mlir::ModuleOp module)> inferAnyEqual;
};

/// Reads a model into a module of one public function @run and its variables. Line i of its locations is node i of the model,
/// with its name; the lines that diagnostics show are a listing of the nodes, which is added to `sources`. Returns null after
/// errors: one for each unsupported node. The module records the given sizes (kFixedAttr).
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(const std::string &path, mlir::MLIRContext &context, llvm::SourceMgr &sources,
                                             const OnnxOptions &options);

/// A tensor of a test data folder.
struct OnnxTensor {
  std::string name;
  mlir::RankedTensorType type;
  std::string bytes; // in row-major order; a boolean is one byte
};
/// Reads a file of one TensorProto. Returns the reason for a failure, or an empty string.
std::string readOnnxTensor(const std::string &path, mlir::MLIRContext &context, OnnxTensor &tensor);

} // namespace lathe

#endif
