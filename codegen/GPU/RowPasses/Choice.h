// The schedule of a kernel over rows on a GPU: how threads share the rows.
#ifndef LATHE_CODEGEN_GPU_ROWPASSES_CHOICE_H
#define LATHE_CODEGEN_GPU_ROWPASSES_CHOICE_H

#include "codegen/Points/RowPlan.h"

namespace lathe::gpu {

/// The schedule of a kernel over rows.
struct RowPassesSchedule {
  int64_t threadsPerRow = 256;
  int64_t threads = 256; // per block
  int64_t lanes = 1;     // contiguous elements per vector
  int64_t steps = 0;     // vectors of a row that a thread keeps in registers; 0 if passes go through memory
  PassSchedule passes;

  /// Returns the most bytes of shared memory in which a row keeps values.
  int64_t keptBytes() const;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("threads_per_row", threadsPerRow, 1, 1024);
    visitor("threads", threads, 32, 1024);
    visitor("lanes", lanes, 1, 8);
    visitor("steps", steps, 0, 256);
    passes.visit(visitor);
  }
};

/// Chooses a schedule from the kernel's structure and from sizes that are known at compile time.
RowPassesSchedule chooseRowPasses(const RowKernel &rows);

/// Refuses, with a diagnostic, a schedule that the emitter cannot obey or that would change the order of a sum.
mlir::LogicalResult checkRowPasses(const RowKernel &rows, const RowPassesSchedule &schedule);

} // namespace lathe::gpu

#endif
