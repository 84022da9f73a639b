// The sizes of a convolution.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_SHAPE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_SHAPE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::cpu {

/// One spatial dimension: input position * inputDilation = output position * stride + tap * dilation - padLow.
struct ConvolutionDim {
  int64_t input, taps, output; // `input` and `output` are unspecified if extents are named
  int64_t stride, dilation, inputDilation, padLow;

  /// Returns the input position that an output reads through a tap; nullopt if it reads none.
  std::optional<int64_t> inputPlace(int64_t output, int64_t tap) const;
  /// The same for an unbounded input.
  std::optional<int64_t> place(int64_t output, int64_t tap) const;
  /// Distance of outputs that read inputs through one tap, and of those inputs.
  int64_t outputStep() const;
  int64_t inputStep() const;
  /// Distance of taps through which one output reads inputs, and of those inputs.
  int64_t tapStep() const;
  int64_t tapPlaces() const;

  /// Returns the first output that reads an input through a tap, where inputs begin at position 0 and have no end; nullopt if
  /// there is none.
  struct Meeting {
    int64_t output, input;
  };
  std::optional<Meeting> firstMeeting(int64_t tap) const;

  /// The taps that all outputs at a distance of outputStep() have in common: the first tap, their number, and the input
  /// position that the first of these outputs reads through the first tap.
  struct Phase {
    int64_t tap, taps, input;
  };
  Phase phase(int64_t output) const;
};

/// x [batch, spatial..., groups * channels], w [taps..., channels, groups * filters], y [batch, spatial..., groups * filters]:
/// the filters of a group read only the channels of that group.
struct ConvolutionShape {
  llvm::SmallVector<ConvolutionDim> dims;
  int64_t groups, channels, filters;
  Dims input, output; // the spatial extents

  /// True if extents are named.
  bool isOpen() const;

  /// True if each channel has its own filter: vectors then go across groups, and channels are the columns.
  bool isDepthwise() const { return groups > 1 && channels == 1 && filters == 1; }
  /// Number of adjacent outputs that read the same inputs (or, if depthwise, one input each), and the number of such groups.
  int64_t columns() const { return isDepthwise() ? groups : filters; }
  int64_t columnGroups() const { return isDepthwise() ? 1 : groups; }

  /// Elements from one position to the next.
  int64_t inputPitch() const { return groups * channels; }
  int64_t outputPitch() const { return groups * filters; }

  int64_t inputPlaces() const;
  int64_t outputPlaces() const;
  Dim outputPlacesDim() const;
  int64_t taps() const;

  /// Number of terms of an output's sum, including those beyond borders, and of one row of it (see SumOrder).
  int64_t sumTerms() const { return taps() * channels; }
  int64_t sumRow() const { return channels > 1 ? channels : dims.back().taps; }
  /// Number of terms in a row of a filter gradient's sum, which runs over all output positions of all images.
  Dim gradientRow() const { return output.back(); }
};

/// Returns the shape of a lathe.conv or lathe.conv_filter_grad. Returns nullopt for other ops, extents of zero, named extents
/// other than those of images, and groups of several channels but one filter, which has no contiguous columns.
std::optional<ConvolutionShape> convolutionShape(mlir::Operation *op);

/// Returns the operations for each point of the nests around a hero. A function counts as more than a short epilogue has.
int64_t operationsAround(mlir::Operation *hero);

} // namespace lathe::cpu

#endif
