// The sums of one tile of a matrix product.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_DOTTILE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_DOTTILE_H

#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

struct DotTile {
  mlir::Type element;  // of the sums
  mlir::Type lhs, rhs; // in memory: the same, halves, or narrower integers
  unsigned rows, vectors, lanes;
  bool hasTail;        // the last vector has fewer columns than lanes
  bool goesOn = false; // the sums begin with what they are
  bool adds = false;   // the sums begin with 0, and what they come to is added to what they were

  /// What the tile's function is called with, in this order. Strides count elements.
  struct Arguments {
    mlir::Value lhs, rhs;             // of the first row, of the first column
    mlir::Value depth;                // products in a sum
    mlir::Value rowStride, lhsStride; // of lhs: from row to row, from product to product
    mlir::Value rhsStride;
    mlir::Value lastLanes; // columns of the last vector, where hasTail
    mlir::Value sums;      // the result, row by row in vectors
  };

  /// The tile's function in the kernel's module; kernels with tiles of the same form share it.
  mlir::LLVM::LLVMFuncOp function(KernelFrame &frame) const;
  void call(KernelFrame &frame, const Arguments &arguments) const;

private:
  void emit(CodeFrame &frame, const Arguments &arguments) const;
};

/// Factors from memory, in vectors or, with one lane, alone; halves become f32, and narrower integers as wide as the sums.
mlir::Value loadFactors(CodeFrame &frame, mlir::Value from, mlir::Type element, mlir::Type sums);

} // namespace lathe::cpu

#endif
