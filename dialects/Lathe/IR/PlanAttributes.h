// What specialization and plan tell the emitter of objects by attributes, and what all of them take for the memory of a value.
#ifndef LATHE_IR_PLANATTRIBUTES_H
#define LATHE_IR_PLANATTRIBUTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Attributes of a clone: the public function it is a version of, and its fixed dimensions (a dictionary of integers).
inline constexpr llvm::StringLiteral kVersionOfAttr = "lathe.version_of";
inline constexpr llvm::StringLiteral kFixedDimsAttr = "lathe.fixed_dims";

/// Attribute of a kernel, a branch or a loop: one #lathe.buffer for each result.
inline constexpr llvm::StringLiteral kBuffersAttr = "lathe.buffers";
/// Attribute of a loop: for each carry the second place that it has, or a unit attribute if a step updates it where it is. Of
/// two places a step reads one and writes the other, and they change roles; its result is in one of them.
inline constexpr llvm::StringLiteral kSparesAttr = "lathe.spares";
/// Attribute of a function: the bytes of workspace it needs.
inline constexpr llvm::StringLiteral kWorkspaceAttr = "lathe.workspace";

/// The value whose memory this one is: reshapes are views.
mlir::Value memoryOf(mlir::Value value);
/// Bytes that a value takes, as an expression; an i1 takes one byte.
Dim byteSize(mlir::Value value);

} // namespace lathe

#endif
