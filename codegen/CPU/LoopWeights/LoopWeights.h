// Weights that the products of a loop's steps read, packed once for all steps.
#ifndef LATHE_CODEGEN_CPU_LOOPWEIGHTS_LOOPWEIGHTS_H
#define LATHE_CODEGEN_CPU_LOOPWEIGHTS_LOOPWEIGHTS_H

#include "codegen/Points/VectorTarget.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <vector>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/CPU/LoopWeights/LoopWeights.h.inc"

/// Creates `lathe-pack-loop-weights` for the targets of an object.
std::unique_ptr<mlir::Pass> createPackLoopWeightsPass(const std::vector<VectorTarget> &targets);

} // namespace lathe

#endif
