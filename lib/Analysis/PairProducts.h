// Matrix products that add pairs of products of bf16 at once, under --math=fast.
#ifndef LATHE_ANALYSIS_PAIRPRODUCTS_H
#define LATHE_ANALYSIS_PAIRPRODUCTS_H

#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// The longest sum of such a product. The factors of a vector of columns of a right operand that is not a constant are on the
/// stack.
inline constexpr int64_t kMostPairDepth = 6144;

/// True if the form bf16_product computes this product of f32 once its operands are rounded, for all sizes of its named
/// dimensions: contiguous rows by a matrix of known size, without batches.
bool suitsPairs(DotGeneralOp op);

/// True if products of this form with `depth` factors in a sum and `columns` columns have a kernel.
bool suitsPairs(int64_t depth, int64_t columns);

/// True if the value becomes a constant when constants are folded, inside of loops and branches too.
bool isMovedConstant(mlir::Value value);

/// True if the op only moves the elements of its one operand.
bool movesElements(mlir::Operation *op);

/// True if `op` is a product with the attribute that suits.
bool isPairProduct(mlir::Operation *op);

/// True if `op` is a depthwise convolution of bf16 images that its kernel widens.
bool readsNarrowImages(mlir::Operation *op);

/// Returns the tensor of bf16 that an operand of such a product or convolution widens, before or after ops became nests; null
/// if it is computed otherwise.
mlir::Value narrowOperand(mlir::Value operand);

/// True if the op widens bf16 only for such products and convolutions, or makes patches of it only for products. Their kernels
/// read the bf16.
bool isForPairProducts(mlir::Operation *op);

/// Returns the kernel's product of this kind, or null.
DotGeneralOp pairProductOf(KernelOp kernel);

} // namespace lathe

#endif
