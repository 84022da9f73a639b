#include "codegen/Points/MathTarget.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

using namespace lathe;

elementary::MathTarget lathe::mathTargetOf(const VectorTarget &target) {
  elementary::MathTarget features{target.hasFMA, target.hasF16C, /*hasScale=*/target.level >= 4,
                                  /*lookupLanes=*/target.level >= 4 ? 16
                                  : target.level == 3               ? 8
                                                                    : 0,
                                  target.hasBF16};
  features.isFast = target.isFast && !target.hasApproximations;
  features.flushesBF16 = features.isFast && target.hasBF16Dots && !target.hasBF16;
  return features;
}

llvm::StringRef lathe::functionOf(ApplyOp apply) {
  return apply->hasAttr(kNonpositiveAttr) ? llvm::StringRef(elementary::kExpOfNonpositive) : apply.getFunction();
}
