// Matrix products that add pairs of products of bf16 at once, under --math=fast.
#ifndef LATHE_ANALYSIS_PAIRPRODUCTS_H
#define LATHE_ANALYSIS_PAIRPRODUCTS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Unit attribute of a lathe.dot_general under --math=fast whose operands are bf16 that are widened to f32. A CPU kernel adds
/// its products in pairs, by instructions that flush denormal numbers. Code for which the attribute means nothing computes the
/// same product.
inline constexpr llvm::StringLiteral kPairsAttr = "lathe.bf16_pairs";

/// The longest sum of such a product. The factors of a vector of columns of a right operand that is not a constant are on the
/// stack.
inline constexpr int64_t kMostPairDepth = 6144;

/// True if the form bf16_product computes this product of f32 once its operands are rounded, for all sizes of its named
/// dimensions: contiguous rows by a matrix of known size, without batches.
bool suitsPairs(DotGeneralOp op);

/// True if `op` is a product with the attribute that suits.
bool isPairProduct(mlir::Operation *op);

/// Returns the tensor of bf16 that an operand of such a product widens, before or after ops became nests; null if it is
/// computed otherwise.
mlir::Value narrowOperand(mlir::Value operand);

/// True if the op widens bf16 only for such products. Their kernels read the bf16.
bool isForPairProducts(mlir::Operation *op);

/// Returns the kernel's product of this kind, or null.
DotGeneralOp pairProductOf(KernelOp kernel);

} // namespace lathe

#endif
