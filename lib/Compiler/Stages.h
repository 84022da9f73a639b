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
  bool readsText = false; // its passes meet the user's mistakes: the module is verified after each, not only at the end
};

llvm::ArrayRef<Stage> stages();

/// Returns the name of the last stage that runs passes.
llvm::StringRef lastGraphStage();

/// Adds the import pipeline with these fixed dimensions, and with the axes of ranks that the options name.
void buildRankedImport(mlir::OpPassManager &passes, const CompileOptions &options, std::map<std::string, int64_t> fixed);
/// Returns the steps whose gradients have the same bits for any number of ranks, as buildStatePipeline takes them.
std::vector<std::string> exactSteps(const CompileOptions &options);
/// Adds the passes that divide training steps among ranks. They need state as arguments and results, and run before
/// derivatives are expanded.
void buildRankShards(mlir::OpPassManager &passes, const CompileOptions &options);

/// Adds the pass that divides variables among ranks. It needs expanded derivatives and explicit broadcasts.
void buildStateShards(mlir::OpPassManager &passes, const CompileOptions &options);

/// Called after each stage with the seconds that it took. Failure stops the compilation.
using AfterStage = llvm::function_ref<mlir::LogicalResult(const Stage &stage, double seconds)>;

/// Runs the passes of the stages over a parsed module, up to and including the stage `last`. On failure the diagnostics are in
/// line order.
mlir::LogicalResult runStages(mlir::ModuleOp module, llvm::StringRef last, const CompileOptions &options,
                              const Targets &targets, AfterStage after = nullptr);

} // namespace lathe

#endif
