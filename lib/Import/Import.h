// From a file to a module that every later stage accepts: parsed, names written down, dimensions inferred into the types.
#ifndef LATHE_IMPORT_IMPORT_H
#define LATHE_IMPORT_IMPORT_H

#include "lib/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

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

/// Replaces uses of the composite library by calls of functions of plain ops.
std::unique_ptr<mlir::Pass> createExpandStdPass();
/// Replaces func.calls by the bodies of their callees, and erases private functions that nothing refers to any more.
std::unique_ptr<mlir::Pass> createInlinePass();
/// Writes the names of dynamic dimensions into all types.
std::unique_ptr<mlir::Pass> createInferDimsPass();
/// Expands the composites of a module and names its dimensions as those passes do. Sizes of different names that an op needs to
/// be equal get a checked reshape instead of an error.
llvm::LogicalResult inferAnyEqual(mlir::ModuleOp module);
/// Makes numbers, or expressions of others, of the named dimensions of all types. Requires all to be named.
std::unique_ptr<mlir::Pass> createFixDimsPass(std::map<std::string, int64_t> sizes = {},
                                              std::map<std::string, std::string> formulas = {});
/// Writes random numbers of a distribution out as random bits and arithmetic.
std::unique_ptr<mlir::Pass> createExpandRandomPass();
/// Writes `pad same` of convolutions as numbers, and as a lathe.pad where a named size decides it.
std::unique_ptr<mlir::Pass> createResolvePadSamePass();
/// Turns every lathe.scan to the first dimension of what it goes over.
std::unique_ptr<mlir::Pass> createScanFirstDimPass();
/// Gives dimensions whose sizes data decides the sizes that they may have, and entries results that tell the others.
std::unique_ptr<mlir::Pass> createBoundDataSizesPass();
/// Makes the implicit broadcasts of elementwise ops lathe.broadcast ops.
std::unique_ptr<mlir::Pass> createExplicitBroadcastPass();

/// The passes of the import stage, in order; named dimensions in `fixed` become numbers, those in `formulas` expressions.
void buildImportPipeline(mlir::OpPassManager &passes, std::map<std::string, int64_t> fixed = {},
                         std::map<std::string, std::string> formulas = {});
void registerImportPasses();

} // namespace lathe

#endif
