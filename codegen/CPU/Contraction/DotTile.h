// The micro-kernel of a matrix product: the sums of one register tile.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_DOTTILE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_DOTTILE_H

#include "codegen/CPU/Tiles/Steps.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The parameters of a micro-kernel, which is one function for all kernels of a module.
struct DotTile {
  mlir::Type element;  // of the sums
  mlir::Type lhs, rhs; // in memory: as wide as the sums, halves, or narrower integers
  unsigned rows, vectors, lanes;
  bool hasTail;              // the last vector has fewer columns than lanes
  bool goesOn = false;       // the sums start from those in memory
  bool adds = false;         // the sums start from 0 and are added to those in memory
  unsigned panelVectors = 0; // vectors of a panel of rhs, after which the next panel begins; 0 if all columns are in one
  // Strides that are known, so that a step of several products has them in its addresses; 0 if only the argument tells.
  int64_t rowStride = 0, lhsStride = 0, rhsStride = 0;
  int64_t depthMultiple = 1; // divides the products per sum
  bool isFar = false;        // products are so far apart that the hardware fetches only those of single steps
  bool fetches = false;      // each product fetches a place of the next columns into the second-level cache

  /// The arguments of the tile's function, in order. Strides count elements.
  struct Arguments {
    mlir::Value lhs, rhs;             // addresses of the first row and of the first column
    mlir::Value depth;                // products per sum
    mlir::Value rowStride, lhsStride; // of lhs: between rows, between products
    mlir::Value rhsStride;
    mlir::Value panelStride;     // between panels of rhs, if panelVectors
    mlir::Value lastLanes;       // columns of the last vector, if hasTail
    mlir::Value sums;            // the results, row by row in vectors
    mlir::Value ahead = {};      // with `fetches`: what the first product fetches
    mlir::Value aheadPitch = {}; // and the bytes from there to what the next product fetches
  };

  /// Returns the tile's function in the kernel's module; kernels with equal tiles share it.
  mlir::LLVM::LLVMFuncOp function(KernelFrame &frame) const;
  void call(KernelFrame &frame, const Arguments &arguments) const;

private:
  std::string name() const;
  ProductSteps steps() const { return isFar ? ProductSteps() : ProductSteps::of(rows * vectors, depthMultiple); }
  void emit(CodeFrame &frame, const Arguments &arguments) const;
  CodeFrame::Carry addProduct(CodeFrame &frame, const Arguments &arguments, mlir::Value mask, mlir::Value left,
                              mlir::Value right, mlir::ValueRange totals) const;
};

/// Loads factors: a vector, or a scalar if there is one lane. Widens halves to f32, and narrower integers to the sums' type.
mlir::Value loadFactors(CodeFrame &frame, mlir::Value from, mlir::Type element, mlir::Type sums);

} // namespace lathe::cpu

#endif
