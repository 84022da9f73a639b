// The schedule of cumulative ops and linear recurrences on a GPU.
#ifndef LATHE_CODEGEN_GPU_ROWS_SCANSCHEDULE_H
#define LATHE_CODEGEN_GPU_ROWS_SCANSCHEDULE_H

#include "codegen/GPU/Form.h"
#include "codegen/Points/Lines.h"

namespace lathe::gpu {

inline constexpr unsigned kLineThreads = 64;  // few, so that lines spread over more multiprocessors
inline constexpr int64_t kMostScanned = 1024; // elements of all lines of a warp in shared memory

/// The lines of an op, and the direction of its scan.
struct ScanRequest {
  CumulativeOp running; // null for a recurrence
  int64_t dim;
  bool reverse;
  Lines lines;

  static ScanRequest of(mlir::Operation *op) {
    auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    if (auto running = mlir::dyn_cast<CumulativeOp>(op))
      return {running, int64_t(running.getDim()), running.getReverse(), {type, int64_t(running.getDim())}};
    auto recurrence = mlir::cast<LinearRecurrenceOp>(op);
    return {{}, int64_t(recurrence.getDim()), recurrence.getReverse(), {type, int64_t(recurrence.getDim())}};
  }
  Dim count() const { return lines.outer * lines.inner; }
};

enum class ScanMethod { Lines, Groups, Ordered };
inline constexpr llvm::StringLiteral kScanMethods[] = {"lines", "groups", "ordered"};

struct ScanSchedule {
  ScanMethod method = ScanMethod::Lines;
  int64_t threadsPerLine = 1;
  int64_t lines = 64; // lines of a block
  int64_t parts = 1;  // parts of a line, for different blocks
  int64_t width = 0;  // elements of a line in shared memory at once; 0 without shared memory

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kScanMethods);
    visitor("threads_per_line", threadsPerLine, 1, 1024);
    visitor("lines", lines, 1, 1024);
    visitor("parts", parts, 1, 1024);
    visitor("width", width, 0, 1024);
  }
};

/// Chooses a schedule from the op and from sizes that are known at compile time.
ScanSchedule chooseScan(const ScanRequest &request);

/// Refuses, with a diagnostic, a schedule that the emitter cannot obey or that would change the order of a sum.
mlir::LogicalResult checkScan(mlir::Operation *op, const ScanSchedule &schedule);

} // namespace lathe::gpu

#endif
