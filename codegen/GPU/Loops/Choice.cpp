#include "codegen/GPU/Loops/Choice.h"
#include "codegen/GPU/Threads/Parts.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/GPU/Tuning.h"
#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

Dims lathe::gpu::inVectors(ArrayRef<Dim> extents, int64_t lanes) {
  Dims vectors(extents.begin(), extents.end());
  if (lanes > 1)
    vectors.back() = Dim(vectors.back().constant() / lanes);
  return vectors;
}

namespace {
class LoopsChoice {
public:
  LoopsChoice(KernelOp kernel, const KernelLoops &loops) : kernel(kernel), loops(loops) {}

  LoopsSchedule choose();
  LogicalResult check(const LoopsSchedule &given);

private:
  ArrayRef<Dim> parallel() const { return ArrayRef(loops.extents).take_front(loops.parallel); }
  ArrayRef<Dim> reduced() const { return ArrayRef(loops.extents).drop_front(loops.parallel); }
  Dim points() const { return productOf(parallel()); }
  Dim length(int64_t lanes) const { return productOf(inVectors(reduced(), lanes)); }

  bool reducesContiguous() const;
  Group chooseGroup() const;
  unsigned chooseLanes(int64_t groupColumns) const;
  int64_t chooseParts(const LoopsSchedule &schedule) const;
  unsigned chooseReads(const LoopsSchedule &schedule) const;
  unsigned chooseSteps(const LoopsSchedule &schedule) const;

  bool dividesReads(const LoopsSchedule &schedule) const;
  bool dividesPoints(const LoopsSchedule &schedule) const;
  LogicalResult checkGroup(const LoopsSchedule &given);

  KernelOp kernel;
  const KernelLoops &loops;
};
} // namespace

/// True if more inputs are contiguous along the reduction than along the results.
bool LoopsChoice::reducesContiguous() const {
  unsigned along = 0, across = 0, dims = loops.extents.size(), last = dims - 1;
  for (const LeafAccess &leaf : collectLeafAccesses(loops)) {
    if (!leaf.inReduction)
      continue;
    along += strideByPosition(leaf, last, dims, loops.symbols.size()) == 1;
    for (unsigned dim = 0; dim < loops.parallel; ++dim)
      across += strideByPosition(leaf, dim, dims, loops.symbols.size()) == 1;
  }
  return along > across || loops.parallel == 0;
}

Group LoopsChoice::chooseGroup() const {
  if (!loops.reduction || reduced().empty())
    return {};
  Dim points = this->points(), length = this->length(1);
  if (length.isStatic() && length.constant() <= 4)
    return {};
  if (reducesContiguous()) {
    if (length.isStatic() && length.constant() <= tuning::kShortSum)
      return {1, kWarp};
    return {1, length.isStatic() && length.constant() >= tuning::kLongSum ? 256u : 64u};
  }
  if (points.isStatic() && points.constant() >= tuning::kEnoughThreads)
    return {};
  return {kWarp, 8};
}

/// Returns the lanes of vectors along the last dimension: that of the results, or that of a reduction whose contiguous elements
/// threads share.
unsigned LoopsChoice::chooseLanes(int64_t groupColumns) const {
  if (loops.reduction && (reduced().empty() || groupColumns > 1 || !reducesContiguous()))
    return 1;
  return vectorLanes(kernel, loops.extents);
}

int64_t LoopsChoice::chooseParts(const LoopsSchedule &schedule) const {
  if (schedule.groupRows == 1 || !points().isStatic())
    return 1;
  const Division division = {8, 512, schedule.groupRows * schedule.lanes * tuning::kReadsOfPart};
  return partsFor(loops, llvm::divideCeil(points().constant(), int64_t(schedule.pointsPerBlock())), division);
}

/// True if every thread reads the same number of elements in each part, `steps` at a time.
bool LoopsChoice::dividesReads(const LoopsSchedule &schedule) const {
  Dim all = length(schedule.lanes);
  return all.isStatic() && all.constant() % schedule.parts == 0 &&
         all.constant() / schedule.parts % (schedule.groupRows * schedule.steps) == 0;
}

unsigned LoopsChoice::chooseReads(const LoopsSchedule &schedule) const {
  LoopsSchedule tried = schedule;
  for (tried.steps = tuning::kMostReads; tried.steps > 1; tried.steps /= 2)
    if (dividesReads(tried))
      return tried.steps;
  return 1;
}

/// True if every thread has `steps` vectors of the results.
bool LoopsChoice::dividesPoints(const LoopsSchedule &schedule) const {
  Dim vectors = *points().dividedBy(schedule.lanes);
  return vectors.isStatic() && vectors.constant() % (int64_t(schedule.threads()) * schedule.steps) == 0;
}

/// Returns as many steps as registers hold, or 1 if a device runs threads for all vectors at once.
unsigned LoopsChoice::chooseSteps(const LoopsSchedule &schedule) const {
  Dim vectors = *points().dividedBy(schedule.lanes);
  if (!vectors.isStatic() || vectors.constant() <= kThreadsAtOnce)
    return 1;
  unsigned each = schedule.lanes * loops.operands, operations = schedule.lanes * operationsOf(kernel);
  LoopsSchedule tried = schedule;
  for (tried.steps = tuning::kMostSteps; tried.steps > 1; tried.steps /= 2)
    if (dividesPoints(tried) && tried.steps * each <= tuning::kStepRegisters &&
        tried.steps * operations <= tuning::kStepOperations)
      return tried.steps;
  return 1;
}

LoopsSchedule LoopsChoice::choose() {
  LoopsSchedule schedule;
  Group group = chooseGroup();
  schedule.groupColumns = group.columns;
  schedule.groupRows = group.rows;
  schedule.lanes = chooseLanes(schedule.groupColumns);
  schedule.parts = chooseParts(schedule);
  schedule.steps = loops.reduction ? chooseReads(schedule) : chooseSteps(schedule);
  return schedule;
}

LogicalResult LoopsChoice::checkGroup(const LoopsSchedule &given) {
  auto isPower = [](int64_t count) { return llvm::isPowerOf2_64(count); };
  if (given.groupRows == 1 && given.groupColumns == 1)
    return success();
  if (!loops.reduction || !isPower(given.groupRows) || !isPower(given.groupColumns) || given.groupRows == 1 ||
      given.threads() < kWarp || given.threads() > 1024 || (given.groupColumns > 1 && given.groupColumns < kWarp))
    return kernel.emitError("a schedule with 'group_columns' ")
           << given.groupColumns << " and 'group_rows' " << given.groupRows
           << "; expected 1 and 1, or for a reduction powers of two with 32 to 1024 threads, 1 or at least 32 columns";
  return success();
}

LogicalResult LoopsChoice::check(const LoopsSchedule &given) {
  LoopsSchedule chosen = choose();
  if (loops.reduction && bytesOfOrderedSum(loops.reduction))
    return keepsSumOrder(kernel.getLoc(), writeParameters(kernel.getContext(), given),
                         writeParameters(kernel.getContext(), chosen));
  if (failed(checkGroup(given)))
    return failure();
  if (given.lanes != 1 && given.lanes != int64_t(chooseLanes(given.groupColumns)))
    return kernel.emitError("a schedule with 'lanes' ")
           << given.lanes << "; expected 1 or " << chooseLanes(given.groupColumns) << ", the elements that come as one vector";
  if (given.parts > 1 && (given.groupRows == 1 || !points().isStatic()))
    return kernel.emitError("a schedule with 'parts' ")
           << given.parts << "; expected 1 unless threads share the reductions of a known number of results";
  if (given.steps > 1 && !(loops.reduction ? dividesReads(given) : dividesPoints(given)))
    return kernel.emitError("a schedule with 'steps' ") << given.steps << ", of which not every thread has the same number";
  return success();
}

LoopsSchedule lathe::gpu::chooseLoops(KernelOp kernel, const KernelLoops &loops) { return LoopsChoice(kernel, loops).choose(); }

LogicalResult lathe::gpu::checkLoops(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule) {
  return LoopsChoice(kernel, loops).check(schedule);
}
