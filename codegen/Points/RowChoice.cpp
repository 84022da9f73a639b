#include "codegen/Points/Reduction.h"
#include "codegen/Points/RowPlan.h"
#include "codegen/Schedules/Cheapest.h"
#include "lib/Analysis/Recomputation.h"
#include "lib/Analysis/ReductionLevels.h"

using namespace mlir;
using namespace lathe;

/// Reduces and stores each value as early as possible: in the pass of its level. Sums of one level whose elements differ in
/// size have passes of their own, in the kernel's order.
static PassSchedule passesByLevel(const RowKernel &kernel) {
  struct LevelPass {
    unsigned level, sumBytes;
    SmallVector<int64_t *> numbers; // the entries of the schedule that name this pass
  };
  PassSchedule schedule;
  schedule.reduceIn.resize(kernel.reductions.size());
  schedule.storeIn.assign(kernel.roots.size(), -1);
  std::vector<LevelPass> passes;
  auto add = [&](unsigned level, unsigned sumBytes, int64_t &number) {
    auto after = llvm::find_if(passes, [&](const LevelPass &pass) { return pass.level > level; });
    auto found = std::find_if(passes.begin(), after, [&](const LevelPass &pass) {
      return pass.level == level && (!sumBytes || !pass.sumBytes || pass.sumBytes == sumBytes);
    });
    if (found == after)
      found = passes.insert(after, LevelPass{level, sumBytes, {}});
    found->sumBytes = std::max(found->sumBytes, sumBytes);
    found->numbers.push_back(&number);
  };
  for (auto [reduction, number] : llvm::zip_equal(kernel.reductions, schedule.reduceIn))
    add(kernel.levelOf(reduction->getResult(0)) - 1, bytesOfOrderedSum(reduction), number);
  for (auto [root, number] : llvm::zip_equal(kernel.roots, schedule.storeIn))
    if (kernel.isFull(root))
      add(kernel.levelOf(root), 0, number);
  for (auto [number, pass] : llvm::enumerate(passes))
    for (int64_t *entry : pass.numbers)
      *entry = number;
  return schedule;
}

/// Returns what the passes of a schedule reduce and store.
static std::vector<RowPass> passesOf(const RowKernel &kernel, const PassSchedule &schedule) {
  std::vector<RowPass> passes;
  auto at = [&](unsigned number) -> RowPass & {
    passes.resize(std::max<size_t>(passes.size(), number + 1));
    return passes[number];
  };
  for (auto [reduction, number] : llvm::zip_equal(kernel.reductions, schedule.reduceIn))
    at(number).reductions.push_back(reduction);
  for (auto [result, number] : llvm::enumerate(schedule.storeIn))
    if (number >= 0)
      at(number).stores.push_back(result);
  return passes;
}

namespace {
/// Chooses where to keep values, readers first. A value that several passes need is kept where computing it again costs more
/// than a store and a load, and if there is memory.
class KeptValues {
public:
  KeptValues(const RowKernel &kernel, PassSchedule &schedule, bool inOtherResults, int64_t ownBytes)
      : kernel(kernel), schedule(schedule), inOtherResults(inOtherResults), freeBytes(ownBytes) {}

  /// Returns the work of a point that the kept values save: a store and a load replace computing them again.
  int64_t choose();

private:
  std::optional<int64_t> memoryFor(NestOp value, unsigned lastPass);
  bool isTaken(unsigned result) const { return llvm::is_contained(schedule.keepIn, int64_t(result)); }

  const RowKernel &kernel;
  PassSchedule &schedule;
  bool inOtherResults; // a result may keep another value until it is stored
  int64_t freeBytes;   // of the kernel's own memory for a row
};

/// Returns the result whose memory keeps a value, or -1 for memory of the kernel's own; nullopt if there is no memory.
std::optional<int64_t> KeptValues::memoryFor(NestOp value, unsigned lastPass) {
  auto own = llvm::find(kernel.roots, value.getResult());
  if (own != kernel.roots.end() && !isTaken(own - kernel.roots.begin()))
    return own - kernel.roots.begin();
  if (inOtherResults) { // the first one to be stored after its last reader has read it
    std::optional<unsigned> best;
    for (auto [result, stored] : llvm::enumerate(schedule.storeIn))
      if (stored >= int64_t(lastPass) && !isTaken(result) && (!best || stored < schedule.storeIn[*best]) &&
          getElementTypeOrSelf(kernel.roots[result].getType()) == getElementTypeOrSelf(value.getResult().getType()))
        best = result;
    if (best)
      return *best;
  }
  std::optional<int64_t> bytes = kernel.rowBytes(value.getResult());
  if (!bytes || *bytes > freeBytes)
    return std::nullopt;
  freeBytes -= *bytes;
  return -1;
}

int64_t KeptValues::choose() {
  int64_t saved = 0;
  DenseMap<Value, unsigned> chain; // work of a full value, including that of all its inputs
  for (NestOp value : kernel.fullNests) {
    unsigned cost = pointCost(value);
    for (Value input : tensorsReadBy(value))
      cost += kernel.isFull(input) ? std::max(1u, chain.lookup(input)) : 0;
    chain[value.getResult()] = cost;
  }
  std::vector<RowPass> passes = passesOf(kernel, schedule);
  kernel.needsOf(passes, [&](NestOp value, const std::set<unsigned> &needed) {
    if (needed.size() < 2 || chain[value.getResult()] < kStoreAndLoad)
      return false;
    std::optional<int64_t> result = memoryFor(value, *needed.rbegin());
    if (!result)
      return false;
    schedule.keep.push_back(kernel.numberOf(value));
    schedule.keepIn.push_back(*result);
    saved += int64_t(chain[value.getResult()] - kStoreAndLoad) * (needed.size() - 1);
    return true;
  });
  std::reverse(schedule.keep.begin(), schedule.keep.end());
  std::reverse(schedule.keepIn.begin(), schedule.keepIn.end());
  return saved;
}
} // namespace

PassSchedule lathe::choosePasses(const RowKernel &kernel, int64_t ownBytes) {
  // Values are kept in any result; in results that have these values or in memory of the kernel's own; or not at all.
  struct Candidate {
    PassSchedule schedule;
    int64_t saved = 0; // work of a point
  };
  PassSchedule schedule = passesByLevel(kernel);
  std::vector<Candidate> candidates(3, Candidate{schedule});
  candidates[0].saved = KeptValues(kernel, candidates[0].schedule, /*inOtherResults=*/true, ownBytes).choose();
  candidates[1].saved = KeptValues(kernel, candidates[1].schedule, /*inOtherResults=*/false, ownBytes).choose();
  std::string why;
  llvm::erase_if(candidates, [&](const Candidate &each) { return !RowPlan::tryOf(kernel, each.schedule, ownBytes, why); });
  if (candidates.empty())
    return schedule;
  return cheapest(candidates, [](const Candidate &each) { return -each.saved; }).schedule;
}

PassSchedule lathe::passesInRegisters(const RowKernel &kernel, PassSchedule schedule) {
  PassSchedule held = schedule;
  held.keep.clear();
  held.keepIn.clear();
  for (auto [number, result] : llvm::zip_equal(schedule.keep, schedule.keepIn))
    if (result >= 0 && kernel.roots[result] == kernel.nests[number]->getResult(0)) {
      held.keep.push_back(number);
      held.keepIn.push_back(result);
    }
  return held;
}
