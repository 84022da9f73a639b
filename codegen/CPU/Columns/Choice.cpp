#include "codegen/CPU/Columns/Choice.h"
#include "codegen/CPU/Loops/Choice.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Sums/SumLanes.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

ArrayRef<Dim> lathe::cpu::reducedDims(const KernelLoops &loops) {
  return ArrayRef<Dim>(loops.extents).drop_front(loops.parallel);
}

Dims lathe::cpu::outerDims(const KernelLoops &loops, unsigned columnLoop) {
  Dims outer;
  for (unsigned dim = 0; dim < loops.parallel; ++dim)
    if (dim != columnLoop)
      outer.push_back(loops.extents[dim]);
  return outer;
}

static Value yieldedBy(NestOp nest) { return nest.getBody().front().getTerminator()->getOperand(0); }

/// Returns the number of terms of a column.
static Dim depthOf(const KernelLoops &loops) { return numElements(reducedDims(loops)).value_or(Dim::unknown()); }

SumOrder lathe::cpu::columnOrder(const KernelLoops &loops) {
  return isa_and_nonnull<arith::MulFOp>(yieldedBy(loops.reduction).getDefiningOp()) ? kProductOrder : kTermOrder;
}

int64_t lathe::cpu::groupDigits(const KernelLoops &loops) {
  SumOrder order = columnOrder(loops);
  if (!isFloatSum(loops.reduction) || !order.pairs)
    return 0;
  std::optional<int64_t> groups = Chains::groupCount(order, depthOf(loops), reducedDims(loops).back());
  if (groups && *groups <= 1)
    return 0;
  return digitsOfCounter(groups ? std::optional(*groups - 1) : std::nullopt); // the last group is not counted
}

/// True if the terms of adjacent columns are adjacent, or one, and those of one column lie in different rows of memory.
static bool readsRows(const KernelLoops &loops, unsigned columnLoop, int64_t width) {
  bool hasRows = false;
  for (const LeafAccess &leaf : collectLeafAccesses(loops)) {
    if (!leaf.inReduction)
      continue;
    auto along = [&](unsigned dim) { return strideAlong(leaf, dim, loops.extents.size(), loops.symbols.size()); };
    std::optional<int64_t> column = along(columnLoop), term = along(loops.extents.size() - 1);
    if (column == 0 || (column == 1 && term == 0))
      continue;
    if (column != 1 || (term && std::abs(*term) < width))
      return false;
    hasRows = true;
  }
  return hasRows;
}

static unsigned accumulatorBytes(const KernelLoops &loops) {
  return yieldedBy(loops.reduction).getType().getIntOrFloatBitWidth() / 8;
}

/// Returns the bytes on the stack for each column: accumulators (two for indices and extremes), the sums of a group of chains,
/// and those of all groups.
static int64_t bytesPerColumn(const KernelLoops &loops) {
  int64_t bytes = std::max<int64_t>(accumulatorBytes(loops), 4);
  return (2 + std::max<int64_t>(groupDigits(loops), 1)) * bytes;
}

std::optional<ColumnReductionSchedule> lathe::cpu::chooseColumns(KernelOp kernel, const KernelLoops &loops,
                                                                 const VectorTarget &target) {
  Dim depth = depthOf(loops);
  if (!loops.reduction || loops.parallel == loops.extents.size() || !accumulatorBytes(loops) ||
      (depth.isStatic() && depth.constant() < tuning::kLeastTerms))
    return std::nullopt;
  LoopsSchedule inRegisters = chooseLoops(kernel, loops, target);
  bool isLong = inRegisters.vectors == 1; // a body that fills the registers
  if (inRegisters.vectorLoop < 0 || inRegisters.vectorLoop >= int64_t(loops.parallel) || isLong)
    return std::nullopt;
  ColumnReductionSchedule schedule;
  schedule.columnLoop = inRegisters.vectorLoop;
  const Dim &columns = loops.extents[schedule.columnLoop];
  schedule.lanes = inRegisters.lanes;
  schedule.vectors = vectorsAlong(columns, schedule.lanes); // plain loops may take fewer for a remainder
  schedule.terms = tuning::kTermsAtOnce;
  if (schedule.vectors < kSumVectors)
    return std::nullopt;
  int64_t width = schedule.lanes * schedule.vectors, bytes = std::max<int64_t>(accumulatorBytes(loops), 1);
  if (columns.isStatic() && columns.constant() <= width)
    return std::nullopt;
  if (columns.isStatic() && depth.isStatic() && columns.constant() * depth.constant() * bytes <= target.cacheBlockBytes())
    return std::nullopt;
  if (!readsRows(loops, schedule.columnLoop, width))
    return std::nullopt;
  schedule.fetch = chooseFetch(loops, target);
  schedule.vectors = std::clamp<int64_t>(tuning::kColumnBytesAtOnce / (schedule.lanes * bytes), 1, schedule.vectors);
  schedule.columns = target.cacheBlockBytes() / (2 * bytes);
  while (schedule.columns > width && schedule.columns * bytesPerColumn(loops) > tuning::kMostColumnBytes)
    schedule.columns /= 2;
  if (columns.isStatic())
    schedule.columns = std::min<int64_t>(schedule.columns, llvm::alignTo(columns.constant(), width));
  schedule.piece = tuning::kLeastPieceBytes / bytes;
  if (depth.isStatic())
    schedule.piece =
        std::clamp<int64_t>(llvm::PowerOf2Ceil(tuning::kPieceTerms / depth.constant()), schedule.piece, tuning::kPieceElements);
  return schedule;
}

LogicalResult lathe::cpu::checkColumns(KernelOp kernel, const KernelLoops &loops, const ColumnReductionSchedule &schedule) {
  if (schedule.columnLoop >= int64_t(loops.parallel))
    return kernel.emitError("a schedule with 'column_loop' ")
           << schedule.columnLoop << "; the kernel has " << loops.parallel << " parallel loops";
  for (int64_t value : {schedule.lanes, schedule.vectors})
    if (!llvm::isPowerOf2_64(value))
      return kernel.emitError("a schedule with 'lanes' ")
             << schedule.lanes << " and 'vectors' " << schedule.vectors << "; expected powers of two";
  int64_t width = schedule.lanes * schedule.vectors, most = tuning::kMostColumnBytes / bytesPerColumn(loops);
  if (schedule.columns % width || schedule.columns > most)
    return kernel.emitError("a schedule with 'columns' ") << schedule.columns << "; expected a multiple of " << width
                                                          << ", and at most " << most << ", whose sums a thread's stack holds";
  return success();
}
