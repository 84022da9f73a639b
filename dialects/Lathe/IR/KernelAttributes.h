// Attributes of kernels through which fusion, plan and code generators communicate.
#ifndef LATHE_IR_KERNELATTRIBUTES_H
#define LATHE_IR_KERNELATTRIBUTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Unit attribute of a row kernel, whose reductions cover whole rows of one shape. Every value in it has one element for each
/// row or the shape of the rows with their elements, and depends only on values of its own row. Its results may have both
/// shapes. Without this and the next attribute a kernel has at most one reduction, and results of one shape.
inline constexpr llvm::StringLiteral kRowsAttr = "lathe.rows";

/// Unit attribute of a kernel over items. All values of its ops, except broadcasts, have one leading dimension, that of the
/// items, and few elements for each item. A value depends on those of its own item only. There may be several reductions within
/// items, and results of several shapes.
inline constexpr llvm::StringLiteral kItemsAttr = "lathe.items";

/// Positions of extents that are 1 because a version was made for that size, while the general function has names there. The
/// order of a sum must not depend on them. On an op for its result, on an argument for itself (DenseI64ArrayAttr); on a kernel
/// for its operands, then its results, on a branch or loop for its results (ArrayAttr of those). Absent if there are none.
inline constexpr llvm::StringLiteral kSizedUnitsAttr = "lathe.sized_units";

/// Returns the sized units of an op's result or a function's argument, or null.
mlir::DenseI64ArrayAttr sizedUnitsOf(mlir::Value value);

/// Unit attribute of a division of floats, as an op of the graph and in a nest: its quotient is rounded once under --math=fast
/// too, since guaranteed bits depend on it.
inline constexpr llvm::StringLiteral kExactAttr = "lathe.exact";

/// Unit attribute of an exp, as an op of a kernel and in a nest, whose operand is at most 0 or NaN.
inline constexpr llvm::StringLiteral kNonpositiveAttr = "lathe.nonpositive";

/// Unit attribute of a maximum, as an op of a kernel and on its nest: nothing depends on what it makes of NaN and of the signs
/// of zeros.
inline constexpr llvm::StringLiteral kIgnoresNaNAttr = "lathe.ignores_nan";

/// On a nest that concatenates its inputs: the dimension along which it does (i64). Its accesses and its region say the same.
inline constexpr llvm::StringLiteral kConcatenatedAttr = "lathe.concatenated";

/// On a lathe.conv or lathe.conv_filter_grad under --math=fast: a CPU kernel takes squares of so many outputs a side by
/// Winograd's minimal filtering (i64; lib/Analysis/Winograd.h). Code for which the attribute means nothing computes the same
/// values.
inline constexpr llvm::StringLiteral kWinogradAttr = "lathe.winograd";

/// Unit attribute of a lathe.dot_general under --math=fast whose operands are bf16 that are widened to f32. A CPU kernel adds
/// its products in pairs, by instructions that flush denormal numbers. Code for which the attribute means nothing computes the
/// same product.
inline constexpr llvm::StringLiteral kPairsAttr = "lathe.bf16_pairs";

/// Unit attribute of the slices and the concatenation that make patches of an image of bf16, which products with
/// `lathe.bf16_pairs` read where the image lies.
inline constexpr llvm::StringLiteral kPatchesAttr = "lathe.patches";

/// Unit attribute of a depthwise lathe.conv under --math=fast, whose images are bf16 that is widened to f32. Its CPU kernel
/// reads the bf16. Code for which the attribute means nothing computes the same values.
inline constexpr llvm::StringLiteral kNarrowImagesAttr = "lathe.bf16_images";

/// The name of the op for which the kernel copies its operand (StringAttr).
inline constexpr llvm::StringLiteral kCopyForAttr = "lathe.copy_for";
/// Creates a kernel that copies a value, for an op of this name.
KernelOp createCopy(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, llvm::StringRef wanting);

/// Unit attribute of a GPU kernel some of whose buffers may be unaligned, such as slices of a scan's sequences.
inline constexpr llvm::StringLiteral kUnalignedAttr = "lathe.unaligned";
/// Unit attribute of a GPU kernel that replaces parts of its first operand: the result has the operand's buffer.
inline constexpr llvm::StringLiteral kInPlaceAttr = "lathe.in_place";
/// On a GPU kernel: the number of its predicate words, which are pairs of the address of a byte and the value that it must
/// have. The kernel does nothing if a byte has another value.
inline constexpr llvm::StringLiteral kPredicatesAttr = "lathe.predicates";

/// On a kernel, for profiles: the op that names it, and the others (StringAttr).
inline constexpr llvm::StringLiteral kHeroAttr = "lathe.hero", kFusedAttr = "lathe.fused";

/// Returns the lathe.extern in a kernel, or null.
ExternOp externOf(KernelOp kernel);

/// Unit attribute of a collective in a kernel that only starts the exchange; a lathe.collective_wait ends it.
inline constexpr llvm::StringLiteral kStartsAttr = "lathe.starts";

/// Returns the lathe.collective_wait in a kernel, or null.
CollectiveWaitOp waitOf(KernelOp kernel);

/// Returns the collective in a kernel, which the context's communicator carries out, or null.
CollectiveOpInterface collectiveOf(KernelOp kernel);

/// Returns the lathe.assert, lathe.print or lathe.check in a kernel, which entries implement; null for another kernel.
mlir::Operation *reportOf(KernelOp kernel);

/// True if the kernel's ops become code, which holds for all but those above.
bool isCompiled(KernelOp kernel);

/// Unit attribute of a module without CPU kernels: it needs no copies for CPU kernels.
inline constexpr llvm::StringLiteral kOnDeviceAttr = "lathe.on_device";
bool isOnDevice(mlir::Operation *op);

} // namespace lathe

#endif
