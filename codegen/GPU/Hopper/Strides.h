// Affine expressions that are sums of loops with known strides.
#ifndef LATHE_CODEGEN_GPU_HOPPER_STRIDES_H
#define LATHE_CODEGEN_GPU_HOPPER_STRIDES_H

#include "codegen/Points/LeafAccesses.h"

namespace lathe::gpu {

struct Strides {
  llvm::SmallVector<int64_t> byLoop;
  int64_t first = 0; // value if all loops are 0

  /// Returns the strides of such a sum; nullopt for any other expression.
  static std::optional<Strides> of(mlir::AffineExpr sum, unsigned loops, unsigned symbols);
  /// True if the sum is never negative.
  bool isNeverNegative(const KernelLoops &loops) const;
};

} // namespace lathe::gpu

#endif
