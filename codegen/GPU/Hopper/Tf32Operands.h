// The conversion of f32 operands to TF32 for products of warp groups, in registers or in shared memory.
#ifndef LATHE_CODEGEN_GPU_HOPPER_TF32OPERANDS_H
#define LATHE_CODEGEN_GPU_HOPPER_TF32OPERANDS_H

#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

class Tf32Operands {
public:
  using Words = llvm::SmallVector<mlir::Value>;

  /// With `isSplit` each number becomes two TF32 parts, else the nearest TF32 value.
  Tf32Operands(ThreadFrame &frame, bool isSplit) : frame(frame), isSplit(isSplit) {}

  /// Loads the lane's words of a k-slice, for the warp's sixteen rows from `first` (i32) on. A product takes four words: the
  /// one in row lane / 4 at depth lane % 4, the one eight rows below, the one four steps of the depth further, and both
  /// ("Register Fragments for wgmma.mma_async.m64k8" of the PTX ISA). Low parts follow all high parts.
  Words load(const Side &side, mlir::Value slice, mlir::Value first);

  /// Returns the bytes that `convert` writes.
  unsigned convertedBytes(const Side &side) const { return (isSplit ? 2 : 1) * side.bytes(); }
  /// Writes a k-slice in the layout of a TMA box with the depth inside, low parts after all high parts. All of so many threads
  /// do it; `thread` (i32) is the thread's number among them.
  void convert(const Side &side, mlir::Value slice, mlir::Value to, mlir::Value thread, unsigned threads);

private:
  Words ready(llvm::ArrayRef<mlir::Value> words);
  Words loadFour(mlir::Value from);
  void storeFour(llvm::ArrayRef<mlir::Value> words, mlir::Value to);
  void convertLine(const Side &side, mlir::Value slice, mlir::Value to, mlir::Value place, mlir::Value depth);

  ThreadFrame &frame;
  bool isSplit;
};

} // namespace lathe::gpu

#endif
