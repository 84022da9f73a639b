// This file says where the tiles of a product read the rows of lhs: in place, or in a copy.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_LEFTROWS_H
#define LATHE_CODEGEN_CPU_CONTRACTION_LEFTROWS_H

#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Contraction/Shape.h"

namespace lathe::cpu {

/// True if the rows of a block can be copied: in memory they are adjacent elements for each product, at known distances.
bool canPackLhs(const ContractionShape &shape);

/// Returns the elements from one product's rows to the next one's in a copy: a multiple of a cache line's.
int64_t pitchOfPackedLhs(const ContractionSchedule &schedule);

/// The rows of lhs that a block of rhs meets.
struct LeftRows {
  mlir::Value data;        // of row `first`
  mlir::Value first;       // 0 in place
  mlir::Value depthStride; // from one product to the next

  /// Returns the rows in place.
  static LeftRows inPlace(KernelFrame &frame, mlir::Value lhs, const ContractionShape &shape);
  /// Emits a copy of `height` rows from `top` on to `copy`, if `isWorthIt`, and returns the rows there or in place.
  static LeftRows packed(KernelFrame &frame, mlir::Value lhs, mlir::Type element, const ContractionShape &shape,
                         mlir::Value copy, int64_t pitch, mlir::Value top, mlir::Value height, mlir::Value isWorthIt);
};

} // namespace lathe::cpu

#endif
