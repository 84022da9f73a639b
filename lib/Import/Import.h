// From a file to a module that every later stage accepts: parsed, names written down, dimensions inferred into the types.
#ifndef LATHE_IMPORT_IMPORT_H
#define LATHE_IMPORT_IMPORT_H

#include "lib/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace llvm {
class MemoryBuffer;
class SourceMgr;
} // namespace llvm
namespace mlir {
class AsmParserState;
} // namespace mlir

namespace lathe {

/// Reads MLIR text or bytecode from a file, or from stdin for "-". Null after an error, which went to the context's diagnostic
/// handler. The buffer stays in `sources`, so that a SourceMgrDiagnosticHandler over it can show the lines. Arguments and
/// results of public functions get their SSA names as `lathe.name`. A file that ends in .onnx is a model (lib/Import/ONNX);
/// functions that are declared as models get the bodies of those (lib/Import/LinkModels.h).
mlir::OwningOpRef<mlir::ModuleOp> importFile(llvm::StringRef path, mlir::MLIRContext &context,
                                             std::shared_ptr<llvm::SourceMgr> sources = nullptr,
                                             const ImportOptions &options = {});

/// A graph that has been parsed and checked.
struct CheckedGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module; // null where it could not be parsed as a whole
  bool isGood = false;
};

/// The first part of that alone, on text or bytecode in memory: reports every mistake that parsing, verification and inference
/// find, by line, without those that only follow from others. Fills `places`, of text, with where what is parsed stands; its
/// pointers are into the buffer.
CheckedGraph readGraph(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name, mlir::MLIRContext &context,
                       std::shared_ptr<llvm::SourceMgr> sources, mlir::AsmParserState &places);

/// Expands the composites of a module and names its dimensions. Sizes of different names that an op needs to be equal get a
/// checked reshape instead of an error.
llvm::LogicalResult inferAnyEqual(mlir::ModuleOp module);

} // namespace lathe

#endif
