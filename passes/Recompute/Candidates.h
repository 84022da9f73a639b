// Finds kernels whose repetition, and values whose move to the cold workspace, lowers the largest live set of a block.
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
};

/// Kernels that run again before an op, in this order. The last one makes the values that ops from there on read. Or a value
/// that moves to the cold workspace behind the op `after`, and back before the other op. If that op itself copies it to the
/// cold workspace, it does so earlier.
struct Candidate {
  llvm::SmallVector<Repetition> repetitions;
  mlir::Value moved; // null for repetitions
  mlir::Operation *after = nullptr, *before = nullptr;
  double nanoseconds = 0;
  double rate = 0;   // bytes near the peak that are saved for each nanosecond
  int64_t freed = 0; // bytes of the values that are not kept

  /// Identifies a candidate by the op that makes the value or runs again, the result or all of them, and the place.
  struct Key {
    mlir::Operation *maker;
    std::optional<unsigned> result;
    mlir::Operation *before;
    bool isMove;

    bool operator<(const Key &other) const {
      return std::tie(maker, result, before, isMove) < std::tie(other.maker, other.result, other.before, other.isMove);
    }
  };
  Key key() const {
    if (moved)
      return {moved.getDefiningOp(), mlir::cast<mlir::OpResult>(moved).getResultNumber(), before, true};
    return {repetitions.back().kernel, repetitions.back().result, before, false};
  }
};

/// True if each element of the kernel's results depends on the elements of its inputs at one index: some of the results on
/// their own then have the same bits.
bool mapsElements(KernelOp kernel);

/// Returns the sum over a profile of the bytes above nine tenths of a peak, which a candidate lowers.
double excessOf(const std::vector<int64_t> &live, int64_t peak);

/// True for a kernel that copies a value back from the cold workspace.
bool bringsBack(KernelOp kernel);

/// Returns the kernel that copies a value to the cold workspace, or null.
KernelOp awayOf(mlir::Value value);

/// Returns the candidates that lower the largest live set of the block's order, and raise no other one above it, best first by
/// their time on a machine. Values move only with `offload`.
std::vector<Candidate> findCandidates(const BlockMemory &memory, const Sizes &sizes, const MachineModel &machine, bool offload);

} // namespace lathe

#endif
