// Runs entries of a compiled object.
#ifndef LATHE_TOOLS_LATHE_RUN_COMPILEDRUNNER_H
#define LATHE_TOOLS_LATHE_RUN_COMPILEDRUNNER_H

#include "lathe/ranks.h"
#include "tools/lathe-run/ObjectLoader.h"
#include "tools/lathe-run/Runner.h"
#include "tools/lathe-run/Weights.h"

/// Returns the element type of a table. Both lists have equal numbers; a table from elsewhere may contain any number.
inline std::optional<lathe::Element> knownElement(lathe_dtype type) {
  return type >= LATHE_I1 && type <= LATHE_F64 ? std::optional(lathe::Element(type)) : std::nullopt;
}

/// Returns the failure that an error record describes.
Failure failureOf(const lathe_error &error);

/// Runs the entries of a compiled module through its tables: it runs the code that a program would link.
class CompiledRunner : public Runner {
public:
  ~CompiledRunner() override {
    state.reset(); // before their context
    workspace.reset();
    coldWorkspace.reset();
    onDevice.clear();
    lathe_context_destroy(context);
  }

  std::optional<Failure> load(const RunOptions &options);
  /// Loads one of several ranks, whose entries use the communicator. All share the object of the first one, which may be this
  /// one. The state is zeros until `initialise`.
  std::optional<Failure> loadRank(const RunOptions &options, CompiledRunner *first, lathe_comm *comm);
  /// Runs @init, if the module has variables and one.
  std::optional<Failure> initialise(int64_t seed);
  const Signature &getSignature() const override { return signature; }
  std::optional<Failure> select(const std::string &function) override;
  std::vector<std::string> getVariables() const override;
  lathe::Tensor getVariable(const std::string &name) const override;
  void setVariable(const std::string &name, const lathe::Tensor &value) override;
  Expected<Tensors> runEntry(const Tensors &inputs, Tensors earlier) override;
  void setPrints(bool prints) override { context->print = prints ? lathe_print : nullptr; }
  lathe_context *getContext() override { return context; }
  const lathe_function_info *getEntry() const override { return entry; }
  lathe::Sizes sizesFor(const Tensors &inputs) const override;
  std::shared_ptr<const lathe::CompileDescription> getDescription() const override { return description; }
  size_t workspaceOfLastCall() const override { return neededWorkspace; }

private:
  // ---- Loads the module and sets its variables (CompiledRunner.cpp)
  std::optional<Failure> openModule(const RunOptions &options);
  std::optional<Failure> createContext(const RunOptions &options);
  std::optional<Failure> createState(const RunOptions &options);
  std::optional<Failure> checkSizes(const RunOptions &options) const;

  // ---- Calls entries (CompiledCall.cpp)
  Expected<Tensors> call(const lathe_function_info &function, const Tensors &inputs, Tensors earlier);
  std::optional<Failure> growWorkspaces(const lathe_function_info &function, const int64_t *dims);
  std::optional<Failure> grow(std::unique_ptr<ContextMemory> &memory, size_t &size, size_t needed, llvm::StringRef what);
  std::optional<Failure> placeArguments(const lathe_function_info &function, std::vector<char> &args, const Tensors &inputs,
                                        const Tensors &results);
  std::optional<Failure> fetchResults(const lathe_function_info &function, Tensors &results);

  std::shared_ptr<LoadedObject> object = std::make_shared<LoadedObject>();
  const lathe_module_info *module = nullptr;
  const lathe_function_info *entry = nullptr;
  std::shared_ptr<const lathe::CompileDescription> description;
  lathe_context *context = nullptr;
  Signature signature;
  std::map<std::string, int64_t> givenSizes; // of --dim
  std::shared_ptr<Weights> weights = std::make_shared<Weights>();
  std::unique_ptr<ContextMemory> state;
  std::unique_ptr<ContextMemory> workspace, coldWorkspace;
  size_t workspaceSize = 0, coldWorkspaceSize = 0;      // as allocated
  size_t neededWorkspace = 0;                           // by the last call
  std::vector<std::unique_ptr<ContextMemory>> onDevice; // the arguments of a call in device memory
  bool placesOnDevice = false;
};

#endif
