// The shared memory of a block that multiplies by warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_RING_H
#define LATHE_CODEGEN_GPU_HOPPER_RING_H

#include "codegen/GPU/Hopper/GroupProduct.h"
#include "codegen/GPU/Hopper/Instructions.h"

namespace lathe::gpu {

/// Stages with a slice of both operands each, buffers for slices that are written once more, memory through which the warps'
/// sums pass, and two mbarriers for each stage: one says that its slice is there, the other that it has been read. Pieces are
/// numbered by turns: iteration n uses stage n modulo the number of stages.
class Ring {
public:
  Ring(ThreadFrame &frame, const GroupProduct &form, unsigned stages)
      : frame(frame), eval(frame.eval), b(frame.b), form(form), stages(stages) {}

  /// Takes the block's memory.
  void place();
  /// Emits what one thread does before any other uses a barrier.
  void makeBarriers(Instructions &instructions, unsigned readers);
  /// Returns the bytes of all.
  unsigned bytes() const { return barrierOffset() + 2 * stages * kBarrierBytes; }
  /// Returns where the memory of sums begins, in bytes.
  unsigned resultsOffset() const { return convertedOffset() + kConverted * form.convertedBytes(); }

  /// Returns the offset of a side's slice, or of a slice that is written once more.
  mlir::Value sliceAt(const Side &side, mlir::Value iteration) { return eval.add(stageAt(iteration), number(side.offset)); }
  mlir::Value convertedAt(mlir::Value iteration);
  /// Returns an offset as an address of shared memory, or as a pointer.
  mlir::Value sharedAt(mlir::Value offset) { return eval.add(shared, offset); }
  mlir::Value pointerTo(mlir::Value offset);
  /// Returns the barrier that says that the slice of a iteration is there, or that it has been read.
  mlir::Value full(mlir::Value iteration) { return barrierAt(stageOf(iteration), false); }
  mlir::Value empty(mlir::Value iteration) { return barrierAt(stageOf(iteration), true); }
  /// Returns the parity of the phase in which a stage serves this iteration.
  mlir::Value parityOf(mlir::Value iteration) { return remainder(divide(iteration, number(stages)), number(2)); }

private:
  unsigned convertedOffset() const { return stages * form.stageBytes(); }
  unsigned barrierOffset() const { return resultsOffset() + form.resultBytes(); }
  mlir::Value stageOf(mlir::Value iteration) { return remainder(iteration, number(stages)); }
  mlir::Value stageAt(mlir::Value iteration) { return eval.mul(stageOf(iteration), number(form.stageBytes())); }
  mlir::Value barrierAt(mlir::Value stage, bool isEmpty);
  mlir::Value number(int64_t value) { return frame.number(int32_t(value)); }
  mlir::Value divide(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::DivUIOp>(frame.loc, x, y); }
  mlir::Value remainder(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::RemUIOp>(frame.loc, x, y); }

  ThreadFrame &frame;
  PointEvaluator &eval;
  mlir::OpBuilder &b;
  const GroupProduct &form;
  unsigned stages;
  mlir::Value shared;
};

} // namespace lathe::gpu

#endif
