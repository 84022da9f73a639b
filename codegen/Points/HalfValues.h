// Which f32 of a kernel are halves: widened before an op, or rounded right behind it.
#ifndef LATHE_CODEGEN_POINTS_HALFVALUES_H
#define LATHE_CODEGEN_POINTS_HALFVALUES_H

#include "mlir/IR/Value.h"

namespace lathe {

/// The type, f16 or bf16, that a value of a nest's body is rounded to wherever it is read, in this nest or in those that read
/// its result; null where it is read as it is, or rounded to both.
mlir::Type halfReadFrom(mlir::Value value);

/// The type, f16 or bf16, of which a value of a nest's body is a widened one, in this nest or in the one that its input comes
/// from; null for any other value.
mlir::Type halfWidenedTo(mlir::Value value);

} // namespace lathe

#endif
