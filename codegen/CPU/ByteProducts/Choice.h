// The cost model of products of bytes.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_CHOICE_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_CHOICE_H

#include "codegen/CPU/ByteProducts/ByteProducts.h"
#include "codegen/CPU/ByteProducts/Shape.h"
#include "codegen/Schedules/Panels.h"

namespace lathe::cpu {

/// Chooses the schedule. `inPanels` tells whether the right operand is stored in panels.
ByteProductSchedule chooseByteProduct(const ByteProductShape &shape, bool inPanels, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkByteProduct(KernelOp kernel, const ByteProductShape &shape, bool inPanels,
                                     const ByteProductSchedule &schedule, const VectorTarget &target);

/// Returns the columns that a kernel's tiles compute before the next rows: whole panels.
inline int64_t groupColumns(const TileShape &tile) {
  return std::max<int64_t>(BytePanel::kColumns, int64_t(tile.vectors) * tile.lanes);
}

} // namespace lathe::cpu

#endif
