// Attributes by which specialisation and plan inform the emitter of objects, and the shared definition of a value's memory.
#ifndef LATHE_IR_PLANATTRIBUTES_H
#define LATHE_IR_PLANATTRIBUTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Attributes of a clone: the public function of which it is a version, and its fixed dimensions (a dictionary of integers).
inline constexpr llvm::StringLiteral kVersionOfAttr = "lathe.version_of";
inline constexpr llvm::StringLiteral kFixedDimsAttr = "lathe.fixed_dims";

/// Attribute of a kernel, a branch or a loop: one #lathe.buffer for each result. A concatenation between kernels has it too:
/// its operands are written into its buffer, each at its offset, so that nothing is copied.
inline constexpr llvm::StringLiteral kBuffersAttr = "lathe.buffers";
/// Attribute of a loop: for each carry its second buffer, or a unit attribute if a step updates it in place. With two buffers a
/// step reads one and writes the other, and they change roles; the loop's result is in one of them.
inline constexpr llvm::StringLiteral kSparesAttr = "lathe.spares";
/// Attribute of a function: the bytes of workspace it needs.
inline constexpr llvm::StringLiteral kWorkspaceAttr = "lathe.workspace";
/// Attribute of a kernel: its result is in the cold workspace. The kernel copies a value that is not read for long; kernels
/// that copy it back are the only readers.
inline constexpr llvm::StringLiteral kColdAttr = "lathe.cold";
/// Attribute of a function that may have such kernels: the bytes of cold workspace that it needs.
inline constexpr llvm::StringLiteral kColdWorkspaceAttr = "lathe.cold_workspace";

/// True for an op between kernels whose result uses the memory of its operand: a reshape, or a slice, which the plan makes only
/// of contiguous parts.
bool isView(mlir::Operation *op);
/// Returns the value whose memory this one uses: that of the operands of views.
mlir::Value memoryOf(mlir::Value value);
/// Returns the number of bytes between the beginnings of `memoryOf(value)` and the value.
Dim viewOffset(mlir::Value value);
/// Returns the number of bytes in front of a slice if its elements are contiguous in its operand: only unit dimensions come
/// before the dimension that it cuts.
std::optional<Dim> contiguousOffset(SliceOp slice);
/// Returns the number of bytes in front of each operand in a concatenation, whose operands are contiguous in the result;
/// nullopt if they are not: only unit dimensions may come before the concatenated one.
std::optional<llvm::SmallVector<Dim>> contiguousOffsets(ConcatenateOp op);
/// Returns the bytes that a value takes, as an expression; an i1 takes one byte.
Dim byteSize(mlir::Value value);

} // namespace lathe

#endif
