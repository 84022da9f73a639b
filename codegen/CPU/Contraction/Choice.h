// The cost model of matrix products: which tile, and whether blocks of rhs are copied.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_CHOICE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_CHOICE_H

#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Contraction/Shape.h"

namespace lathe::cpu {

/// Chooses the schedule of a product of this shape; `element` is that of the sums, `rhsElement` that of rhs in memory.
ContractionSchedule chooseContraction(const ContractionShape &shape, mlir::Type element, mlir::Type rhsElement,
                                      const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot obey.
mlir::LogicalResult checkContraction(KernelOp kernel, const ContractionShape &shape, mlir::Type element,
                                     const ContractionSchedule &schedule, const VectorTarget &target);

/// Returns the rows from which a piece of work copies blocks: fewer do not pay for the copy.
inline int64_t leastRowsOfBlock(const TileShape &tile) { return 4 * int64_t(tile.rows); }

} // namespace lathe::cpu

#endif
