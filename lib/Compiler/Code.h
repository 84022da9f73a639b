// Code generation: from a scheduled graph to the bytes of the requested output.
#ifndef LATHE_COMPILER_CODE_H
#define LATHE_COMPILER_CODE_H

#include "codegen/Emit/Signature.h"
#include "codegen/Emit/Targets.h"
#include "lib/Compiler/Session.h"

namespace lathe {

/// Says which stages after the graph's a kind of output needs.
struct OutputKind {
  bool hasGraph = false; // the output is the graph after a stage
  bool hasCode = false;  // LLVM's code generator or LLVM IR is needed
  bool isPacked = false; // the output is an object or contains one
  KernelText kernelText = KernelText::None;

  static OutputKind of(const CompileOptions &options);
};

/// Seconds of each step by name, and the kernel statistics of --time-report.
struct CompileTimes {
  std::vector<std::pair<std::string, double>> seconds;
  std::string kernelNote;

  /// Returns all times as lines of a table.
  std::string report() const;
};

/// Emits the entries of a scheduled module, whose graph is at `path`. Sets the code, header and weights of `result`.
CompileStatus emitCode(mlir::ModuleOp module, const std::string &path, const CompileOptions &options, const Targets &targets,
                       Session &session, CompileResult &result, CompileTimes &times);

/// Sets kReservedAttr of the public functions of a module as it is before the first stage: the bytes that GPU kernels need in
/// the workspace beside the plan, which are known when the kernels have been chosen. It compiles a copy of the module for this,
/// without a budget. If that fails, it sets nothing, since the compilation itself will report why.
void reserveDeviceBytes(mlir::ModuleOp module, const std::string &path, const CompileOptions &options, const Targets &targets,
                        Session &session);

} // namespace lathe

#endif
