// f32 values of a kernel that are halves: widened right before an op, or rounded right after it.
#ifndef LATHE_CODEGEN_POINTS_HALFVALUES_H
#define LATHE_CODEGEN_POINTS_HALFVALUES_H

#include "mlir/IR/Value.h"

namespace lathe {

/// Returns the type, f16 or bf16, that every reader rounds a value of a nest's body to, in this nest or in nests that read its
/// result. Returns null if a reader uses the value unrounded, or if readers round to both types.
mlir::Type halfReadFrom(mlir::Value value);

/// Returns the type, f16 or bf16, from which a value of a nest's body was widened, in this nest or in the one that computes its
/// input. Returns null for any other value.
mlir::Type halfWidenedTo(mlir::Value value);

} // namespace lathe

#endif
