// The loads of an operand's k-slices to shared memory.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_STAGING_H
#define LATHE_CODEGEN_GPU_CONTRACTION_STAGING_H

#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Contraction/SliceLayout.h"

namespace lathe::gpu {

/// Loads k-slices of an operand, which the threads of a block share. Elements whose type in memory is the one that is
/// multiplied are copied asynchronously (cp.async), in contiguous runs, with zeros for elements out of range. Other elements
/// are computed in registers.
class Staging {
public:
  /// `own` are the operand's loops other than the depth. A tile has `length` elements along them, a k-slice `depth` elements
  /// along the depth.
  Staging(ThreadFrame &frame, ProductPoints &points, const KernelLoops &loops, const Product &product,
          const ProductOperand &operand, llvm::ArrayRef<unsigned> own, unsigned length, unsigned depth);

  const SliceLayout layout;
  bool isCopied() const { return operand.copied > 0; }

  /// The tile's first row or column in the matrix.
  mlir::Value first;
  /// Starts loading the k-slice from `depthLow` on to shared memory at `to`, if `exists` holds (null: it does). Otherwise the
  /// contents are unspecified or, if `hasZeros`, zeros.
  void begin(mlir::Value depthLow, mlir::Value exists, mlir::Value to, bool hasZeros);
  /// Stores the computed elements. Copies must still be waited for.
  void end(mlir::Value to);

private:
  /// The position of a thread's run of elements: a part that differs by thread, i32, and a constant.
  struct Run {
    mlir::Value own, depth;
    unsigned ownMore = 0, depthMore = 0;
  };
  Run run(unsigned i);
  mlir::Value bound(mlir::Value at, llvm::ArrayRef<unsigned> dims, unsigned multiple);
  /// Sets the points to a run. Returns whether its first element is in range along the own loops, and along the depth; null if
  /// it always is.
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
  mlir::Value ownAt, depthAt; // of the run to which the points are set
  llvm::SmallVector<mlir::Value> fetched;
};

} // namespace lathe::gpu

#endif
