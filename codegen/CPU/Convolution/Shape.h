// Sizes of a convolution.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_SHAPE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_SHAPE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::cpu {

/// One spatial dimension: input place * inputDilation = output place * stride + tap * dilation - padLow.
struct ConvolutionDim {
  int64_t input, taps, output; // of an open convolution `input` and `output` mean nothing
  int64_t stride, dilation, inputDilation, padLow;

  /// The input place that an output meets through a tap; nullopt where there is none.
  std::optional<int64_t> inputPlace(int64_t output, int64_t tap) const;
  /// The same of an input without ends.
  std::optional<int64_t> place(int64_t output, int64_t tap) const;
  /// Outputs that meet inputs through one tap are this far apart, and those inputs as far as inputStep.
  int64_t outputStep() const;
  int64_t inputStep() const;
  /// Taps that meet inputs at one output are this far apart, and those inputs as far as tapPlaces.
  int64_t tapStep() const;
  int64_t tapPlaces() const;

  /// The first output that meets an input through a tap, were there inputs at all places from 0 on; nullopt where there is
  /// none.
  struct Meeting {
    int64_t output, input;
  };
  std::optional<Meeting> firstMeeting(int64_t tap) const;

  /// The taps through which outputs meet inputs that are a multiple of outputStep() behind one another: `taps` of them, the
  /// first one at the place `input` for the first of these outputs.
  struct Phase {
    int64_t tap, taps, input;
  };
  Phase phase(int64_t output) const;
};

/// x [batch, spatial..., groups * channels], w [taps..., channels, groups * filters], y [batch, spatial..., groups * filters]:
/// the filters of a group read the channels of that group.
struct ConvolutionShape {
  llvm::SmallVector<ConvolutionDim> dims;
  int64_t groups, channels, filters;
  Dims input, output; // the spatial extents

  /// Whether extents have names.
  bool isOpen() const;

  /// Each channel has a filter of its own: vectors go across groups, and channels are columns as filters are elsewhere.
  bool isDepthwise() const { return groups > 1 && channels == 1 && filters == 1; }
  /// Neighbouring outputs that read the same inputs, or one each of as many; and how many times there are so many.
  int64_t columns() const { return isDepthwise() ? groups : filters; }
  int64_t columnGroups() const { return isDepthwise() ? 1 : groups; }

  /// Elements from one place to the next.
  int64_t inputPitch() const { return groups * channels; }
  int64_t outputPitch() const { return groups * filters; }

  int64_t inputPlaces() const;
  int64_t outputPlaces() const;
  Dim outputPlacesDim() const;
  int64_t taps() const;

  /// The terms of an output's sum, those beyond borders included, and the terms of a row of it: see SumOrder.
  int64_t sumTerms() const { return taps() * channels; }
  int64_t sumRow() const { return channels > 1 ? channels : dims.back().taps; }
  /// The terms of a row of a filter gradient's sum, which goes over all output places of all images.
  Dim gradientRow() const { return output.back(); }
};

/// The shape of a lathe.conv or lathe.conv_filter_grad; nullopt for other ops, extents of zero, named ones but those of the
/// images, and groups of several channels and one filter: neither lies in vectors.
std::optional<ConvolutionShape> convolutionShape(mlir::Operation *op);

} // namespace lathe::cpu

#endif
