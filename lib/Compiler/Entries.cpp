#include "lib/Compiler/Entries.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Gradcheck/Gradcheck.h"

using namespace mlir;
using namespace lathe;

/// Exports `run`, or the first function if `run` is empty, beside `init`. An unknown name changes nothing, so that the caller
/// can list the entries.
static void chooseEntryToRun(ArrayRef<std::string> all, std::string run, CompileOptions &options) {
  if (run.empty() && !all.empty())
    run = all.front();
  if (!llvm::is_contained(all, run))
    return;
  options.entries = {run};
  if (run != "init" && llvm::is_contained(all, "init"))
    options.entries.push_back("init");
}

static std::string listOf(ArrayRef<std::string> all) { return all.empty() ? "none" : "@" + llvm::join(all, ", @"); }

/// Checks the steps that ranks divide. Where a single entry runs, the others are left out.
static LogicalResult chooseRankShards(ModuleOp module, ArrayRef<std::string> all, CompileOptions &options) {
  for (auto it = options.rankShards.begin(); it != options.rankShards.end();) {
    const std::string &function = it->first;
    if (!llvm::is_contained(all, function))
      return module.emitError("there is no public function @") << function << " to shard; there are " << listOf(all);
    bool isExported = options.entries.empty() || llvm::is_contained(options.entries, function);
    if (!isExported && !options.entryToRun)
      return module.emitError("@") << function << " is named by --shard, but --entry does not export it";
    it = isExported ? std::next(it) : options.rankShards.erase(it);
  }
  return success();
}

/// Exports the two parts of each sharded step as well.
static LogicalResult chooseShards(ModuleOp module, ArrayRef<std::string> all, CompileOptions &options) {
  for (auto &[function, dimension] : options.shards) {
    if (!llvm::is_contained(all, function))
      return module.emitError("there is no public function @") << function << " to shard; there are " << listOf(all);
    if (options.entries.empty())
      continue;
    if (!llvm::is_contained(options.entries, function))
      return module.emitError("@") << function << " is named by --shard, but --entry does not export it";
    options.entries.push_back(function + "_gradients");
    options.entries.push_back(function + "_update");
  }
  return success();
}

/// Leaves only the function whose derivatives are checked, and @init. The entries are made of it later.
static void keepSubject(ModuleOp module, StringRef name) {
  func::FuncOp subject = findGradcheckSubject(module, name);
  for (auto each : module.getOps<func::FuncOp>())
    if (subject && each != subject && each.getSymName() != "init")
      each.setPrivate();
}

LogicalResult lathe::chooseEntries(ModuleOp module, CompileOptions &options) {
  SmallVector<std::string> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      all.push_back(function.getSymName().str());
  if (!llvm::is_contained(all, "init") && !module.getOps<VariableOp>().empty())
    all.push_back("init"); // built from the initialisers
  if (options.entryToRun)
    chooseEntryToRun(all, *options.entryToRun, options);
  for (const std::string &entry : options.entries)
    if (!llvm::is_contained(all, entry))
      return module.emitError("there is no public function @") << entry << " to export; there are " << listOf(all);
  if (failed(chooseRankShards(module, all, options)) || failed(chooseShards(module, all, options)))
    return failure();
  if (options.gradcheck)
    keepSubject(module, *options.gradcheck);
  for (auto function : module.getOps<func::FuncOp>())
    if (!options.entries.empty() && !llvm::is_contained(options.entries, function.getSymName().str()))
      function.setPrivate();
  return success();
}
