#include "codegen/CPU/Loops/Choice.h"
#include "codegen/CPU/Loops/Parts.h"
#include "codegen/CPU/Loops/Stages.h"
#include "codegen/CPU/Sums/SumLanes.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "codegen/Schedules/Cheapest.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
using StrideFunction = decltype(strideAlong);

/// Chooses the schedule of one kernel's loops.
class LoopsChoice {
public:
  LoopsChoice(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target)
      : kernel(kernel), loops(loops), target(target), leaves(collectLeafAccesses(loops)) {}

  LoopsSchedule choose();
  std::optional<unsigned> bestReduceDim();
  unsigned lanesAlong(unsigned dim);

private:
  std::optional<double> memoryCost(unsigned dim, StrideFunction strideOf);
  std::optional<unsigned> bestParallelDim();
  unsigned operationCount();
  bool sharesTerms(unsigned dim);
  void chooseRows(LoopsSchedule &schedule);
  bool isParallel(unsigned dim) const { return dim < loops.parallel; }

  KernelOp kernel;
  const KernelLoops &loops;
  const VectorTarget &target;
  SmallVector<LeafAccess> leaves;
};
} // namespace

/// Returns the memory cost of an iteration that is vectorised along `dim`: half a unit for a uniform access, one unit for a
/// contiguous access, and one unit per lane for any other. Returns nullopt if no access is contiguous.
std::optional<double> LoopsChoice::memoryCost(unsigned dim, StrideFunction strideOf) {
  constexpr double kLanes = 16, kEpilogue = 0.1; // an epilogue runs once for all iterations of a reduction
  double cost = 0;
  bool hasContiguous = false;
  for (const LeafAccess &leaf : leaves) {
    double weight = loops.reduction && !leaf.inReduction ? kEpilogue : 1;
    std::optional<int64_t> stride = strideOf(leaf, dim, loops.extents.size(), loops.symbols.size());
    hasContiguous |= stride == 1;
    cost += weight * (stride == 0 ? 0.5 : stride == 1 ? 1 : kLanes);
  }
  return hasContiguous ? std::optional(cost) : std::nullopt;
}

/// Returns the reduction dimension to vectorise, if that is better than any parallel one. The choice decides the order of a
/// sum. It therefore ignores extents: a specialised version must choose as the general one does.
std::optional<unsigned> LoopsChoice::bestReduceDim() {
  std::optional<unsigned> best;
  double parallel = std::numeric_limits<double>::infinity(), reduce = parallel;
  for (unsigned dim = 0; dim < loops.extents.size(); ++dim) {
    std::optional<double> cost = memoryCost(dim, strideByPosition);
    if (cost && isParallel(dim))
      parallel = std::min(parallel, *cost);
    else if (cost && *cost <= reduce) // if equal, prefer the innermost
      best = dim, reduce = *cost;
  }
  return reduce < parallel ? best : std::nullopt;
}

std::optional<unsigned> LoopsChoice::bestParallelDim() {
  std::optional<unsigned> best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned dim = 0; dim < loops.parallel; ++dim) {
    const Dim &extent = loops.extents[dim];
    std::optional<double> cost = memoryCost(dim, strideAlong);
    if (cost && *cost <= least && (!extent.isStatic() || extent.constant() >= tuning::kLeastVectorised))
      best = dim, least = *cost;
  }
  return best;
}

/// Returns the number of scalar operations per point of the kernel.
unsigned LoopsChoice::operationCount() {
  unsigned count = 0;
  kernel.getBody().walk([&](Operation *op) { count += op->getNumRegions() == 0; });
  return count;
}

/// True for an index of a result, along another loop than `dim`, and for a size.
static bool isSameAlong(Operation *op, const KernelLoops &loops, unsigned dim) {
  auto index = dyn_cast_or_null<IndexOp>(op);
  if (!index)
    return isa_and_nonnull<ExtentOp>(op);
  return llvm::is_contained(loops.roots, cast<NestOp>(index->getParentOp()).getResult()) && index.getDim() != dim;
}

/// Returns the values of a kernel's nests that are the same at all points along the loop `dim`, since they are computed from
/// tensors without dimensions, from sizes and from indices along other loops. Constants belong to them if only such values are
/// computed from them.
static DenseSet<Value> valuesOfScalars(KernelOp kernel, const KernelLoops &loops, unsigned dim) {
  DenseSet<Value> found;
  kernel.getBody().walk([&](Operation *op) {
    auto isScalar = [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      auto nest = argument ? dyn_cast<NestOp>(argument.getOwner()->getParentOp()) : NestOp();
      if (nest)
        return cast<RankedTensorType>(nest.getInputs()[argument.getArgNumber()].getType()).getRank() == 0;
      return found.contains(operand) || operand.getDefiningOp<arith::ConstantOp>() ||
             isSameAlong(operand.getDefiningOp(), loops, dim);
    };
    if (op->getNumOperands() && !op->getNumRegions() && llvm::all_of(op->getOperands(), isScalar))
      found.insert_range(op->getResults());
  });
  kernel.getBody().walk([&](arith::ConstantOp op) {
    if (llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return user->getNumResults() && found.contains(user->getResult(0)); }))
      found.insert(op.getResult());
  });
  return found;
}

/// Returns the lanes of a register along a loop: those of the widest type or, along a sum, those of its own type, because they
/// decide its order.
unsigned LoopsChoice::lanesAlong(unsigned dim) {
  if (unsigned ordered = loops.reduction && !isParallel(dim) ? bytesOfOrderedSum(loops.reduction) : 0)
    return target.lanes(ordered);
  unsigned bytes = 1;
  for (const LeafAccess &leaf : leaves)
    if (leaf.type.getRank() > 0)
      bytes = std::max(bytes, leaf.type.getElementTypeBitWidth() / 8);
  for (Value root : loops.roots)
    bytes = std::max(bytes, cast<RankedTensorType>(root.getType()).getElementTypeBitWidth() / 8);
  DenseSet<Value> scalars = valuesOfScalars(kernel, loops, dim);
  kernel.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (result.getType().isIntOrFloat() && !isa<IndexOp, ExtentOp>(op) && !scalars.contains(result))
        bytes = std::max(bytes, result.getType().getIntOrFloatBitWidth() / 8);
  });
  const Dim &extent = loops.extents[dim];
  if (isParallel(dim) && extent.isStatic())
    return std::min<unsigned>(target.lanes(bytes), llvm::PowerOf2Ceil(std::max(extent.constant(), tuning::kLeastVectorised)));
  return target.lanes(bytes);
}

/// Returns the vectors of a step along parallel loops of these extents. Short ones take fewer if that leaves fewer vectors to
/// steps of one vector whose lanes are masked off.
static unsigned vectorsOfPoints(ArrayRef<Dim> extents, unsigned lanes) {
  unsigned most = 1;
  for (const Dim &extent : extents)
    most = std::max(most, vectorsAlong(extent, lanes));
  if (!llvm::all_of(extents, [](const Dim &extent) { return extent.isStatic(); }))
    return most;
  SmallVector<unsigned> candidates;
  for (unsigned vectors = most; vectors > 0; vectors /= 2)
    candidates.push_back(vectors);
  return cheapest(candidates, [&](unsigned vectors) {
    constexpr int64_t kStep = 1, kVector = 2, kMasked = 4; // relative times
    int64_t width = int64_t(vectors) * lanes, cost = 0;
    for (const Dim &extent : extents)
      cost += extent.constant() / width * (kStep + kVector * vectors) +
              int64_t(llvm::divideCeil(extent.constant() % width, lanes)) * kMasked;
    return cost;
  });
}

/// True if points along a parallel loop read the same terms of the reduction from memory.
bool LoopsChoice::sharesTerms(unsigned dim) {
  auto along = [&](const LeafAccess &leaf, unsigned other) {
    return strideAlong(leaf, other, loops.extents.size(), loops.symbols.size());
  };
  return llvm::any_of(leaves, [&](const LeafAccess &leaf) {
    return leaf.inReduction && along(leaf, dim) == 0 && along(leaf, loops.extents.size() - 1) != 0;
  });
}

/// Chooses the loop of which several indices are computed at once, and their number: as many as have their accumulators in half
/// of the registers, as long as enough work items are left for threads.
void LoopsChoice::chooseRows(LoopsSchedule &schedule) {
  int64_t items = 1;
  for (unsigned dim = 0; dim < loops.parallel; ++dim)
    if (dim != schedule.vectorLoop)
      items *= loops.extents[dim].isStatic() ? loops.extents[dim].constant() : 1;
  for (unsigned dim = loops.parallel; dim-- > 0;) {
    const Dim &extent = loops.extents[dim];
    if (dim == schedule.vectorLoop || !extent.isStatic() || !sharesTerms(dim))
      continue;
    for (int64_t rows = tuning::kMostRowsAtOnce; rows > 1; rows /= 2) {
      if (extent.constant() % rows || rows * schedule.vectors > target.sumRegisters() || items / rows < tuning::kLeastRowItems)
        continue;
      schedule.rowLoop = dim;
      schedule.rows = rows;
      schedule.steps = std::max<int64_t>(schedule.steps / rows, 1);
      return;
    }
  }
}

int64_t lathe::cpu::chooseFetch(const KernelLoops &loops, const VectorTarget &target) {
  int64_t bytes = 0;
  for (const LeafAccess &leaf : collectLeafAccesses(loops))
    if (leaf.inReduction && leaf.type.hasStaticShape())
      bytes = std::max<int64_t>(bytes, leaf.type.getNumElements() * leaf.type.getElementTypeBitWidth() / 8);
  return bytes > target.secondCacheBytes ? tuning::kFetchedBytesAhead : 0;
}

LoopsSchedule LoopsChoice::choose() {
  LoopsSchedule schedule;
  schedule.piece = tuning::kPieceElements;
  // Unroll loops of few operations: at their short chains' ends, branches would be mispredicted too often.
  if (loops.reduction && operationCount() <= tuning::kShortBody)
    schedule.steps = tuning::kStepsAtOnce;
  std::optional<unsigned> dim = bestReduceDim();
  if (!dim)
    dim = bestParallelDim();
  if (!dim)
    return schedule;
  schedule.vectorLoop = *dim;
  schedule.lanes = lanesAlong(*dim);
  schedule.parts = chooseParts(kernel, loops, schedule.vectorLoop, schedule.lanes);
  NestOp parts = schedule.parts < 0 ? NestOp() : nestAt(kernel, schedule.parts);
  Dims ofParts = parts && concatenatedDim(parts) == dim ? extentsOfParts(parts) : Dims();
  bool isLong = operationCount() > tuning::kLongBody && isParallel(*dim);
  const Dim &extent = loops.extents[*dim];
  if (isLong)
    schedule.vectors = 1;
  else
    schedule.vectors = isParallel(*dim) ? vectorsOfPoints(ofParts.empty() ? ArrayRef(extent) : ofParts, schedule.lanes)
                                        : vectorsAlong(extent, schedule.lanes);
  if (loops.reduction && !isParallel(*dim))
    schedule.fetch = chooseFetch(loops, target);
  if (parts)
    return schedule;
  if (loops.reduction && isParallel(*dim) && !isLong && loops.parallel < loops.extents.size())
    chooseRows(schedule);
  if (!extent.isStatic() || extent.constant() >= tuning::kLeastStagedPoints)
    schedule.keep = chooseStages(kernel, loops, target);
  return schedule;
}

LoopsSchedule lathe::cpu::chooseLoops(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target) {
  return LoopsChoice(kernel, loops, target).choose();
}

static LogicalResult checkStages(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule) {
  for (auto [i, number] : llvm::enumerate(schedule.keep)) {
    NestOp nest = nestAt(kernel, number);
    std::string why = !nest                                     ? "the kernel has no such value"
                      : schedule.vectorLoop < 0                 ? "no loop is vectorised"
                      : i > 0 && number <= schedule.keep[i - 1] ? "numbers must grow"
                                                                : whyNoStage(nest, loops);
    if (!why.empty())
      return kernel.emitError("a schedule with 'keep' of value ") << number << ": " << why;
  }
  return success();
}

static LogicalResult checkParts(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule) {
  if (schedule.parts < 0)
    return success();
  NestOp nest = nestAt(kernel, schedule.parts);
  std::string why = !nest                    ? "the kernel has no such value"
                    : !schedule.keep.empty() ? "values are kept, too"
                                             : whyNoParts(nest, loops, schedule.vectorLoop);
  if (!why.empty())
    return kernel.emitError("a schedule with 'parts' of value ") << schedule.parts << ": " << why;
  return success();
}

static LogicalResult checkRows(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule) {
  if (schedule.rowLoop < 0 && schedule.rows == 1)
    return success();
  auto isLoop = [&](int64_t loop) { return loop >= 0 && loop < int64_t(loops.parallel); };
  std::string why = !loops.reduction                          ? "the kernel has no reduction"
                    : !isLoop(schedule.vectorLoop)            ? "no parallel loop is vectorised"
                    : !isLoop(schedule.rowLoop)               ? "it is not a parallel loop"
                    : schedule.rowLoop == schedule.vectorLoop ? "it is the vectorised loop"
                    : !loops.extents[schedule.rowLoop].isStatic() || loops.extents[schedule.rowLoop].constant() % schedule.rows
                        ? "they do not divide its extent"
                        : "";
  if (!why.empty())
    return kernel.emitError("a schedule with ") << schedule.rows << " 'rows' of 'row_loop' " << schedule.rowLoop << ": " << why;
  return success();
}

LogicalResult lathe::cpu::checkLoops(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule,
                                     const VectorTarget &target) {
  auto isPower = [](int64_t value) { return llvm::isPowerOf2_64(value); };
  if (schedule.vectorLoop >= int64_t(loops.extents.size()))
    return kernel.emitError("a schedule with 'vector_loop' ")
           << schedule.vectorLoop << "; the kernel has " << loops.extents.size() << " loops";
  if (!isPower(schedule.lanes) || !isPower(schedule.vectors) || !isPower(schedule.steps))
    return kernel.emitError("a schedule with 'lanes' ") << schedule.lanes << ", 'vectors' " << schedule.vectors
                                                        << " and 'steps' " << schedule.steps << "; expected powers of two";
  if (schedule.vectorLoop >= 0 && schedule.lanes == 1)
    return kernel.emitError("a schedule with 1 of 'lanes' along loop ")
           << schedule.vectorLoop << "; expected several lanes, or 'vector_loop' -1";
  if (failed(checkStages(kernel, loops, schedule)) || failed(checkParts(kernel, loops, schedule)) ||
      failed(checkRows(kernel, loops, schedule)))
    return failure();
  unsigned sumBytes = loops.reduction ? bytesOfOrderedSum(loops.reduction) : 0;
  if (!sumBytes)
    return success();
  LoopsChoice choice(kernel, loops, target);
  std::optional<unsigned> along = choice.bestReduceDim();
  bool isAlong = schedule.vectorLoop >= int64_t(loops.parallel);
  if (isAlong != along.has_value() || (along && *along != schedule.vectorLoop))
    return kernel.emitError("a schedule with 'vector_loop' ")
           << schedule.vectorLoop << " for a sum that "
           << (along ? "goes along loop " + Twine(*along) : Twine("does not go along lanes"))
           << ": the order of a sum depends only on types and positions";
  if (!along)
    return success();
  return checkSumLanes(kernel, schedule.lanes * schedule.vectors, sumBytes, loops.extents[*along], target);
}
