// What fusion, plan and code generators tell each other by attributes of kernels.
#ifndef LATHE_IR_KERNELATTRIBUTES_H
#define LATHE_IR_KERNELATTRIBUTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Unit attribute of a kernel whose reductions take whole rows of one shape: every value in it is a row's (of the shape that is
/// left) or has the shape of the rows together with their elements, and depends only on values of its own row. Its results may
/// be of both shapes. Without it a kernel has at most one reduction, and results of one shape.
inline constexpr llvm::StringLiteral kRowsAttr = "lathe.rows";

/// Positions of extents that are 1 because a version was made for that size, while they are named in the general function. The
/// order of a sum must not depend on them. On an op for its result, on an argument for itself (DenseI64ArrayAttr); on a kernel
/// for its operands, then its results, on a branch or loop for its results (ArrayAttr of those). Absent where there are none.
inline constexpr llvm::StringLiteral kSizedUnitsAttr = "lathe.sized_units";

/// Returns the sized units of an op's result or a function's argument, or null.
mlir::DenseI64ArrayAttr sizedUnitsOf(mlir::Value value);

/// Unit attribute of a division of floats, as an op of the graph and in a nest: its quotient is rounded once under --math=fast
/// too, since bits that are promised depend on it.
inline constexpr llvm::StringLiteral kExactAttr = "lathe.exact";

/// The name of the op that wants the kernel, which copies its operand (StringAttr).
inline constexpr llvm::StringLiteral kCopyForAttr = "lathe.copy_for";

/// Unit attribute of a GPU's kernel some of whose buffers may begin anywhere: as slices of a scan's sequences do.
inline constexpr llvm::StringLiteral kUnalignedAttr = "lathe.unaligned";
/// Unit attribute of a GPU's kernel that replaces parts of its first operand: the plan has put the result in the operand's
/// place.
inline constexpr llvm::StringLiteral kInPlaceAttr = "lathe.in_place";
/// On a GPU's kernel: how many words with predicates it has, pairs of an address of a byte and of the value that it must have.
/// The kernel does nothing if a byte has another value.
inline constexpr llvm::StringLiteral kPredicatesAttr = "lathe.predicates";

/// On a kernel, for profiles: the op that names it, and the others (StringAttr).
inline constexpr llvm::StringLiteral kHeroAttr = "lathe.hero", kFusedAttr = "lathe.fused";

/// Returns the lathe.extern that a kernel is; null for a kernel of ops that are compiled.
ExternOp externOf(KernelOp kernel);

/// Returns the lathe.assert, lathe.print or lathe.check that a kernel is, which entries do themselves; null for another kernel.
mlir::Operation *reportOf(KernelOp kernel);

/// Unit attribute of a module none of whose kernels runs on a CPU: copies that a CPU's kernels want are left out there.
inline constexpr llvm::StringLiteral kOnDeviceAttr = "lathe.on_device";
bool isOnDevice(mlir::Operation *op);

} // namespace lathe

#endif
