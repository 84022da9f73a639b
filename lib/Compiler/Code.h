// From a scheduled graph to the bytes of what is asked for.
#ifndef LATHE_COMPILER_CODE_H
#define LATHE_COMPILER_CODE_H

#include "codegen/Emit/Signature.h"
#include "codegen/Emit/Targets.h"
#include "lib/Compiler/Session.h"

namespace lathe {

/// Says which stages behind the graph's a kind of output needs.
struct OutputKind {
  bool hasGraph = false; // the graph after a stage is all
  bool hasCode = false;  // LLVM's code generator, or its IR, is wanted
  bool isPacked = false; // an object, or what is made of one
  KernelText kernelText = KernelText::None;

  static OutputKind of(const CompileOptions &options);
};

/// Seconds by the name of what took them, and what --time-report says of the kernels.
struct CompileTimes {
  std::vector<std::pair<std::string, double>> seconds;
  std::string kernelNote;

  /// Returns all of them as lines of a table.
  std::string report() const;
};

/// Emits the entries of a scheduled module, of a graph at `path`, and fills in the code, header and weights of `result`.
CompileStatus emitCode(mlir::ModuleOp module, const std::string &path, const CompileOptions &options, const Targets &targets,
                       Session &session, CompileResult &result, CompileTimes &times);

} // namespace lathe

#endif
