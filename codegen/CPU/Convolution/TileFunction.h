// The sums of one tile of a convolution.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TILEFUNCTION_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TILEFUNCTION_H

#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// Rows are images times pixels, columns the vectors of a panel. Distances count elements.
struct TileSums {
  mlir::Type element;
  unsigned images, pixels;
  int64_t imageDistance, pixelDistance; // of inputs
  unsigned vectors, lanes;
  int64_t lastLanes, filterPitch; // from one row of the filter to the next
  int64_t sumDistance;            // from the sums of a row to those of the next
  bool continues;                 // the sums go on from what is there
  bool adds = false;              // the sums begin with 0, and are added to what is there
  bool isDepthwise = false;       // each column has an input of its own
  bool hasWideRuns = false;       // runs are words of 64 bits

  /// The function `void (ptr input, ptr filter, ptr runs, i64 count, ptr sums)` of the kernel's module: kernels with tiles of
  /// the same sizes share it. Input and filter point to the first row's base and the panel's first column, runs are three words
  /// of 32 or 64 bits each (TapTable).
  mlir::LLVM::LLVMFuncOp function(KernelFrame &frame) const;

private:
  std::string name() const;
  void emit(CodeFrame &frame, llvm::ArrayRef<mlir::Value> arguments) const;
  CodeFrame::Carry step(CodeFrame &frame, mlir::Value x, mlir::Value w, mlir::ValueRange totals) const;
};

} // namespace lathe::cpu

#endif
