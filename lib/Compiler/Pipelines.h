// The stages of a compilation, in order.
#ifndef LATHE_COMPILER_PIPELINES_H
#define LATHE_COMPILER_PIPELINES_H

#include "lathe/CompileOptions.h"
#include "mlir/Pass/PassManager.h"

namespace lathe {

/// A stage that has passes: its name is what --emit-stage takes.
struct Stage {
  const char *name;
  void (*build)(mlir::OpPassManager &passes, const CompileOptions &options);
};

/// Every stage from a parsed module to a planned one.
llvm::ArrayRef<Stage> graphStages();

} // namespace lathe

#endif
