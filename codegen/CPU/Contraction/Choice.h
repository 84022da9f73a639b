// The cost model of matrix products: the register tile, and whether blocks of rhs are packed.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_CHOICE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_CHOICE_H

#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Contraction/Shape.h"

namespace lathe::cpu {

/// Chooses the schedule of a product; `element` is the type of the sums, `rhsElement` that of rhs in memory. `panel` is the
/// width of the panels that rhs is stored in, or 0.
ContractionSchedule chooseContraction(const ContractionShape &shape, mlir::Type element, mlir::Type rhsElement, int64_t panel,
                                      const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkContraction(KernelOp kernel, const ContractionShape &shape, mlir::Type element, int64_t panel,
                                     const ContractionSchedule &schedule, const VectorTarget &target);

/// Returns the width of panels for that many columns: that of the widest best tile of the targets. Each target has a tile whose
/// width divides it. Returns 0 if there are too few columns for panels.
int64_t choosePanelWidth(int64_t columns, mlir::Type element, llvm::ArrayRef<VectorTarget> targets);

/// Returns the least rows of a work item for which packing blocks pays.
inline int64_t leastRowsOfBlock(const TileShape &tile) { return 4 * int64_t(tile.rows); }

} // namespace lathe::cpu

#endif
