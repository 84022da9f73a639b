// The shared memory of a block that multiplies by warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_RING_H
#define LATHE_CODEGEN_GPU_HOPPER_RING_H

#include "codegen/GPU/Hopper/GroupProduct.h"
#include "codegen/GPU/Hopper/Instructions.h"

namespace lathe::gpu {

/// Stages with a piece of both operands each, buffers for pieces that are written once more, memory through which the warps'
/// sums pass, and two mbarriers for each stage: one says that its piece is there, the other that it has been read. Pieces are
/// numbered by turns: turn n uses stage n modulo the number of stages.
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
  unsigned roomOffset() const { return convertedOffset() + kConverted * form.convertedBytes(); }

  /// Returns the offset of a side's piece, or of a piece that is written once more.
  mlir::Value pieceAt(const Side &side, mlir::Value turn) { return eval.add(stageAt(turn), number(side.offset)); }
  mlir::Value convertedAt(mlir::Value turn);
  /// Returns an offset as an address of shared memory, or as a pointer.
  mlir::Value sharedAt(mlir::Value offset) { return eval.add(shared, offset); }
  mlir::Value pointerTo(mlir::Value offset);
  /// Returns the barrier that says that the piece of a turn is there, or that it has been read.
  mlir::Value full(mlir::Value turn) { return barrierAt(stageOf(turn), false); }
  mlir::Value empty(mlir::Value turn) { return barrierAt(stageOf(turn), true); }
  /// Returns the parity of the phase in which a stage serves this turn.
  mlir::Value parityOf(mlir::Value turn) { return remainder(divide(turn, number(stages)), number(2)); }

private:
  unsigned convertedOffset() const { return stages * form.stageBytes(); }
  unsigned barrierOffset() const { return roomOffset() + form.roomBytes(); }
  mlir::Value stageOf(mlir::Value turn) { return remainder(turn, number(stages)); }
  mlir::Value stageAt(mlir::Value turn) { return eval.mul(stageOf(turn), number(form.stageBytes())); }
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
