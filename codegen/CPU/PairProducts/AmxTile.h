// The micro-kernel of a product of bf16 on AMX: the sums of up to four tile registers.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_AMXTILE_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_AMXTILE_H

#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// The parameters of a micro-kernel, which is one function for all kernels of a module. A tile register has up to 16 rows of 64
/// bytes: 16 sums, or 16 pairs of bf16. One instruction adds 16 pairs of products to each of its sums.
struct AmxTile {
  static constexpr unsigned kRows = 16, kLanes = 16, kPairs = 16, kRowBytes = 64, kRegisters = 8;
  static constexpr unsigned kMostSums = 4; // registers of sums; two have rows of lhs, and two columns of rhs

  unsigned rowTiles, columnTiles;
  unsigned panelTiles; // tiles in a row of packed columns; those behind are in the next panel
  unsigned restTiles;  // tiles in a row of `restRhs`
  bool hasRest;        // fewer than 16 pairs follow the blocks of 16

  /// The arguments of the tile's function, in order.
  struct Arguments {
    mlir::Value lhs, second;      // the first rows of the tiles of rows; `second` is ignored if there is one
    mlir::Value rowPitch;         // bytes of lhs between rows
    mlir::Value rhs;              // the first column's first pair
    mlir::Value panelSize;        // pairs of a panel of rhs
    mlir::Value blocks;           // of 16 pairs
    mlir::Value restLhs, restRhs; // the last pairs, filled up with zeros, of rows and columns
    mlir::Value sums;             // the results, row by row in vectors of 16
  };

  /// Calls the tile's function, which the kernels of a module share. The tile registers must be configured.
  void call(KernelFrame &frame, const Arguments &arguments) const;

private:
  void emit(CodeFrame &frame, const Arguments &arguments) const;
  void addPairs(CodeFrame &frame, llvm::ArrayRef<mlir::Value> lhs, mlir::Value lhsPitch, llvm::ArrayRef<mlir::Value> rhs,
                mlir::Value rhsPitch) const;
};

/// Configures the thread's tile registers for `rows` rows of lhs, 1 to 16. Must be called before the first loop.
void configureTiles(CodeFrame &frame, mlir::Value rows);

/// Returns the thread's tile registers to their initial state, which other code may rely on.
void releaseTiles(CodeFrame &frame);

} // namespace lathe::cpu

#endif
