// A reduction in two steps: blocks that each reduce a part of the elements, then threads that combine the parts of a result in
// order. How many parts there are depends on what is known of the sizes while compiling, never on the device, and nothing is
// added in the order in which blocks happen to end: results repeat bit for bit.
#ifndef LATHE_CODEGEN_GPU_THREADS_PARTS_H
#define LATHE_CODEGEN_GPU_THREADS_PARTS_H

#include "codegen/GPU/Form.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/LeafAccesses.h"
#include "codegen/Points/Reduction.h"

namespace lathe::gpu {

/// Accumulators of all parts of all points, in the scratch memory of a kernel.
class Parts {
public:
  /// `like`: accumulators of such a reduction, across lanes.
  Parts(ThreadFrame &frame, const Reduction::Accumulators &like, int64_t points, int64_t parts);

  void store(const Reduction::Accumulators &values, mlir::Value part, mlir::Value point);
  Reduction::Accumulators load(mlir::Value part, mlir::Value point);
  int64_t bytes() const { return size; }
  /// Of one accumulator.
  static int64_t bytesOf(mlir::Type type, int64_t points, int64_t parts);

private:
  mlir::Value at(unsigned accumulator, mlir::Value part, mlir::Value point);

  ThreadFrame &frame;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<int64_t> starts; // in bytes
  mlir::Value memory;
  int64_t points, size = 0;
};

/// The second step, as the stage of a kernel: a thread a point, or a warp where there are many parts, combines them and does
/// what else the kernel does. `lanes`: of the threads that made them. With `isExact` not set a result that is not finite is
/// reduced once more.
KernelCode::Stage emitCombination(KernelOp kernel, const KernelLoops &loops, const FunctionPlace &place, unsigned words,
                                  int64_t points, int64_t parts, bool isExact, unsigned lanes = 1);

/// When it pays to divide a reduction.
struct Division {
  int64_t perProcessor; // blocks that keep a multiprocessor busy
  int64_t mostParts;
  int64_t leastLength; // of a part
};
inline constexpr Division kDivisionOfProducts = {2, 32, 1024};

/// How often a reduction is divided so that a GPU has enough to do; 1 where it has anyway, or where the number of results is
/// not known. `groups`: how many blocks there would be.
int64_t partsFor(const KernelLoops &loops, int64_t groups, const Division &division = kDivisionOfProducts);

/// The sum at `place`, all of it by one thread, from the kernel's inputs.
mlir::Value reduceByThread(ThreadFrame &frame, NestOp nest, llvm::ArrayRef<Index> point, llvm::ArrayRef<Dim> reduced);
/// The value itself if it is finite, else reduceByThread: what tensor cores make of infinities and NaN is not what they are.
mlir::Value finiteOrRecomputed(ThreadFrame &frame, NestOp nest, mlir::Value value, llvm::ArrayRef<Index> point,
                               llvm::ArrayRef<Dim> reduced);
/// The kernel's results at a point. Those of all points are to be had before the first is stored: an output may be the buffer
/// of an input.
llvm::SmallVector<mlir::Value> resultsAt(ThreadFrame &frame, const KernelLoops &loops, llvm::ArrayRef<Index> point);
void storeResults(ThreadFrame &frame, const KernelLoops &loops, llvm::ArrayRef<Index> point, mlir::ValueRange values);
/// Evaluates and stores them.
void storeResults(ThreadFrame &frame, const KernelLoops &loops, llvm::ArrayRef<Index> point);

} // namespace lathe::gpu

#endif
