// This describes where the factors of a product's rows lie in memory.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_LHSROWS_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_LHSROWS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::cpu {

/// The rows of a left operand of bf16. The operand is a matrix in memory, or patches of images: slices of an image in memory,
/// one for each tap of a filter, that are concatenated along the last dimension. Patches are read where the image lies.
struct LhsRows {
  mlir::Value memory;
  /// Elements between adjacent indices of each dimension of the rows.
  llvm::SmallVector<int64_t> pitches;
  int64_t chunk = 0;       // factors that are adjacent
  int64_t chunks = 1;      // of a row
  int64_t chunkPitch = 0;  // elements between the beginnings of chunks
  bool areAdjacent = true; // each row begins where the one before it ends

  /// Returns the rows of a value in a kernel whose other ops are nests; nullopt if they have no such regular order. `depth` is
  /// the number of factors.
  static std::optional<LhsRows> of(mlir::Value value, int64_t depth);
};

} // namespace lathe::cpu

#endif
