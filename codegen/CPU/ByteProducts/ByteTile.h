// The micro-kernel of a product of bytes: the sums of one register tile.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_BYTETILE_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_BYTETILE_H

#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The parameters of a micro-kernel, which is one function for all kernels of a module. Its columns are a part of a byte panel,
/// or whole panels.
struct ByteTile {
  unsigned rows, vectors, lanes;
  bool dots;    // lhs is packed as bytes, otherwise as i16
  bool hasZero; // lhs has a zero point

  /// The arguments of the tile's function, in order.
  struct Arguments {
    mlir::Value lhs, lhsPitch; // the first packed row, and the bytes between rows
    mlir::Value rhs;           // the first column in its panel
    mlir::Value columnSums;    // of the first column
    mlir::Value groups;        // of four products
    mlir::Value panelBytes;
    mlir::Value zero;            // i32
    mlir::Value sums, sumsPitch; // the results, and the elements between rows of them
  };

  /// Calls the tile's function, which the kernels of a module share.
  void call(KernelFrame &frame, const Arguments &arguments) const;

private:
  void emit(CodeFrame &frame, const Arguments &arguments) const;
  unsigned sumsOfVector() const { return dots ? 1 : 2; }
  int64_t offsetInPanel(unsigned vector) const;
  mlir::Value inPanel(CodeFrame &frame, mlir::Value first, mlir::Value panelBytes, unsigned vector, int64_t bytes) const;
  CodeFrame::Carry addGroup(CodeFrame &frame, const Arguments &a, mlir::Value group, mlir::ValueRange sums) const;
  mlir::Value wholeSums(CodeFrame &frame, mlir::ValueRange sums) const;
};

} // namespace lathe::cpu

#endif
