#include "codegen/GPU/RowPasses/Choice.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static unsigned mostLanes(KernelOp kernel, const RowPlan &plan) {
  return plan.lineExtents().size() == 1 ? vectorLanes(kernel, plan.full) : 1;
}

/// True if all threads of a warp have a row, or none of them: threads of one warp must leave together.
static bool fillsWarps(const RowPlan &plan, const RowPassesSchedule &schedule) {
  Dim rows = ThreadFrame::product(plan.rowExtents());
  return schedule.threadsPerRow >= kWarp ||
         (rows.isStatic() && rows.constant() % (schedule.threads / schedule.threadsPerRow) == 0);
}

/// Gives one warp to a row of up to eight steps, and to a longer row so many threads that each has about four steps.
RowPassesSchedule lathe::gpu::chooseRowPasses(KernelOp kernel, const RowPlan &plan) {
  constexpr int64_t kBlock = 128, kMostThreads = 512, kWarpSteps = 8, kSteps = 4, kRegisters = 96, kOperations = 2048;
  RowPassesSchedule schedule;
  schedule.lanes = mostLanes(kernel, plan);
  std::optional<int64_t> size = plan.lineSize();
  if (!size)
    return schedule;
  int64_t lanes = schedule.lanes, count = std::max<int64_t>(*size / lanes, 1);
  schedule.threadsPerRow = count <= kWarp * kWarpSteps
                               ? std::min<int64_t>(llvm::PowerOf2Ceil(count), kWarp)
                               : std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(count, kSteps)), kMostThreads);
  schedule.threads = schedule.threadsPerRow > kWarp ? schedule.threadsPerRow : kBlock;
  int64_t steps = llvm::divideCeil(count, schedule.threadsPerRow);
  int64_t lines = kernel.getBody().getNumArguments() + plan.buffers.size() + 1;
  int64_t registers = lines * steps * lanes * std::max(plan.elementBytes / 4, 1u);
  if (fillsWarps(plan, schedule) && *size > 0 && registers <= kRegisters && steps * lanes * operationsOf(kernel) <= kOperations)
    schedule.steps = steps;
  return schedule;
}

static LogicalResult checkThreads(KernelOp kernel, const RowPlan &plan, const RowPassesSchedule &schedule) {
  bool isPower = llvm::isPowerOf2_64(schedule.threadsPerRow) && llvm::isPowerOf2_64(schedule.threads);
  bool fits = schedule.threadsPerRow > kWarp ? schedule.threads == schedule.threadsPerRow
                                             : schedule.threads % schedule.threadsPerRow == 0;
  if (!isPower || !fits)
    return kernel.emitError("a schedule with 'threads_per_row' ")
           << schedule.threadsPerRow << " and 'threads' " << schedule.threads
           << "; expected powers of two, which are equal where a row has more than a warp";
  return success();
}

LogicalResult lathe::gpu::checkRowPasses(KernelOp kernel, const RowPlan &plan, const RowPassesSchedule &schedule) {
  RowPassesSchedule chosen = chooseRowPasses(kernel, plan);
  bool hasSum = llvm::any_of(plan.passes, [](const RowPass &pass) { return pass.sumBytes > 0; });
  if (hasSum && failed(keepsSumOrder(kernel.getLoc(), writeParameters(kernel.getContext(), schedule),
                                     writeParameters(kernel.getContext(), chosen), {"threads_per_row", "lanes", "steps"})))
    return failure();
  if (failed(checkThreads(kernel, plan, schedule)))
    return failure();
  if (schedule.lanes != 1 && schedule.lanes != chosen.lanes)
    return kernel.emitError("a schedule with 'lanes' ")
           << schedule.lanes << "; expected 1 or " << chosen.lanes << ", the elements that come as one vector";
  std::optional<int64_t> size = plan.lineSize();
  int64_t needed = size ? llvm::divideCeil(std::max<int64_t>(*size / schedule.lanes, 1), schedule.threadsPerRow) : 0;
  if (schedule.steps && (schedule.steps != needed || !fillsWarps(plan, schedule)))
    return kernel.emitError("a schedule with 'steps' ")
           << schedule.steps << "; expected 0, or for rows of known length the vectors of a thread, " << needed;
  return success();
}
