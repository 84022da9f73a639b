// The shared memory of a block of warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_RING_H
#define LATHE_CODEGEN_GPU_HOPPER_RING_H

#include "codegen/GPU/Hopper/GroupProduct.h"
#include "codegen/GPU/Hopper/Instructions.h"

namespace lathe::gpu {

/// The shared memory: stages with a k-slice of both operands each, buffers for converted k-slices, buffers through which the
/// warps' sums pass, and two mbarriers per stage. One completes when the stage's k-slice has arrived, the other when it has
/// been read. Iteration n, for the block's n-th k-slice, uses stage n modulo the number of stages.
class Ring {
public:
  Ring(ThreadFrame &frame, const GroupProduct &form, unsigned stages)
      : frame(frame), eval(frame.eval), b(frame.b), form(form), stages(stages) {}

  /// Emits the address of the block's memory.
  void place();
  /// Initialises the mbarriers, by one thread before any other uses them.
  void makeBarriers(Instructions &instructions, unsigned readers);
  /// Returns the bytes of shared memory.
  unsigned bytes() const { return barrierOffset() + 2 * stages * kBarrierBytes; }
  /// Returns the offset of the buffers for sums.
  unsigned resultsOffset() const { return convertedOffset() + kConverted * form.convertedBytes(); }

  /// Return the offset of a side's k-slice, and of a converted k-slice.
  mlir::Value sliceAt(const Side &side, mlir::Value iteration) { return eval.add(stageAt(iteration), number(side.offset)); }
  mlir::Value convertedAt(mlir::Value iteration);
  /// Convert an offset to an address of shared memory, and to a pointer.
  mlir::Value sharedAt(mlir::Value offset) { return eval.add(shared, offset); }
  mlir::Value pointerTo(mlir::Value offset);
  /// Return the mbarrier that completes when the k-slice of an iteration has arrived, and the one that completes when it has
  /// been read.
  mlir::Value full(mlir::Value iteration) { return barrierAt(stageOf(iteration), false); }
  mlir::Value empty(mlir::Value iteration) { return barrierAt(stageOf(iteration), true); }
  /// Returns the parity of the mbarriers' phase for an iteration.
  mlir::Value parityOf(mlir::Value iteration) { return frame.remainder(frame.divide(iteration, number(stages)), number(2)); }

private:
  unsigned convertedOffset() const { return stages * form.stageBytes(); }
  unsigned barrierOffset() const { return resultsOffset() + form.resultBytes(); }
  mlir::Value stageOf(mlir::Value iteration) { return frame.remainder(iteration, number(stages)); }
  mlir::Value stageAt(mlir::Value iteration) { return eval.mul(stageOf(iteration), number(form.stageBytes())); }
  mlir::Value barrierAt(mlir::Value stage, bool isEmpty);
  mlir::Value number(int64_t value) { return frame.number(int32_t(value)); }

  ThreadFrame &frame;
  PointEvaluator &eval;
  mlir::OpBuilder &b;
  const GroupProduct &form;
  unsigned stages;
  mlir::Value shared;
};

} // namespace lathe::gpu

#endif
