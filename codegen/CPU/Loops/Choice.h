// The cost model of loops: the loop to vectorise, and the number of elements per vector.
#ifndef LATHE_CODEGEN_CPU_LOOPS_CHOICE_H
#define LATHE_CODEGEN_CPU_LOOPS_CHOICE_H

#include "codegen/CPU/Loops/Loops.h"
#include "codegen/Points/LeafAccesses.h"

namespace lathe::cpu {

/// Chooses the schedule of a kernel of nests for this target.
LoopsSchedule chooseLoops(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target);

/// Returns how many bytes ahead a reduction fetches its terms: 0 if the second-level cache may hold all of them.
int64_t chooseFetch(const KernelLoops &loops, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow or that changes the order of a sum.
mlir::LogicalResult checkLoops(KernelOp kernel, const KernelLoops &loops, const LoopsSchedule &schedule,
                               const VectorTarget &target);

} // namespace lathe::cpu

#endif
