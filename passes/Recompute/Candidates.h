// Finds kernels whose repetition lowers the largest live set of a block.
#ifndef LATHE_PASSES_RECOMPUTE_CANDIDATES_H
#define LATHE_PASSES_RECOMPUTE_CANDIDATES_H

#include "lib/Analysis/BlockMemory.h"
#include "lib/Analysis/KernelCost.h"

namespace lathe {

/// A kernel that runs again, for all results or, if it only maps elements, for one.
struct Repetition {
  mutable KernelOp kernel; // whose methods are not const
  std::optional<unsigned> result;

  bool operator==(const Repetition &other) const { return kernel == other.kernel && result == other.result; }
  bool operator<(const Repetition &other) const {
    return std::pair(kernel.getOperation(), result) < std::pair(other.kernel.getOperation(), other.result);
  }
};

/// Kernels that run again before an op, in this order. The last one makes the values that ops from there on read.
struct Candidate {
  llvm::SmallVector<Repetition> repetitions;
  mlir::Operation *before;
  double nanoseconds = 0;
  int64_t freed = 0; // bytes of the values that are not kept

  /// The last repetition and its place, which identify a candidate.
  std::pair<Repetition, mlir::Operation *> key() const { return {repetitions.back(), before}; }
};

/// True if each element of the kernel's results depends on the elements of its inputs at one index: some of the results on
/// their own then have the same bits.
bool mapsElements(KernelOp kernel);

/// Returns the sum over a profile of the bytes above nine tenths of a peak, which a candidate lowers.
double excessOf(const std::vector<int64_t> &live, int64_t peak);

/// Returns the candidates that lower the largest live set of the block's order, and raise no other one above it, best first by
/// their time on a machine.
std::vector<Candidate> findCandidates(const BlockMemory &memory, const Sizes &sizes, const MachineModel &machine);

} // namespace lathe

#endif
