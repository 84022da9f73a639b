// How slices of an operand come to shared memory.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_STAGING_H
#define LATHE_CODEGEN_GPU_CONTRACTION_STAGING_H

#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Contraction/SliceLayout.h"

namespace lathe::gpu {

/// The threads of a block share a slice. Elements that are in memory as they are multiplied are copied (cp.async) past the
/// registers, as many at once as lie together, zeros in place of those that are not there; others are computed.
class Staging {
public:
  /// `own`: the dimensions beside the depth; a tile has `length` of them, a slice so much of the depth.
  Staging(ThreadFrame &frame, ProductPoints &points, const KernelLoops &loops, const Product &product,
          const ProductOperand &operand, llvm::ArrayRef<unsigned> own, unsigned length, unsigned depth);

  const SliceLayout layout;
  bool isCopied() const { return operand.copied > 0; }

  /// Where the tile begins in the matrix.
  mlir::Value first;
  /// Begins to bring the slice that begins there along the depth to shared memory at `to`, if it exists (null: it does); else
  /// what is brought is anything or, if `hasZeros`, zeros.
  void begin(mlir::Value depthLow, mlir::Value exists, mlir::Value to, bool hasZeros);
  /// Stores what has been computed; copies have still to be waited for.
  void end(mlir::Value to);

private:
  /// The thread's i-th run of elements: what differs by thread, i32, and a constant.
  struct Run {
    mlir::Value own, depth;
    unsigned ownMore = 0, depthMore = 0;
  };
  Run run(unsigned i);
  mlir::Value bound(mlir::Value at, llvm::ArrayRef<unsigned> dims, unsigned multiple);
  /// Sets the points' place; whether the run's first element is inside the matrix, and inside its depth: null where it always
  /// is.
  std::pair<mlir::Value, mlir::Value> place(const Run &run, mlir::Value depthLow);
  void copy(const Run &run, mlir::Value depthLow, mlir::Value exists, mlir::Value to);
  mlir::Value runBytes(mlir::Value inside);
  mlir::Value fetch(const Run &run, mlir::Value depthLow, mlir::Value exists);

  ThreadFrame &frame;
  ProductPoints &points;
  const KernelLoops &loops;
  const Product &product;
  const ProductOperand &operand;
  llvm::ArrayRef<unsigned> own;
  unsigned length, depth;
  unsigned width, count;      // elements of a run, runs of a thread
  mlir::Value ownAt, depthAt; // of the run that points are set to
  llvm::SmallVector<mlir::Value> fetched;
};

} // namespace lathe::gpu

#endif
