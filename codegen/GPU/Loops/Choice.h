// The schedule of a kernel of nests on a GPU: how threads share its loops.
#ifndef LATHE_CODEGEN_GPU_LOOPS_CHOICE_H
#define LATHE_CODEGEN_GPU_LOOPS_CHOICE_H

#include "codegen/GPU/Threads/GroupReduction.h"
#include "codegen/Points/LeafAccesses.h"

namespace lathe::gpu {

/// The schedule of a kernel of nests.
struct LoopsSchedule {
  int64_t lanes = 1;                       // contiguous elements per vector, along the results or along a reduction
  int64_t steps = 1;                       // vectors that a thread loads before it uses the first
  int64_t groupColumns = 1, groupRows = 1; // the Group: adjacent results of a block; threads that share a reduction
  int64_t parts = 1;                       // parts of a reduction, for different blocks

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("lanes", lanes, 1, 8);
    visitor("steps", steps, 1, 8);
    visitor("group_columns", groupColumns, 1, 256);
    visitor("group_rows", groupRows, 1, 256);
    visitor("parts", parts, 1, 512);
  }

  Group group() const { return {unsigned(groupColumns), unsigned(groupRows)}; }
  /// Returns the number of threads per block.
  unsigned threads() const {
    constexpr unsigned kPointThreads = 128; // if threads do not share a reduction
    return groupRows == 1 ? kPointThreads : groupColumns * groupRows;
  }
  unsigned pointsPerBlock() const { return threads() / groupRows; }
};

/// Returns the extents with the last one counted in vectors of `lanes` elements.
Dims inVectors(llvm::ArrayRef<Dim> extents, int64_t lanes);

/// Chooses a schedule from the kernel's structure and from sizes that are known at compile time, never from those of a call, so
/// that the order of a sum is always the same.
LoopsSchedule chooseLoops(KernelOp kernel, const KernelLoops &loops);

/// Refuses, with a diagnostic, a schedule that the emitter cannot obey or that would change the order of a sum.
mlir::LogicalResult checkLoops(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule);

} // namespace lathe::gpu

#endif
