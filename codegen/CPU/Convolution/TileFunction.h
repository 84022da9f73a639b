// The sums of one tile of a convolution.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TILEFUNCTION_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TILEFUNCTION_H

#include "codegen/CPU/Tiles/Steps.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The code of one register tile. Rows are images, or lines of outputs, times pixels. Columns are the vectors of a panel, or of
/// several panels. Distances count elements.
///
/// Distances are arguments of the function where that costs nothing, so that a few functions serve all convolutions of a graph.
/// They stay numbers in depthwise tiles, whose sums are short.
struct TileSums {
  mlir::Type element;
  unsigned images, pixels;
  int64_t imageDistance, pixelDistance; // between inputs
  unsigned vectors, lanes;
  int64_t lastLanes, filterPitch; // from one row of the filter to the next
  int64_t sumDistance;            // from the sums of one row to those of the next
  bool continues;                 // the sums start from those in memory
  bool isDepthwise = false;       // each column has its own input
  bool hasWideRuns = false;       // runs are 64-bit words

  /// Vectors that lie side by side: `vectors` of them begin each `distance` elements.
  struct Split {
    unsigned vectors = 0; // 0: all lie side by side
    int64_t distance = 0;
    int64_t placeOf(unsigned vector, unsigned lanes) const {
      return vectors ? vector / vectors * distance + vector % vectors * int64_t(lanes) : vector * int64_t(lanes);
    }
    std::string name() const { return vectors ? std::to_string(vectors) + "at" + std::to_string(distance) : ""; }
  };
  Split inFilter = {}, inSums = {};
  bool fetchesAhead = false;  // fetches other rows of the filter into the cache, `ahead` elements behind those that it reads
  bool mayAdd = false;        // the sums start from 0; `adds` says whether they are added to those in memory
  bool readsPanel = false;    // of a constant filter, whose rows mostly are as wide as the tile
  int64_t runMultiple = 1;    // divides the lengths of all runs
  bool hasNamedLines = false; // arguments give the distances of the images' inputs and of their sums

  /// The values of a call. Input and filter point to the first row's base and the panel's first column. A run is three words of
  /// 32 or 64 bits (TapTable).
  struct Call {
    mlir::Value input, filter, runs, count, sums;
    mlir::Value ahead = {};                                // with `fetchesAhead`
    mlir::Value imageDistance = {}, imageSumDistance = {}; // with `hasNamedLines`
    mlir::Value adds = {};                                 // with `mayAdd`
    // Distances that are arguments of the tile's function; null for the numbers that the tile has.
    mlir::Value rowTable = {}, pitch = {}, sumPlaces = {};
  };
  /// Calls the function of the kernel's module for this tile; kernels with equal tiles share it.
  void call(KernelFrame &frame, const Call &values) const { call(frame, frame, values); }
  /// The same in another function of the module.
  void call(KernelFrame &kernel, CodeFrame &frame, const Call &values) const;

  /// Returns the name of the function, which says all that its code depends on.
  std::string name() const;
  bool hasRowTable() const { return !hasFixedDistances() && images * pixels > 1; }
  bool hasPitch() const { return !hasFixedDistances() && (!readsPanel || filterPitch != int64_t(vectors) * lanes); }
  bool hasSumPlaces() const { return !hasFixedDistances() && inSums.vectors; }
  /// Returns the address of a constant table of the distances from the first row's input to those of the other rows.
  mlir::Value rowTable(KernelFrame &frame) const;

private:
  struct Arguments;
  bool hasFixedDistances() const { return isDepthwise || hasNamedLines; }
  /// Returns the steps of a run. The runs of a depthwise convolution are one product long.
  ProductSteps steps() const { return isDepthwise ? ProductSteps() : ProductSteps::of(images * pixels * vectors, runMultiple); }
  void emit(CodeFrame &frame, const Arguments &arguments) const;
  mlir::Value sumAt(CodeFrame &frame, const Arguments &arguments, unsigned i) const;
  void storeSums(CodeFrame &frame, const Arguments &arguments, mlir::ValueRange totals) const;
  CodeFrame::Carry step(CodeFrame &frame, mlir::Value x, const Arguments &arguments, mlir::Value w,
                        mlir::ValueRange totals) const;
  mlir::Value inputsOf(CodeFrame &frame, mlir::Value x, const Arguments &arguments, unsigned row) const;
};

} // namespace lathe::cpu

#endif
