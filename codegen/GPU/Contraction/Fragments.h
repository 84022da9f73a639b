// Matrix products of a warp by mma.sync: how its lanes hold pieces of the operands and of the sums.
//
// Layouts are those of the PTX ISA, "Matrix Fragments for mma.m16n8k8, .m16n8k16 and .m8n8k4": lane l has group l / 4 and place
// l % 4 in it. Both operands lie in shared memory with their depth innermost.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_FRAGMENTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_FRAGMENTS_H

#include "codegen/GPU/ThreadFrame.h"

namespace lathe::gpu {

class Fragments {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// For operands of f16, bf16, f32 (as three products of tf32, or one if `isFast`) or f64, summed in f32 or f64. `pitch`:
  /// elements of a row in shared memory.
  Fragments(ThreadFrame &frame, mlir::Type element, unsigned pitch, bool isFast);

  unsigned rows, columns, depth; // of one product
  unsigned sums;                 // accumulators of a lane
  /// Elements between rows in shared memory so that the lanes of a warp read from different banks.
  static unsigned pitchFor(mlir::Type element, unsigned depth);
  /// What elements are in shared memory.
  static mlir::Type stored(mlir::OpBuilder &builder, mlir::Type element);

  Values zeros();
  /// Pieces of a product's operands, whose first element is `from`.
  Values loadLhs(mlir::Value from);
  Values loadRhs(mlir::Value from);
  Values multiply(const Values &lhs, const Values &rhs, const Values &sums);
  /// What the lane's accumulators say of the elements, as many as there are places; and where those are in the product's tile.
  Values results(const Values &sums);
  unsigned resultCount() const { return element.isF64() ? 2 : 4; }
  std::pair<mlir::Value, mlir::Value> placeOf(unsigned result);

private:
  mlir::Value at(mlir::Value from, unsigned row, unsigned column);
  mlir::Value loadWord(mlir::Value from, unsigned row, unsigned column);
  /// Whether operands come in two parts.
  bool isSplit() const { return element.isF32() && !isFast; }
  Values split(mlir::ArrayRef<mlir::Value> words);
  Values rounded(const Values &words);
  mlir::Value tf32(mlir::Value single);
  Values multiplyOnce(mlir::ValueRange lhs, mlir::ValueRange rhs, mlir::ValueRange sums);

  ThreadFrame &frame;
  mlir::OpBuilder &b;
  mlir::Type element;
  unsigned pitch;
  bool isFast;
  mlir::Value group, place; // of the lane
};

} // namespace lathe::gpu

#endif
