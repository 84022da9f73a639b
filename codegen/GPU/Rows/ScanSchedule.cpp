#include "codegen/GPU/Rows/ScanSchedule.h"
#include "codegen/GPU/Target.h"
#include "codegen/GPU/Tuning.h"
#include "codegen/Points/Running.h"
#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

/// Chooses the threads that share a line: a warp for a short line, else a block. A few long lines are divided among blocks.
static ScanSchedule chooseGroups(const ScanRequest &request) {
  const Dim &length = request.lines.length;
  if (length.isStatic() && length.constant() <= tuning::kWarpLine)
    return {ScanMethod::Groups, kWarp, 4};
  ScanSchedule schedule{ScanMethod::Groups, 256, 1};
  Dim count = request.count();
  if (!count.isStatic() || count.constant() > tuning::kFewLines || count.constant() == 0)
    return schedule;
  int64_t most = length.isStatic() ? length.constant() / tuning::kScanPart : tuning::kNamedParts;
  schedule.parts = std::max<int64_t>(std::min(most, tuning::kScanBlocks / count.constant()), 1);
  return schedule;
}

/// Chooses so few lines for a warp that each multiprocessor of a large GPU has several warps, because each line is one chain of
/// dependent operations.
static ScanSchedule chooseOrdered(const ScanRequest &request) {
  Dim count = request.count();
  const Dim &length = request.lines.length;
  ScanSchedule schedule{ScanMethod::Ordered, 1, tuning::kNamedLines};
  if (count.isStatic())
    schedule.lines = std::clamp<int64_t>(llvm::bit_floor(uint64_t(count.constant() / tuning::kOrderedWarps)), 1, kWarp);
  int64_t needed = length.isStatic() ? llvm::PowerOf2Ceil(std::max<int64_t>(length.constant(), 1)) : kMostScanned;
  schedule.width = std::clamp<int64_t>(needed, kWarp, kMostScanned / schedule.lines);
  return schedule;
}

ScanSchedule lathe::gpu::chooseScan(const ScanRequest &request) {
  bool isLast = request.lines.inner.isStatic(1), keepsOrder = lathe::keepsOrder(request.running);
  Dim count = request.count();
  const Dim &length = request.lines.length;
  bool hasMany = !count.isStatic() || count.constant() >= tuning::kEnoughLines ||
                 (length.isStatic() && length.constant() <= tuning::kThreadLine);
  if (!isLast && (hasMany || keepsOrder))
    return {};
  return keepsOrder ? chooseOrdered(request) : chooseGroups(request);
}

/// True if the method has code for these threads, lines, parts and width.
static bool hasCode(const ScanRequest &request, const ScanSchedule &schedule) {
  auto isPower = [](int64_t count) { return llvm::isPowerOf2_64(count); };
  switch (schedule.method) {
  case ScanMethod::Lines:
    return schedule.threadsPerLine == 1 && schedule.lines == kLineThreads && schedule.parts == 1 && schedule.width == 0;
  case ScanMethod::Groups: {
    bool isWarp = schedule.threadsPerLine == kWarp && isPower(schedule.lines) && schedule.lines <= kWarp;
    bool isBlock = schedule.threadsPerLine > kWarp && isPower(schedule.threadsPerLine) && schedule.lines == 1;
    bool canDivide = request.count().isStatic() && schedule.lines == 1;
    return (isWarp || isBlock) && (schedule.parts == 1 || canDivide) && schedule.width == 0 && !keepsOrder(request.running);
  }
  case ScanMethod::Ordered:
    return schedule.threadsPerLine == 1 && isPower(schedule.lines) && schedule.lines <= kWarp && isPower(schedule.width) &&
           schedule.width >= kWarp && schedule.lines * schedule.width <= kMostScanned && schedule.parts == 1;
  }
  llvm_unreachable("every method has a case");
}

LogicalResult lathe::gpu::checkScan(Operation *op, const ScanSchedule &schedule) {
  ScanRequest request = ScanRequest::of(op);
  ScanSchedule chosen = chooseScan(request);
  auto write = [&](const ScanSchedule &which) { return writeParameters(op->getContext(), which); };
  if (isa<FloatType>(request.lines.element) &&
      failed(keepsSumOrder(op->getLoc(), write(schedule), write(chosen), {"method", "threads_per_line", "parts"})))
    return failure();
  if (!hasCode(request, schedule))
    return op->emitError("a schedule that has no code: 'method' ")
           << kScanMethods[size_t(schedule.method)] << " has other threads, lines, parts or widths";
  return success();
}
