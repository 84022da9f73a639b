#include "codegen/GPU/Hopper/Strides.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

std::optional<Strides> Strides::of(AffineExpr offset, unsigned loops, unsigned symbols) {
  Strides strides;
  MLIRContext *context = offset.getContext();
  auto zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> zeros(loops, zero);
  auto first = dyn_cast<AffineConstantExpr>(offset.replaceDims(zeros));
  if (!first)
    return std::nullopt;
  strides.first = first.getValue();
  AffineExpr sum = first;
  for (unsigned dim = 0; dim < loops; ++dim) {
    SmallVector<AffineExpr> one = zeros;
    one[dim] = getAffineConstantExpr(1, context);
    auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(offset.replaceDims(one) - first, loops, symbols));
    if (!step)
      return std::nullopt;
    strides.byLoop.push_back(step.getValue());
    sum = sum + getAffineDimExpr(dim, context) * step.getValue();
  }
  if (simplifyAffineExpr(sum - offset, loops, symbols) != 0)
    return std::nullopt;
  return strides;
}

bool Strides::isNeverNegative(const KernelLoops &loops) const {
  int64_t least = first;
  for (auto [extent, step] : llvm::zip_equal(loops.extents, byLoop)) {
    if (step < 0 && !extent.isStatic())
      return false;
    if (step < 0)
      least += step * (extent.constant() - 1);
  }
  return least >= 0;
}
