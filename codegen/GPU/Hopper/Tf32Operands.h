// f32 on their way from a slice in shared memory to the products of a warp group: as words of threads, or written once more as
// tensor cores want them.
#ifndef LATHE_CODEGEN_GPU_HOPPER_TF32OPERANDS_H
#define LATHE_CODEGEN_GPU_HOPPER_TF32OPERANDS_H

#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

class Tf32Operands {
public:
  using Words = llvm::SmallVector<mlir::Value>;

  /// Each as two parts of tf32 if `isSplit`, else as the nearest one.
  Tf32Operands(ThreadFrame &frame, bool isSplit) : frame(frame), isSplit(isSplit) {}

  /// The words of a lane for the products of a run of the depth with the warp's sixteen rows, of which `first` (i32) is the
  /// first: four words a product, of row lane / 4 and place lane % 4, eight rows below, four places on, both ("Register
  /// Fragments for wgmma.mma_async.m64k8" of the PTX ISA). Second parts are behind all first ones.
  Words load(const Side &side, mlir::Value slice, mlir::Value first);

  /// What `convert` writes of a slice.
  unsigned convertedBytes(const Side &side) const { return (isSplit ? 2 : 1) * side.bytes(); }
  /// Writes a slice with the depth inside, second parts behind all first ones, as a box would come. `thread` (i32) is
  /// the thread's number among so many, all of which do it.
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
