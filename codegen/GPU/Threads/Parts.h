// A reduction in two steps (split-K): blocks reduce parts of the elements, then threads combine the parts of each result in
// order. The number of parts depends on sizes that are known at compile time, never on the device. Nothing is added in the
// order in which blocks happen to end, so results repeat bit for bit.
#ifndef LATHE_CODEGEN_GPU_THREADS_PARTS_H
#define LATHE_CODEGEN_GPU_THREADS_PARTS_H

#include "codegen/GPU/Form.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/LeafAccesses.h"
#include "codegen/Points/Reduction.h"

namespace lathe::gpu {

/// The accumulators of all parts of all points, in the kernel's scratch memory.
class Parts {
public:
  /// `like` has the types of the accumulators, reduced across lanes.
  Parts(ThreadFrame &frame, const Reduction::Accumulators &like, int64_t points, int64_t parts);

  void store(const Reduction::Accumulators &values, mlir::Value part, mlir::Value point);
  Reduction::Accumulators load(mlir::Value part, mlir::Value point);
  int64_t bytes() const { return size; }
  /// Returns the bytes of one accumulator of this type for all parts of all points.
  static int64_t bytesOf(mlir::Type type, int64_t points, int64_t parts);

private:
  mlir::Value at(unsigned accumulator, mlir::Value part, mlir::Value point);

  ThreadFrame &frame;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<int64_t> starts; // offset of each accumulator, in bytes
  mlir::Value memory;
  int64_t points, size = 0;
};

/// Emits the second step as a stage of the kernel: a thread per point, or a warp if there are many parts, combines the parts
/// and computes the epilogue. `lanes` is the vector width of the first step. Unless `isExact`, a result that is not finite is
/// recomputed from the inputs.
KernelCode::Stage emitCombination(KernelOp kernel, const KernelLoops &loops, const FunctionPlace &place, unsigned words,
                                  int64_t points, int64_t parts, bool isExact, unsigned lanes = 1);

/// Limits for the division of a reduction into parts.
struct Division {
  int64_t perProcessor; // blocks that keep a multiprocessor busy
  int64_t mostParts;
  int64_t leastLength; // elements of a part
};
inline constexpr Division kDivisionOfProducts = {2, 32, 1024};

/// Returns the number of parts that give a GPU enough blocks. Returns 1 if there are enough already, or if the number of
/// results is not known. `groups` is the number of blocks without a division.
int64_t partsFor(const KernelLoops &loops, int64_t groups, const Division &division = kDivisionOfProducts);

/// Emits the whole sum at `point` in one thread, from the kernel's inputs.
mlir::Value reduceByThread(ThreadFrame &frame, NestOp nest, llvm::ArrayRef<Index> point, llvm::ArrayRef<Dim> reduced);
/// Returns `value` if it is finite, else reduceByThread: tensor cores that multiply parts of f32 get infinities and NaN wrong.
mlir::Value finiteOrRecomputed(ThreadFrame &frame, NestOp nest, mlir::Value value, llvm::ArrayRef<Index> point,
                               llvm::ArrayRef<Dim> reduced);
/// Evaluates the kernel's results at a point. A thread must evaluate all its points before it stores one, because an output may
/// share the buffer of an input.
llvm::SmallVector<mlir::Value> resultsAt(ThreadFrame &frame, const KernelLoops &loops, llvm::ArrayRef<Index> point);
void storeResults(ThreadFrame &frame, const KernelLoops &loops, llvm::ArrayRef<Index> point, mlir::ValueRange values);
/// Evaluates and stores the results at a point.
void storeResults(ThreadFrame &frame, const KernelLoops &loops, llvm::ArrayRef<Index> point);

} // namespace lathe::gpu

#endif
