#include "codegen/GPU/RowPasses/Choice.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/GPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

/// The most bytes of shared memory in which the rows of a block keep values. Reductions take the rest.
static constexpr int64_t kKeptBytes = kDeclaredSharedBytes * 2 / 3;

static unsigned mostLanes(const RowKernel &rows) {
  return rows.innerExtents().size() == 1 ? vectorLanes(rows.kernel, rows.full) : 1;
}

int64_t RowPassesSchedule::keptBytes() const { return std::min(tuning::kRowBytes, kKeptBytes / (threads / threadsPerRow)); }

/// True if all threads of a warp have a row, or none of them: threads of one warp must leave together.
static bool fillsWarps(const RowKernel &rows, const RowPassesSchedule &schedule) {
  Dim count = productOf(rows.rowExtents());
  return schedule.threadsPerRow >= kWarp ||
         (count.isStatic() && count.constant() % (schedule.threads / schedule.threadsPerRow) == 0);
}

/// Gives one warp to a row of up to eight steps, and to a longer row so many threads that each has about four steps.
RowPassesSchedule lathe::gpu::chooseRowPasses(const RowKernel &rows) {
  RowPassesSchedule schedule;
  KernelOp kernel = rows.kernel;
  schedule.lanes = mostLanes(rows);
  std::optional<int64_t> size = rows.rowSize();
  int64_t lanes = schedule.lanes, count = std::max<int64_t>(size.value_or(0) / lanes, 1);
  if (size) {
    schedule.threadsPerRow =
        count <= kWarp * tuning::kWarpSteps
            ? std::min<int64_t>(llvm::PowerOf2Ceil(count), kWarp)
            : std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(count, tuning::kRowSteps)), tuning::kMostRowThreads);
    schedule.threads = schedule.threadsPerRow > kWarp ? schedule.threadsPerRow : tuning::kRowBlock;
  }
  schedule.passes = choosePasses(rows, schedule.keptBytes());
  if (!size)
    return schedule;
  int64_t steps = llvm::divideCeil(count, schedule.threadsPerRow);
  int64_t values = kernel.getBody().getNumArguments() + schedule.passes.keep.size() + 1;
  int64_t registers = values * steps * lanes * std::max(rows.elementBytes / 4, 1u);
  if (fillsWarps(rows, schedule) && *size > 0 && registers <= tuning::kRowRegisters &&
      steps * lanes * operationsOf(kernel) <= tuning::kRowOperations) {
    schedule.steps = steps;
    schedule.passes = passesInRegisters(rows, schedule.passes);
  }
  return schedule;
}

static LogicalResult checkThreads(KernelOp kernel, const RowPassesSchedule &schedule) {
  bool isPower = llvm::isPowerOf2_64(schedule.threadsPerRow) && llvm::isPowerOf2_64(schedule.threads);
  bool fits = schedule.threadsPerRow > kWarp ? schedule.threads == schedule.threadsPerRow
                                             : schedule.threads % schedule.threadsPerRow == 0;
  if (!isPower || !fits)
    return kernel.emitError("a schedule with 'threads_per_row' ")
           << schedule.threadsPerRow << " and 'threads' " << schedule.threads
           << "; expected powers of two, which are equal where a row has more than a warp";
  return success();
}

LogicalResult lathe::gpu::checkRowPasses(const RowKernel &rows, const RowPassesSchedule &schedule) {
  KernelOp kernel = rows.kernel;
  RowPassesSchedule chosen = chooseRowPasses(rows);
  bool hasSum = llvm::any_of(rows.reductions, [](NestOp reduction) { return bytesOfOrderedSum(reduction) > 0; });
  if (hasSum && failed(keepsSumOrder(kernel.getLoc(), writeParameters(kernel.getContext(), schedule),
                                     writeParameters(kernel.getContext(), chosen), {"threads_per_row", "lanes", "steps"})))
    return failure();
  if (failed(checkThreads(kernel, schedule)))
    return failure();
  if (schedule.lanes != 1 && schedule.lanes != chosen.lanes)
    return kernel.emitError("a schedule with 'lanes' ")
           << schedule.lanes << "; expected 1 or " << chosen.lanes << ", the elements that come as one vector";
  std::optional<int64_t> size = rows.rowSize();
  int64_t needed = size ? llvm::divideCeil(std::max<int64_t>(*size / schedule.lanes, 1), schedule.threadsPerRow) : 0;
  if (schedule.steps && (schedule.steps != needed || !fillsWarps(rows, schedule)))
    return kernel.emitError("a schedule with 'steps' ")
           << schedule.steps << "; expected 0, or for rows of known length the vectors of a thread, " << needed;
  if (failed(RowPlan::of(rows, schedule.passes, schedule.keptBytes())))
    return failure();
  if (schedule.steps && passesInRegisters(rows, schedule.passes).keep != schedule.passes.keep)
    return kernel.emitError(
        "a schedule with 'steps' that keeps values in memory; expected only values that are results, kept in "
        "their own memory");
  return success();
}
