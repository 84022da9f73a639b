#include "codegen/CPU/Loops/Stages.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/NestCost.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;
using elementary::Cost;

NestOp lathe::cpu::nestAt(KernelOp kernel, int64_t number) {
  for (NestOp nest : kernel.getBody().getOps<NestOp>())
    if (number-- == 0)
      return nest;
  return {};
}

static bool readsAtOwnPoint(NestOp reader, unsigned input) {
  auto access = cast<AccessAttr>(reader.getAccesses()[input]);
  auto isTrue = [](AffineExpr expr) { return isa<AffineConstantExpr>(expr); }; // no guard is 0 >= 0
  return access.getMap().getValue().isIdentity() && llvm::all_of(access.getGuard().getValue().getConstraints(), isTrue);
}

std::string lathe::cpu::whyNotAtOwnPoints(NestOp nest, const KernelLoops &loops) {
  if (dimsOf(nest.getResult()) != loops.extents)
    return "it has another shape than the results";
  SmallVector<Value> open = {nest.getResult()};
  DenseSet<Value> later(open.begin(), open.end());
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<YieldOp>(user))
        continue;
      auto reader = dyn_cast<NestOp>(user);
      if (!reader || !readsAtOwnPoint(reader, use.getOperandNumber()))
        return "an op reads it at other points than its own";
      if (dimsOf(reader.getResult()) != loops.extents)
        return "an op of another shape reads it";
      if (later.insert(reader.getResult()).second)
        open.push_back(reader.getResult());
    }
  return "";
}

std::string lathe::cpu::whyNoStage(NestOp nest, const KernelLoops &loops) {
  auto type = cast<RankedTensorType>(nest.getResult().getType());
  if (loops.reduction)
    return "the kernel has a reduction";
  if (!type.getElementType().isF32() && !type.getElementType().isF64())
    return "it is neither of f32 nor of f64";
  return whyNotAtOwnPoints(nest, loops);
}

namespace {

/// Estimates the time of a kernel's points as stages.
class StageCosts {
public:
  StageCosts(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target) : loops(loops) {
    for (NestOp nest : kernel.getBody().getOps<NestOp>())
      costs[nest] = costOf(nest, target);
  }

  /// Returns the cycles of a vector of points in all stages.
  double cycles(ArrayRef<NestOp> kept);

private:
  /// The instructions of a stage, and the latency from its loads to each value.
  struct Stage {
    Cost all;
    DenseMap<Value, double> known;
  };

  double visit(Value tensor, ArrayRef<NestOp> kept, Stage &stage);
  double cycles(ValueRange results, ArrayRef<NestOp> kept);

  const KernelLoops &loops;
  DenseMap<NestOp, Cost> costs;
};

double StageCosts::visit(Value tensor, ArrayRef<NestOp> kept, Stage &stage) {
  auto [place, isNew] = stage.known.try_emplace(tensor, 0);
  if (!isNew)
    return place->second;
  auto nest = tensor.getDefiningOp<NestOp>();
  if (!nest || llvm::is_contained(kept, nest)) {
    constexpr double kLoad = 1;
    stage.all.instructions += kLoad;
    return 0;
  }
  double before = 0;
  for (Value input : nest.getInputs())
    before = std::max(before, visit(input, kept, stage));
  Cost cost = costs.lookup(nest);
  stage.all.instructions += cost.instructions;
  return stage.known[tensor] = before + cost.latency;
}

/// Returns the cycles of a stage that computes some values.
double StageCosts::cycles(ValueRange results, ArrayRef<NestOp> kept) {
  constexpr double kLoop = 2; // instructions of the loop itself
  Stage stage;
  for (Value result : results)
    stage.all.latency = std::max(stage.all.latency, visit(result, kept, stage));
  double instructions = stage.all.instructions + kLoop + results.size();
  return std::max(instructions / tuning::kIssuedAtOnce, stage.all.latency * instructions / tuning::kInFlight);
}

double StageCosts::cycles(ArrayRef<NestOp> kept) {
  double sum = cycles(loops.roots, kept);
  for (size_t i = 0; i < kept.size(); ++i)
    sum += cycles(kept[i]->getResults(), kept.take_front(i));
  return sum;
}

} // namespace

SmallVector<int64_t> lathe::cpu::chooseStages(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target) {
  SmallVector<std::pair<NestOp, int64_t>> candidates;
  for (auto [number, nest] : llvm::enumerate(kernel.getBody().getOps<NestOp>()))
    if (whyNoStage(nest, loops).empty())
      candidates.push_back({nest, int64_t(number)});
  SmallVector<int64_t> chosen;
  if (candidates.empty() || candidates.size() > tuning::kMostStagedOps)
    return chosen;
  StageCosts costs(kernel, loops, target);
  SmallVector<NestOp> kept;
  double least = costs.cycles(kept);
  while (kept.size() + 1 < tuning::kMostStages) {
    double best = least * tuning::kStageGain;
    std::optional<size_t> which;
    for (auto [i, candidate] : llvm::enumerate(candidates)) {
      SmallVector<NestOp> tried(kept);
      tried.push_back(candidate.first);
      llvm::sort(tried, [](NestOp x, NestOp y) { return x->isBeforeInBlock(y); });
      if (double cycles = costs.cycles(tried); cycles < best)
        best = cycles, which = i;
    }
    if (!which)
      break;
    kept.push_back(candidates[*which].first);
    llvm::sort(kept, [](NestOp x, NestOp y) { return x->isBeforeInBlock(y); });
    chosen.push_back(candidates[*which].second);
    least = best;
  }
  llvm::sort(chosen); // numbers grow in the order of the block
  return chosen;
}
