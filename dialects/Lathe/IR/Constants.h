// Constants with one value, which rewrites emit.
#ifndef LATHE_IR_CONSTANTS_H
#define LATHE_IR_CONSTANTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lathe {

/// Returns a number as an attribute of an element type: rounded to a float, or without its fraction to an integer.
mlir::TypedAttr numberAttr(mlir::Type element, double number);

/// Emits a lathe.constant whose elements all have the value. The type has no dynamic extents, and the value's element type.
mlir::Value emitSplat(mlir::OpBuilder &builder, mlir::Location location, mlir::RankedTensorType type, mlir::TypedAttr value);

/// Emits a lathe.constant of rank 0.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Location location, mlir::TypedAttr value);

} // namespace lathe

#endif
