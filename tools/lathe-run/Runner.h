// The interface to a program that is interpreted or compiled.
#ifndef LATHE_TOOLS_LATHE_RUN_RUNNER_H
#define LATHE_TOOLS_LATHE_RUN_RUNNER_H

#include "dialects/Lathe/IR/Sizes.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lathe/runtime.h"
#include "tools/lathe-run/Options.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace lathe {
struct CompileDescription;
} // namespace lathe

/// An input or a result of an entry.
struct Parameter {
  std::string name;
  lathe::Element element;
  lathe::Dims dims;
  /// For a result with dynamic extents: for each dimension, the result that counts its valid elements, or -1.
  std::vector<int> counts;
};

struct Signature {
  std::string function;
  std::vector<Parameter> inputs, results;
};

/// A status and its reason, which may already be on stderr.
struct Failure {
  ExitCode code;
  std::string reason;
  bool isLocated = false; // it begins with a place in the graph: "fit.mlir:10:12: error: "
};

template <typename T>
using Expected = std::variant<T, Failure>;
using Tensors = std::vector<lathe::Tensor>;

/// An entry that is ready to run, with the state that its module keeps between runs.
class Runner {
public:
  virtual ~Runner() = default;
  virtual const Signature &getSignature() const = 0;
  /// Selects another entry of the module.
  virtual std::optional<Failure> select(const std::string &function) = 0;
  /// Returns the module's variables, in the order of their declaration.
  virtual std::vector<std::string> getVariables() const = 0;
  /// Returns the current value of a variable.
  virtual lathe::Tensor getVariable(const std::string &name) const = 0;
  virtual void setVariable(const std::string &name, const lathe::Tensor &value) = 0; // of its type and shape
  /// Runs the entry. Inputs fit the signature except for the sizes of named dimensions, which the runner checks. The results of
  /// an earlier run provide the memory for those of the same shapes, so that a timed run does not wait for fresh memory. A
  /// result with data-decided sizes is cut to its valid part.
  Expected<Tensors> run(const Tensors &inputs, Tensors earlier = {});
  /// Sets whether later runs show the graph's prints.
  virtual void setPrints(bool prints) = 0;
  /// Returns the context of compiled code, with its threads and profiler, or null.
  virtual lathe_context *getContext() { return nullptr; }
  /// Returns the table of the selected entry of compiled code, or null.
  virtual const lathe_function_info *getEntry() const { return nullptr; }
  /// Returns the sizes of the selected entry's named dimensions for these inputs, which fit it.
  virtual lathe::Sizes sizesFor(const Tensors &inputs) const { return {}; }
  /// Returns the description of the compiled graph; null for an object or without CompileOptions::describe.
  virtual std::shared_ptr<const lathe::CompileDescription> getDescription() const { return nullptr; }
  /// Returns the bytes of workspace that the last call needed; 0 in the interpreter.
  virtual size_t workspaceOfLastCall() const { return 0; }

protected:
  virtual Expected<Tensors> runEntry(const Tensors &inputs, Tensors earlier) = 0;
};

/// Creates a reference interpreter, after import, state and autodiff, or after the stage `after` of the compiler.
Expected<std::unique_ptr<Runner>> createInterpreterRunner(const RunOptions &options);

/// Creates the runner that the options ask for.
Expected<std::unique_ptr<Runner>> createRunner(const RunOptions &options);

/// Creates a runner for the ranks of --ranks, which all run compiled code.
Expected<std::unique_ptr<Runner>> createRanksRunner(const RunOptions &options);

/// Creates a runner for compiled code: a graph, an object or a shared library of lathec.
Expected<std::unique_ptr<Runner>> createCompiledRunner(const RunOptions &options);

#endif
