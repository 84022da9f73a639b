// The stages of a compilation, in order.
#ifndef LATHE_COMPILER_PIPELINES_H
#define LATHE_COMPILER_PIPELINES_H

#include "codegen/Emit/Targets.h"
#include "lathe/CompileOptions.h"
#include "mlir/Pass/PassManager.h"

namespace lathe {

/// A stage that has passes: its name is what --emit-stage takes.
struct Stage {
  const char *name;
  void (*build)(mlir::OpPassManager &passes, const CompileOptions &options, const Targets &targets);
};

/// Every stage from a parsed module to a scheduled one.
llvm::ArrayRef<Stage> graphStages();

/// Adds the passes of all stages up to and with the one of this name.
void buildStages(mlir::OpPassManager &passes, llvm::StringRef last, const CompileOptions &options, const Targets &targets);

} // namespace lathe

#endif
