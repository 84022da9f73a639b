// The micro-kernel of a product of bf16 in pairs: the sums of one register tile.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_PAIRTILE_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_PAIRTILE_H

#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// The parameters of a micro-kernel, which is one function for all kernels of a module.
struct PairTile {
  static constexpr unsigned kLanes = 16; // f32 of a vector

  unsigned rows, vectors;
  unsigned panelVectors; // vectors of a row of packed columns; those behind are in the next panel
  bool isOdd;            // a last product follows the pairs
  bool isApart = false;  // rows lie at distances of their own, and consist of chunks
  bool fetches = false;  // each pair fetches a place of the next columns into the second-level cache

  /// The arguments of the tile's function, in order.
  struct Arguments {
    mlir::Value lhs;        // the first row, whose products are contiguous
    mlir::Value rowPitch;   // elements of lhs between rows; if they are apart, the address of the distance of each row
    mlir::Value rhs;        // the first column's first pair
    mlir::Value pairs;      // of a sum, or of a chunk
    mlir::Value panelSize;  // pairs of a panel of rhs
    mlir::Value sums;       // the results, row by row in vectors
    mlir::Value chunks;     // of rows that are apart
    mlir::Value chunkPitch; // elements of lhs between chunks
    mlir::Value ahead;      // what the first pair fetches
    mlir::Value aheadPitch; // bytes from there to what the next pair fetches
  };

  /// Calls the tile's function, which the kernels of a module share.
  void call(KernelFrame &frame, const Arguments &arguments) const;

private:
  void emit(CodeFrame &frame, const Arguments &arguments) const;
  /// Adds the products of a run of pairs, the last of which may be one product.
  CodeFrame::Carry addRun(CodeFrame &frame, const Arguments &arguments, llvm::ArrayRef<mlir::Value> rowPlaces, mlir::Value left,
                          mlir::Value right, mlir::Value ahead, mlir::ValueRange sums) const;
  CodeFrame::Carry addPair(CodeFrame &frame, const Arguments &arguments, llvm::ArrayRef<mlir::Value> rowPlaces,
                           mlir::Value left, mlir::Value right, bool isLast, mlir::ValueRange sums) const;
};

} // namespace lathe::cpu

#endif
