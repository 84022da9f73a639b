// Runs an entry in the reference interpreter.
#include "codegen/Kernels/LowerToNests.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "dialects/Lathe/Interpreter/Ranks.h"
#include "lib/Compiler/Entries.h"
#include "lib/Compiler/Front/Front.h"
#include "lib/Compiler/Stages.h"
#include "lib/Import/ErrorList.h"
#include "lib/Import/Import.h"
#include "lib/Support/GraphDiagnostics.h"
#include "lib/Support/Text.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Checks/Checks.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Inline/Inline.h"
#include "passes/Partition/Partition.h"
#include "passes/State/State.h"
#include "tools/lathe-run/Runner.h"
#include "tools/lathe-run/Stacks.h"
#include "tools/lathe-run/Trace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace lathe;

namespace {
class InterpreterRunner : public Runner {
public:
  InterpreterRunner() : handler(*sources, &context) {
    context.loadDialect<LatheDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect>();
    context.printOpOnDiagnostic(false);
  }

  std::optional<Failure> load(const RunOptions &options);
  const Signature &getSignature() const override { return signature; }
  std::optional<Failure> select(const std::string &function) override;
  std::vector<std::string> getVariables() const override;
  Tensor getVariable(const std::string &name) const override;
  void setVariable(const std::string &name, const Tensor &value) override;
  Expected<Tensors> runEntry(const Tensors &inputs, Tensors) override;
  void setPrints(bool prints) override { reports.print = prints ? printHook(graph) : nullptr; }

private:
  std::optional<Failure> lower(const RunOptions &options);
  Failure refusal() const { return {handler.isMisused() ? kWrongUsage : kRefused, ""}; }
  std::optional<Failure> choose(const std::string &name);
  void addCounts();
  std::optional<Failure> initialiseState(int64_t seed);
  void keepState(func::FuncOp function, const Tensors &results, size_t rank);
  Tensors argumentsOf(func::FuncOp function, const Tensors &inputs, size_t rank) const;
  FailureOr<std::vector<Tensors>> runOnAll(func::FuncOp function, ArrayRef<Tensors> arguments, const InterpretOptions &with);
  bool hasRanks() const { return !axes.empty(); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::shared_ptr<llvm::SourceMgr> sources = std::make_shared<llvm::SourceMgr>();
  GraphDiagnostics handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  Signature signature;
  std::vector<RankAxis> axes;                        // of --ranks
  std::vector<std::map<std::string, Tensor>> states; // by rank
  std::string graph;                                 // its file
  InterpretOptions reports;                          // receives reports while the entry runs
  TraceOutcome traced;
};
} // namespace

/// Returns the variable that an argument or result stands for; empty if none.
static std::string variableOf(Attribute attr) {
  auto name = dyn_cast_or_null<FlatSymbolRefAttr>(attr);
  return name ? name.getValue().str() : "";
}
static std::string stateArgument(func::FuncOp function, unsigned i) { return variableOf(function.getArgAttr(i, kStateAttr)); }
static std::string stateResult(func::FuncOp function, unsigned i) { return variableOf(function.getResultAttr(i, kStateAttr)); }

/// Describes an argument or result, with the name of its field in the compiled entry.
static Parameter parameterOf(Type type, Attribute name, StringRef prefix, unsigned index) {
  auto tensor = cast<RankedTensorType>(type);
  auto text = dyn_cast_or_null<StringAttr>(name);
  return {text ? toCIdentifier(text.getValue(), prefix) : (prefix + Twine(index)).str(),
          *elementOf(tensor.getElementType()),
          dimsOf(tensor),
          {}};
}

/// Lowers the graph. The interpreter needs import, state and derivatives; `--after` runs further stages of the compiler.
std::optional<Failure> InterpreterRunner::lower(const RunOptions &options) {
  CompileOptions compile = options.compile;
  LogicalResult lowered = chooseEntries(*module, compile);
  if (failed(lowered))
    return refusal();
  if (options.after.empty()) {
    PassManager passes(&context);
    passes.addPass(createDeclareSlotsPass());
    passes.addPass(createSymbolDCEPass()); // functions that are not run
    std::map<std::string, int64_t> fixed = options.dims;
    for (auto &[function, shard] : compile.rankShards) // the pass finds the batch by its name
      fixed.erase(StringRef(shard).split('@').first.str());
    buildRankedImport(passes, compile, fixed);
    buildStatePipeline(passes, exactSteps(compile));
    buildRankShards(passes, compile);
    bool checks = compile.checkFinite || compile.checkBounds;
    passes.addPass(createExpandDerivativesPass({/*hoists=*/!checks}));
    if (!compile.stateAxis.empty() || !compile.variableShards.empty() || hasShardAnnotations(*module)) {
      passes.addPass(createInlinePass());
      passes.addPass(createExplicitBroadcastPass());
      passes.addPass(createSymbolDCEPass()); // what was inlined would divide variables, too
      buildStateShards(passes, compile);
    }
    if (checks)
      passes.addNestedPass<func::FuncOp>(createInsertChecksPass({compile.checkFinite, compile.checkBounds}));
    ErrorList errors(context);
    lowered = passes.run(*module);
  } else {
    std::string error; // the option's own check reports a wrong target
    lowered = runStages(*module, options.after, compile, parseTargets(compile.target, error));
  }
  if (failed(lowered))
    return refusal();
  if (options.after == "kernels" &&
      module->walk([](KernelOp kernel) { return failed(lowerToNests(kernel)) ? WalkResult::interrupt() : WalkResult::skip(); })
          .wasInterrupted())
    return Failure{kRefused, ""};
  return std::nullopt;
}

/// Selects the named entry, or the first one of the graph.
std::optional<Failure> InterpreterRunner::choose(const std::string &name) {
  std::string all;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    all += (all.empty() ? "" : ", ") + function.getSymName().str();
    if (!entry && (name.empty() || function.getSymName() == name))
      entry = function;
  }
  if (entry)
    return std::nullopt;
  return Failure{kWrongUsage,
                 all.empty() ? "the graph has no public function" : "there is no function '" + name + "'; there are " + all};
}

std::optional<Failure> InterpreterRunner::load(const RunOptions &options) {
  if (options.graph != "-" && !llvm::sys::fs::exists(options.graph))
    return Failure{kWrongUsage, "there is no file '" + options.graph + "'"};
  if (llvm::sys::fs::is_directory(options.graph))
    return Failure{kWrongUsage, "'" + options.graph + "' is a folder"};
  module = importFile(options.graph, context, sources,
                      {options.trace.has_value(), options.compile.fixedDims, options.compile.dimFormulas,
                       options.compile.dimBroadcasts, options.compile.maxSteps, options.constants.get(),
                       options.compile.stateInitializers, options.compile.stateArguments, options.compile.externWeights});
  if (!module)
    return refusal();
  // By default the first entry of the graph, not the @init that lowering its state may add.
  if (options.function.empty())
    if (std::optional<Failure> failure = choose(""))
      return failure;
  std::string name = entry ? entry.getSymName().str() : options.function;
  axes = options.ranks;
  if (hasRanks())
    context.enableMultithreading(); // each rank is a thread
  states.resize(countRanks(axes));
  if (std::optional<Failure> failure = lower(options))
    return failure;
  if (std::optional<Failure> failure = select(name)) // a pass may have recreated it
    return failure;
  graph = options.graph;
  setPrints(options.prints);
  if (options.trace)
    reports.observe = traceHook(options, traced);
  return initialiseState(options.seed);
}

std::optional<Failure> InterpreterRunner::select(const std::string &name) {
  entry = nullptr;
  if (std::optional<Failure> failure = choose(name))
    return failure;
  signature = {entry.getSymName().str(), {}, {}};
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (stateArgument(entry, i).empty())
      signature.inputs.push_back(parameterOf(entry.getArgumentTypes()[i], entry.getArgAttr(i, kNameAttr), "arg", i));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (stateResult(entry, i).empty())
      signature.results.push_back(parameterOf(entry.getResultTypes()[i], entry.getResultAttr(i, kNameAttr), "out", i));
  addCounts();
  if (hasRanks()) {
    signature.inputs = stackedParameters(std::move(signature.inputs), states.size());
    signature.results = stackedParameters(std::move(signature.results), states.size());
  }
  return std::nullopt;
}

/// Marks the results that hold the valid sizes of others.
void InterpreterRunner::addCounts() {
  for (unsigned i = 0, next = 0; i < entry.getNumResults(); ++i) {
    if (!stateResult(entry, i).empty())
      continue;
    Parameter &result = signature.results[next++];
    if (auto names = entry.getResultAttrOfType<ArrayAttr>(i, kCountsAttr))
      for (auto name : names.getAsRange<StringAttr>()) {
        auto found = llvm::find_if(signature.results,
                                   [&](const Parameter &other) { return other.name == toCIdentifier(name.getValue(), "out"); });
        result.counts.push_back(name.empty() ? -1 : int(found - signature.results.begin()));
      }
  }
}

std::vector<std::string> InterpreterRunner::getVariables() const {
  std::vector<std::string> names;
  for (auto variable : module.get().getOps<VariableOp>())
    names.push_back(variable.getSymName().str());
  return names;
}

Tensor InterpreterRunner::getVariable(const std::string &name) const {
  Tensors values;
  for (auto &state : states)
    values.push_back(state.at(name));
  return hasRanks() ? std::get<Tensor>(stack(name, values)) : values.front();
}

void InterpreterRunner::setVariable(const std::string &name, const Tensor &value) {
  for (auto [rank, state] : llvm::enumerate(states))
    state.at(name) = hasRanks() ? partsOf({value}, rank).front() : value;
}

void InterpreterRunner::keepState(func::FuncOp function, const Tensors &results, size_t rank) {
  for (unsigned i = 0; i < results.size(); ++i)
    if (std::string name = stateResult(function, i); !name.empty())
      states[rank][name] = results[i];
}

/// Returns the arguments of a function on one rank: its inputs in order, and the variables.
Tensors InterpreterRunner::argumentsOf(func::FuncOp function, const Tensors &inputs, size_t rank) const {
  Tensors arguments;
  for (unsigned i = 0, next = 0; i < function.getNumArguments(); ++i) {
    std::string name = stateArgument(function, i);
    arguments.push_back(name.empty() ? inputs[next++] : states[rank].at(name));
  }
  return arguments;
}

FailureOr<std::vector<Tensors>> InterpreterRunner::runOnAll(func::FuncOp function, ArrayRef<Tensors> arguments,
                                                            const InterpretOptions &with) {
  if (hasRanks())
    return interpretOnRanks(function, axes, arguments, with);
  FailureOr<Tensors> results = interpret(function, arguments.front(), with);
  if (failed(results))
    return failure();
  return std::vector<Tensors>{std::move(*results)};
}

/// Sets the state to zeros, then to the result of @init for the seed.
std::optional<Failure> InterpreterRunner::initialiseState(int64_t seed) {
  for (auto &state : states)
    for (auto variable : module->getOps<VariableOp>()) {
      auto type = cast<RankedTensorType>(variable.getType());
      state.emplace(variable.getSymName().str(), Tensor(*elementOf(type.getElementType()), type.getShape()));
    }
  auto init = module->lookupSymbol<func::FuncOp>("init");
  if (!init || states.front().empty())
    return std::nullopt;
  for (unsigned i = 0; i < init.getNumArguments(); ++i)
    if (stateArgument(init, i).empty() &&
        init.getArgumentTypes()[i] != RankedTensorType::get({}, IntegerType::get(&context, 64)))
      return std::nullopt; // not the standard initialiser but an ordinary entry
  std::vector<Tensors> arguments;
  for (size_t rank = 0; rank < states.size(); ++rank)
    arguments.push_back(argumentsOf(init, Tensors(init.getNumArguments(), Tensor::scalar<int64_t>(seed)), rank));
  FailureOr<std::vector<Tensors>> results = runOnAll(init, arguments, {});
  if (failed(results))
    return Failure{kFailed, ""};
  for (auto [rank, values] : llvm::enumerate(*results))
    keepState(init, values, rank);
  return std::nullopt;
}

Expected<Tensors> InterpreterRunner::runEntry(const Tensors &inputs, Tensors) {
  std::vector<Tensors> arguments;
  for (size_t rank = 0; rank < states.size(); ++rank)
    arguments.push_back(argumentsOf(entry, hasRanks() ? partsOf(inputs, rank) : inputs, rank));
  SmallVector<ArrayRef<int64_t>> shapes;
  for (const Tensor &argument : arguments.front())
    shapes.push_back(argument.getShape());
  if (failed(bindDims(entry, shapes, axes)))
    return Failure{kWrongUsage, ""};
  FailureOr<std::vector<Tensors>> all = runOnAll(entry, arguments, reports);
  if (failed(all))
    return Failure{kFailed, ""};
  if (std::string reason = traced.fault(); !reason.empty())
    return Failure{kWrongUsage, reason};
  std::vector<Tensors> results(states.size());
  for (auto [rank, values] : llvm::enumerate(*all)) {
    keepState(entry, values, rank);
    for (unsigned i = 0; i < values.size(); ++i)
      if (stateResult(entry, i).empty())
        results[rank].push_back(std::move(values[i]));
  }
  if (!hasRanks())
    return std::move(results.front());
  return stackAll(signature.results, results);
}

Expected<std::unique_ptr<Runner>> createInterpreterRunner(const RunOptions &options) {
  auto runner = std::make_unique<InterpreterRunner>();
  if (std::optional<Failure> failure = runner->load(options))
    return *failure;
  return std::unique_ptr<Runner>(std::move(runner));
}
