// Reports the choices of fusion.
#ifndef LATHE_PASSES_FUSION_EXPLAIN_H
#define LATHE_PASSES_FUSION_EXPLAIN_H

#include "passes/Fusion/Clusters.h"

namespace lathe {

/// Emits a remark for each kernel, at the line that represents it, and for each pair of kernels of which one reads the other.
void explainFusion(mlir::func::FuncOp function, const Clusters &clusters);

} // namespace lathe

#endif
