// The analyses of LLVM's passes, for pipelines that Lathe puts together itself.
#ifndef LATHE_CODEGEN_EMIT_ANALYSES_H
#define LATHE_CODEGEN_EMIT_ANALYSES_H

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"

namespace lathe {

/// The managers of analyses, which must outlive the passes that run with them.
struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  /// Returns callbacks by which passes leave out functions that have the attribute optnone.
  llvm::PassInstrumentationCallbacks *skipping() {
    unoptimized.registerCallbacks(callbacks);
    return &callbacks;
  }

  /// Registers all analyses that are not registered yet.
  void registerAll(llvm::PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

private:
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation unoptimized{/*DebugLogging=*/false};
};

} // namespace lathe

#endif
