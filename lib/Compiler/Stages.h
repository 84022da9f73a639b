// The stages of a compilation, in order: the one list that lathec, lathe-run, the language server and the op facts run.
#ifndef LATHE_COMPILER_STAGES_H
#define LATHE_COMPILER_STAGES_H

#include "codegen/Emit/Targets.h"
#include "lathe/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace lathe {

/// A stage and the passes that it runs over the graph's module. `kernels` and `llvm` have no passes: codegen/Emit builds
/// modules of its own from the graph after the last stage with passes.
struct Stage {
  const char *name; // as --emit-stage takes it
  void (*build)(mlir::OpPassManager &passes, const CompileOptions &options, const Targets &targets);
};

llvm::ArrayRef<Stage> stages();

/// Returns the name of the last stage that runs passes.
llvm::StringRef lastGraphStage();

/// Called after each stage with the seconds that it took. Failure stops the compilation.
using AfterStage = llvm::function_ref<mlir::LogicalResult(const Stage &stage, double seconds)>;

/// Runs the passes of the stages over a parsed module, up to and including the stage `last`. On failure the diagnostics are in
/// line order.
mlir::LogicalResult runStages(mlir::ModuleOp module, llvm::StringRef last, const CompileOptions &options,
                              const Targets &targets, AfterStage after = nullptr);

} // namespace lathe

#endif
