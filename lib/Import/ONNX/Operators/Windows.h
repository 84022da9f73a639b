// The attributes that convolutions and pooling share.
#ifndef LATHE_IMPORT_ONNX_WINDOWS_H
#define LATHE_IMPORT_ONNX_WINDOWS_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// Windows over the dimensions after batch and channels. `sizedLow` and `sizedHigh` are padding that depends on named sizes; it
/// is added to the images before the windows are applied.
struct Windows {
  Integers kernel, strides, dilations, low, high;
  Dims sizedLow, sizedHigh;
  size_t rank() const { return kernel.size(); }
  /// Number of elements that a window spans.
  int64_t reach(size_t dim) const { return (kernel[dim] - 1) * dilations[dim] + 1; }
};

/// Reads strides, dilations, pads and auto_pad for windows of these extents over these dimensions. Refuses the node if they are
/// invalid or so large that arithmetic on them could overflow.
Windows readWindows(Node &node, llvm::ArrayRef<Dim> spatial, llvm::ArrayRef<int64_t> kernel);
/// Reads those of a transposed convolution, except for pads, which differ there.
Windows readSteps(Node &node, llvm::ArrayRef<int64_t> kernel);

/// Adds the size-dependent padding to images with `leading` dimensions before the spatial ones.
Value padBySizes(Node &node, Value images, Value with, const Windows &windows, int64_t leading);

/// Transposes images [N, C, spatial...] to lathe.conv's [N, spatial..., C], and back.
Value channelsLast(Node &node, Value images);
Value channelsFirst(Node &node, Value images);
/// Transposes weights [F, C / group, spatial...] to [spatial..., C / group, F].
Value filterLast(Node &node, Value filter);
/// Checks that images and weights have the ranks of a convolution, channels first.
bool checkConvolution(Node &node, Value x, Value filter);
/// Emits the convolution that the node's attributes describe, channels last.
Value convolve(Node &node, Value images, Value filter);
/// Adds the optional bias input to a convolution's result, channels last.
Value addBias(Node &node, Value y, int bias);

} // namespace lathe::onnximport

#endif
