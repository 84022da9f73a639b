#include "lib/Compiler/Stages.h"
#include "codegen/CPU/LoopWeights/LoopWeights.h"
#include "codegen/CPU/PairProducts/AmxProducts.h"
#include "codegen/CPU/PairProducts/PairProducts.h"
#include "codegen/CPU/Schedule/CpuSchedule.h"
#include "codegen/GPU/Schedule/GpuSchedule.h"
#include "dialects/Lathe/IR/Steps.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/Front/Front.h"
#include "lib/Compiler/MemoryBudget.h"
#include "lib/Import/CheckInference.h"
#include "lib/Import/ErrorList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Checkpoint/Checkpoint.h"
#include "passes/Checks/Checks.h"
#include "passes/Collectives/Collectives.h"
#include "passes/ConstantFold/ConstantFold.h"
#include "passes/ExpandStd/ExpandStd.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Extents/Extents.h"
#include "passes/Fusion/Fusion.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "passes/Inline/Inline.h"
#include "passes/KeyBlocks/KeyBlocks.h"
#include "passes/Layout/Layout.h"
#include "passes/Order/Order.h"
#include "passes/Partition/Partition.h"
#include "passes/PatchProducts/PatchProducts.h"
#include "passes/Plan/Plan.h"
#include "passes/Products/Products.h"
#include "passes/Promote/Promote.h"
#include "passes/Recompute/Recompute.h"
#include "passes/RoundProducts/RoundProducts.h"
#include "passes/Shard/Shard.h"
#include "passes/Sink/Sink.h"
#include "passes/Specialize/Specialize.h"
#include "passes/State/State.h"
#include "passes/Strips/Strips.h"
#include "passes/Transposes/Transposes.h"
#include "passes/Widen/Widen.h"
#include "passes/Winograd/Winograd.h"
#include <chrono>

using namespace mlir;
using namespace lathe;

/// Returns the axes of ranks that the options name.
static std::vector<std::string> axesOf(const CompileOptions &options) {
  std::set<std::string> names;
  for (auto &[axis, size] : options.axes)
    names.insert(axis);
  for (auto &[function, shard] : options.rankShards)
    names.insert(StringRef(shard).split('@').second.str());
  return {names.begin(), names.end()};
}

void lathe::buildRankedImport(OpPassManager &passes, const CompileOptions &options, std::map<std::string, int64_t> fixed) {
  if (std::vector<std::string> axes = axesOf(options); !axes.empty()) {
    DeclareAxesPassOptions declared;
    declared.axisOptions.assign(axes.begin(), axes.end());
    passes.addPass(createDeclareAxesPass(declared));
    fixed.insert(options.axes.begin(), options.axes.end());
  }
  buildImportPipeline(passes, std::move(fixed), options.dimFormulas);
}

std::vector<std::string> lathe::exactSteps(const CompileOptions &options) {
  std::vector<std::string> steps;
  for (auto &[function, shard] : options.rankShards)
    if (options.exactReduction)
      steps.push_back(function);
  return steps;
}

void lathe::buildRankShards(OpPassManager &passes, const CompileOptions &options) {
  std::map<std::string, RankShard> shards;
  for (auto &[function, shard] : options.rankShards) {
    auto [batch, axis] = StringRef(shard).split('@');
    shards[function] = {batch.str(), axis.str()};
  }
  if (!shards.empty())
    passes.addPass(createAverageGradientsPass(std::move(shards), options.axes));
}

static void buildImport(OpPassManager &passes, const CompileOptions &options, const Targets &) {
  if (options.entryToRun)
    passes.addPass(createDeclareSlotsPass());
  if (!options.entries.empty() || options.gradcheck)
    passes.addPass(createSymbolDCEPass()); // the other functions are private by now
  if (options.gradcheck) {                 // composites may convert integers to f32, which must become f64
    passes.addPass(createExpandStdPass(checkInferenceBehindStd));
    passes.addPass(createWidenPass());
  }
  buildRankedImport(passes, options, options.fixedDims);
  if (options.gradcheck) { // the functions that minimize names still exist here
    passes.addPass(createGradcheckSubjectsPass({*options.gradcheck}));
    passes.addPass(createInlinePass());
  }
}

// Runs before any canonicalization: reads and writes of variables are ordered only until they are arguments and results.
static void buildState(OpPassManager &passes, const CompileOptions &options, const Targets &) {
  buildStatePipeline(passes, exactSteps(options));
  if (!options.gradients.empty())
    passes.addPass(createVariableGradientsPass());
  buildRankShards(passes, options); // first, so that the means over ranks belong to the update of a step that contexts share
  if (!options.shards.empty())
    passes.addPass(createSplitStepsPass(options.shards));
  if (options.gradcheck) // variables are arguments now, so this covers derivatives by them
    passes.addPass(createGradcheckEntriesPass());
}

/// The ops that are hoisted from loops.
enum class Hoists { None, KeepingZeros, All };

static void addSimplification(OpPassManager &passes, Hoists hoists) {
  std::vector<std::string> without;
  if (hoists == Hoists::None)
    without.push_back(kHoisting.str());
  if (hoists != Hoists::All)
    without.push_back(kHoistingOfAll.str());
  passes.addPass(createCanonicalizerPass(GreedyRewriteConfig(), without));
  passes.addPass(createCSEPass());
}

/// True if checks will be inserted. Do not hoist before that: an op in a loop that runs zero steps must not fail a check.
static bool isChecked(const CompileOptions &options) { return options.checkFinite || options.checkBounds; }

static void buildGraph(OpPassManager &passes, const CompileOptions &options, const Targets &) {
  addSimplification(passes, isChecked(options) ? Hoists::None : Hoists::KeepingZeros);
}

void lathe::buildStateShards(OpPassManager &passes, const CompileOptions &options) {
  PartitionPassOptions partition;
  partition.shardOptions.assign(options.variableShards.begin(), options.variableShards.end());
  for (auto &[axis, size] : options.axes)
    partition.axisOptions.push_back(axis + "=" + std::to_string(size));
  passes.addPass(createPartitionPass(partition)); // a graph without annotations stays as it is
  if (options.stateAxis.empty())
    return;
  std::string axis = options.stateAxis + "=" + std::to_string(options.axes.at(options.stateAxis));
  passes.addPass(createShardStatePass({axis, options.dividesParameters}));
  addSimplification(passes, isChecked(options) ? Hoists::None : Hoists::All);
}

// Derivatives of a simplified function are simpler; their ops are simplified again.
static void buildAutodiff(OpPassManager &passes, const CompileOptions &options, const Targets &) {
  passes.addPass(createExpandDerivativesPass({/*hoists=*/!isChecked(options)}));
  passes.addPass(createInlinePass());
  passes.addPass(createExplicitBroadcastPass());
  addSimplification(passes, isChecked(options) ? Hoists::None : Hoists::All);
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createRequireExtentsPass());
  buildStateShards(passes, options);
  if (isChecked(options)) // every op still exists and has its line here, also those of derivatives
    passes.addNestedPass<func::FuncOp>(createInsertChecksPass({options.checkFinite, options.checkBounds}));
}

// Runs once for all versions, so that they do the same work in the same order.
static void buildLayout(OpPassManager &passes, const CompileOptions &options, const Targets &targets) {
  passes.addNestedPass<func::FuncOp>(createPromotePass());
  passes.addNestedPass<func::FuncOp>(createLowerCollectivesPass());
  passes.addNestedPass<func::FuncOp>(createSinkProductsPass());
  passes.addNestedPass<func::FuncOp>(createOrderProductsPass());
  passes.addNestedPass<func::FuncOp>(createSinkTransposesPass());
  addSimplification(passes, Hoists::All);
  if (options.fuse && options.optLevel > 0 && targets.gpus.empty()) {
    passes.addNestedPass<func::FuncOp>(createBlockRowsPass()); // first, so that the weights are left to the product
    passes.addNestedPass<func::FuncOp>(createBlockKeysPass()); // which fusion then computes in strips
  }
  passes.addPass(createLayoutPass());
  if (options.fastMath && options.optLevel > 0 && targets.gpus.empty()) {
    bool multipliesPairs = options.fuse && llvm::all_of(targets.cpus, cpu::multipliesPairs); // fusion lets products read bf16
    if (multipliesPairs)
      passes.addNestedPass<func::FuncOp>(
          createPatchProductsPass({/*inPlace=*/llvm::none_of(targets.cpus, cpu::multipliesTiles)}));
    passes.addNestedPass<func::FuncOp>(createWinogradPass());
    if (multipliesPairs)
      passes.addNestedPass<func::FuncOp>(createRoundProductsPass());
  }
  if (options.optLevel > 0)
    passes.addPass(createConstantFoldPass()); // this includes copies of weights in other layouts
}

// Runs after all passes that do not depend on sizes and before all that do.
static void buildSpecialize(OpPassManager &passes, const CompileOptions &options, const Targets &) {
  passes.addPass(createSpecializePass(options.specialize));
  addSimplification(passes, Hoists::All); // folds sizes that are now numbers
}

static void buildFusion(OpPassManager &passes, const CompileOptions &options, const Targets &targets) {
  passes.addNestedPass<func::FuncOp>(createInlineCheckpointsPass());
  bool fuses = options.fuse && options.optLevel > 0;
  passes.addNestedPass<func::FuncOp>(createFusePass({fuses, targets.gpus.empty(), targets.gpus.empty(), options.anyItems}));
  if (fuses && targets.gpus.empty()) { // a GPU's kernels need the values between them as a whole
    passes.addNestedPass<func::FuncOp>(createCutStripsPass());
    passes.addNestedPass<func::FuncOp>(createSkipKeysPass());
  }
  // Packed weights take memory of which a budget knows nothing, and kernels of GPUs read the same weights in row-major order.
  if (options.optLevel > 0 && !options.memoryBudget && targets.hasCpuKernels && targets.gpus.empty())
    passes.addPass(createPackLoopWeightsPass(targets.cpus));
}

/// Values are computed again without a budget as long as that adds half a percent of the time, which is less than the
/// difference between two runs. A workspace below 16 MiB is small beside the process that it is a part of.
static constexpr double kFreeShare = 0.005;
static constexpr int64_t kLargeWorkspace = 16 << 20;

static void buildPlan(OpPassManager &passes, const CompileOptions &options, const Targets &targets) {
  if (options.optLevel > 0 || options.memoryBudget)
    passes.addNestedPass<func::FuncOp>(createOrderPass());
  double share = options.optLevel > 0 && targets.gpus.empty() ? kFreeShare : 0;
  if (options.memoryBudget || share > 0) {
    MemoryBudget budget{
        options.memoryBudget, options.budgetSizes, share, kLargeWorkspace, targets.gpus.empty() ? kOneCore : kOneGpu,
        options.offload};
    passes.addNestedPass<func::FuncOp>(createRecomputePass(budget, planWorkspace));
    passes.addNestedPass<func::FuncOp>(createOrderPass());
  }
  if (options.optLevel > 0 && !options.memoryBudget && targets.gpus.empty())
    passes.addNestedPass<func::FuncOp>(createOverlapPass());
  passes.addNestedPass<func::FuncOp>(createPlanPass());
  passes.addNestedPass<func::FuncOp>(createVerifyPlanPass());
}

static void buildSchedule(OpPassManager &passes, const CompileOptions &options, const Targets &targets) {
  // Kernels of GPUs read the same constants in row-major order, and a file of weights has the graph's order.
  if (targets.hasCpuKernels && targets.gpus.empty() && !options.externWeights && options.optLevel > 0)
    passes.addPass(createPackWeightsPass(targets.cpus));
  if (targets.hasCpuKernels)
    for (const VectorTarget &target : targets.cpus)
      passes.addPass(createScheduleCpuPass(target, options.scheduleFile, options.candidates));
  for (const ImagePlan &image : targets.images())
    passes.addPass(createScheduleGpuPass(image.target, options.scheduleFile));
}

llvm::ArrayRef<Stage> lathe::stages() {
  static const Stage stages[] = {{"import", buildImport, true},
                                 {"state", buildState, true},
                                 {"graph", buildGraph, true},
                                 {"autodiff", buildAutodiff},
                                 {"layout", buildLayout},
                                 {"specialize", buildSpecialize},
                                 {"fusion", buildFusion},
                                 {"plan", buildPlan},
                                 {"schedule", buildSchedule},
                                 {"kernels", nullptr},
                                 {"llvm", nullptr}};
  return stages;
}

std::vector<std::string> lathe::stageNames() {
  std::vector<std::string> names;
  for (const Stage &stage : stages())
    names.push_back(stage.name);
  return names;
}

StringRef lathe::lastGraphStage() {
  return llvm::find_if(stages(), [](const Stage &stage) { return !stage.build; })[-1].name;
}

LogicalResult lathe::runStages(ModuleOp module, StringRef last, const CompileOptions &options, const Targets &targets,
                               AfterStage after) {
  for (const Stage &stage : stages()) {
    if (!stage.build)
      break;
    if (options.progress)
      options.progress(stage.name);
    auto start = std::chrono::steady_clock::now();
    {
      ErrorList errors(*module.getContext());
      PassManager passes(module.getContext());
      stage.build(passes, options, targets);
      passes.enableVerifier(stage.readsText);
      if (failed(passes.run(module)) || (!stage.readsText && failed(verify(module))))
        return failure();
    }
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (after && failed(after(stage, taken.count())))
      return failure();
    if (last == stage.name)
      break;
  }
  return success();
}
