// The cost model of stages: which values of a kernel's points a loop of their own computes.
#ifndef LATHE_CODEGEN_CPU_LOOPS_STAGES_H
#define LATHE_CODEGEN_CPU_LOOPS_STAGES_H

#include "codegen/Points/LeafAccesses.h"
#include "codegen/Points/VectorTarget.h"

namespace lathe::cpu {

/// Returns the values, by their numbers among the kernel's nests, that earlier stages should compute and store for later ones,
/// in the order of these stages. A core has only some hundred instructions in flight. If the instructions of a point depend on
/// each other, few points are then in flight, and most of the time goes by waiting; shorter bodies let more points overlap.
llvm::SmallVector<int64_t> chooseStages(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target);

/// Returns the nest of a number among the kernel's; null if there is none.
NestOp nestAt(KernelOp kernel, int64_t number);

/// Returns why a value of a nest is not read at its own points only, where all tensors of the kernel have one shape; empty if
/// it is.
std::string whyNotAtOwnPoints(NestOp nest, const KernelLoops &loops);

/// Returns why a stage cannot store the value of a nest; empty if it can. Later stages must read the value at their own point
/// only.
std::string whyNoStage(NestOp nest, const KernelLoops &loops);

} // namespace lathe::cpu

#endif
