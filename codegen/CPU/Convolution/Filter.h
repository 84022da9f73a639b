// The filter of a convolution in memory: as the graph has it, or in panels.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FILTER_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FILTER_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Convolution/TileFunction.h"
#include "codegen/Schedules/Panels.h"

namespace lathe::cpu {

/// Returns the bytes of an element of a convolution's operands and results.
unsigned elementBytesOf(ConvOp op);

/// Returns the width of the panels that a convolution's filter is stored in; 0 for row-major order.
int64_t panelWidthOf(ConvOp op);

/// Chooses the panels of the filter of a kernel's convolution, which all targets of an object share: the widest tile of pixels
/// of the targets, if it divides the filters of a group. Returns nullopt if the filter cannot be in panels: if the kernel reads
/// it elsewhere too, or if no width serves all targets.
std::optional<PanelChoice> chooseFilterPanels(KernelOp kernel, llvm::ArrayRef<VectorTarget> targets);

/// Returns the tile of pixels for a shape: as many rows as the registers hold of two vectors, or of three or one if the columns
/// ask for it.
TileShape choosePixels(const ConvolutionShape &shape, const VectorTarget &target, unsigned elementBytes);
/// Returns a tile of the same width, whose height forTiles can halve.
TileShape chooseHalvedPixels(const ConvolutionShape &shape, const VectorTarget &target, unsigned elementBytes);

/// Refuses, with a diagnostic at the kernel, a tile that cannot read the panels of the kernel's filter.
mlir::LogicalResult checkPanels(KernelOp kernel, ConvOp op, const TileShape &tile);

/// Addresses in the filter.
class FilterMemory {
public:
  FilterMemory(ConvOp op, const ConvolutionShape &shape);

  bool isPacked() const { return panel; }
  /// Returns the elements from one row of the filter to the next.
  int64_t pitch() const { return panel ? panel : rowPitch; }
  /// Returns the place, in elements, and the address of a column in the first row.
  mlir::Value place(KernelFrame &frame, mlir::Value column) const;
  mlir::Value column(KernelFrame &frame, mlir::Value column) const {
    return frame.at(frame.buffers.lookup(filter), element, place(frame, column));
  }
  /// Returns where the vectors of a tile lie that begins at a multiple of its width.
  TileSums::Split split(unsigned vectors, unsigned lanes) const;

private:
  mlir::Value filter;
  mlir::Type element;
  int64_t rows, rowPitch; // of the graph's order
  int64_t panel;          // columns; 0 for row-major order
};

} // namespace lathe::cpu

#endif
