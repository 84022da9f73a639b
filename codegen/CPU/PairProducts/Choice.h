// The cost model of products of bf16 in pairs.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_CHOICE_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_CHOICE_H

#include "codegen/CPU/PairProducts/LhsRows.h"
#include "codegen/CPU/PairProducts/PairProducts.h"

namespace lathe::cpu {

/// A product [rows, depth] x [depth, columns] of bf16. The rows of the right operand are contiguous.
struct PairProductShape {
  DotGeneralOp op;
  LhsRows lhs;
  mlir::Value rhs; // bf16 in memory
  Dims rowDims;
  Dim rows = Dim(1);
  int64_t depth = 0, columns = 0;
  int64_t panel = 0; // the width of the panels that rhs is stored in, or 0

  /// Returns nullopt if the op, which is in a kernel, is not such a product of tensors in memory.
  static std::optional<PairProductShape> of(mlir::Operation *op);

  int64_t pairs() const { return llvm::divideCeil(depth, 2); }
  /// Returns the bytes of a thread's stack that the product takes.
  int64_t stackBytes(const TileShape &tile) const;
};

/// The columns of a panel: those of two vectors.
inline constexpr int64_t kPairPanelColumns = 32;

/// Returns the rows that meet all columns before the next ones, a multiple of `unit` or all rows: they stay in the second-level
/// cache.
int64_t chooseRowBlock(const PairProductShape &shape, int64_t unit, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a tile of so many columns that does not match the panels of the right operand, or
/// that takes too much of a thread's stack. `parameter` is its number of vectors in a schedule.
mlir::LogicalResult checkPairColumns(KernelOp kernel, const PairProductShape &shape, const TileShape &tile, int64_t stackBytes,
                                     llvm::StringRef parameter);

PairProductSchedule choosePairProduct(const PairProductShape &shape, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkPairProduct(KernelOp kernel, const PairProductShape &shape, const PairProductSchedule &schedule,
                                     const VectorTarget &target);

} // namespace lathe::cpu

#endif
