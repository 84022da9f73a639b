// The cost model of reductions over columns.
#ifndef LATHE_CODEGEN_CPU_COLUMNS_CHOICE_H
#define LATHE_CODEGEN_CPU_COLUMNS_CHOICE_H

#include "codegen/CPU/Columns/Columns.h"
#include "codegen/CPU/Sums/SumOrder.h"
#include "codegen/Points/LeafAccesses.h"

namespace lathe::cpu {

/// Returns the reduction's dimensions.
llvm::ArrayRef<Dim> reducedDims(const KernelLoops &loops);
/// Returns the dimensions of the parallel loops other than that over columns.
Dims outerDims(const KernelLoops &loops, unsigned columnLoop);

/// Returns the order of the reduction's terms.
SumOrder columnOrder(const KernelLoops &loops);
/// Returns the digits of the binary counter that adds up groups of chains; 0 if there is no counter.
int64_t groupDigits(const KernelLoops &loops);

/// Chooses the schedule. Returns nullopt if registers hold the accumulators better.
std::optional<ColumnReductionSchedule> chooseColumns(KernelOp kernel, const KernelLoops &loops, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkColumns(KernelOp kernel, const KernelLoops &loops, const ColumnReductionSchedule &schedule);

} // namespace lathe::cpu

#endif
