// Copies of operands to the stack, side by side, and fetches into the cache.
#ifndef LATHE_CODEGEN_CPU_TILES_COPIES_H
#define LATHE_CODEGEN_CPU_TILES_COPIES_H

#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The caches that a fetch fills.
enum class FetchInto { SecondCache = 2, AllCaches = 3 }; // as LLVM numbers them

/// Emits fetches of the cache lines of `count` elements into a cache.
void fetchLines(CodeFrame &frame, mlir::Value from, mlir::Type element, int64_t count, FetchInto into);

/// Copies any number of bytes by `rep movsb`, for long ranges on targets with `hasStringMoves`. The ranges do not overlap.
void moveString(CodeFrame &frame, mlir::Value from, mlir::Value to, mlir::Value bytes);

/// Copies `count` rows, which are `pitch` elements apart, to rows that are `packedPitch` apart, by a call of a function that
/// kernels share. A row has the columns of a tile, of which `columns` tells the vectors and the lanes of the last one; the
/// lanes behind these become zeros.
void packRows(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, mlir::Type element, mlir::Value from,
              int64_t pitch, mlir::Value count, mlir::Value to, int64_t packedPitch);

} // namespace lathe::cpu

#endif
