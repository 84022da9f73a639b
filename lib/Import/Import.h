// Reads a file into a module that every later stage accepts: parsed, with names recorded and dimensions in the types.
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

/// Reads MLIR text or bytecode from a file, or from stdin for "-". Returns null after an error, which it reports to the
/// context's diagnostic handler. The buffer stays in `sources`, so that a SourceMgrDiagnosticHandler over it can show the
/// lines. Arguments and results of public functions get their SSA names as `lathe.name`. A file that ends in .onnx is a model
/// (lib/Import/ONNX). Functions that are declared as models get the bodies of the models (lib/Import/LinkModels.h).
mlir::OwningOpRef<mlir::ModuleOp> importFile(llvm::StringRef path, mlir::MLIRContext &context,
                                             std::shared_ptr<llvm::SourceMgr> sources = nullptr,
                                             const ImportOptions &options = {});

/// A graph that has been parsed and checked.
struct CheckedGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module; // null if the text could not be parsed as a whole
  bool isGood = false;
};

/// The first part of importFile, on text or bytecode in memory. Reports every error of parsing, verification and inference, by
/// line, except those that only follow from others. Sets `places` to the positions of parsed text; its pointers are into the
/// buffer.
CheckedGraph readGraph(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name, mlir::MLIRContext &context,
                       std::shared_ptr<llvm::SourceMgr> sources, mlir::AsmParserState &places);

/// Expands the composites of a module and infers its dimensions. If an op needs sizes of different names to be equal, it gets a
/// checked reshape instead of an error.
llvm::LogicalResult inferAnyEqual(mlir::ModuleOp module);

} // namespace lathe

#endif
