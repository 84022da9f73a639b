// The attributes that convolutions and pooling share.
#ifndef LATHE_IMPORT_ONNX_WINDOWS_H
#define LATHE_IMPORT_ONNX_WINDOWS_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// Windows over the dimensions behind batch and channels. `sizedLow` and `sizedHigh` are padding that depends on named sizes;
/// it is put around the images before the windows see them.
struct Windows {
  Integers kernel, strides, dilations, low, high;
  Dims sizedLow, sizedHigh;
  size_t rank() const { return kernel.size(); }
  /// Elements that a window reaches over.
  int64_t reach(size_t dim) const { return (kernel[dim] - 1) * dilations[dim] + 1; }
};

/// Reads strides, dilations, pads and auto_pad for windows of these extents over these dimensions, all within what arithmetic
/// on them holds. Refuses the node where they are not what they must be.
Windows readWindows(Node &node, llvm::ArrayRef<Dim> spatial, llvm::ArrayRef<int64_t> kernel);
/// Those of a transposed convolution: pads are its own affair.
Windows readSteps(Node &node, llvm::ArrayRef<int64_t> kernel);

/// Puts the padding that depends on sizes around images, `leading` dimensions in front of the spatial ones.
Value padBySizes(Node &node, Value images, Value with, const Windows &windows, int64_t leading);

/// Images [N, C, spatial...] as lathe.conv has them, [N, spatial..., C], and back.
Value channelsLast(Node &node, Value images);
Value channelsFirst(Node &node, Value images);
/// Weights [F, C / group, spatial...] as [spatial..., C / group, F].
Value filterLast(Node &node, Value filter);
/// Whether images and weights have the ranks of a convolution's, channels first.
bool checkConvolution(Node &node, Value x, Value filter);
/// The convolution that the node's attributes tell of, channels last.
Value convolve(Node &node, Value images, Value filter);
/// A convolution's result, channels last, with the bias that the node may have as an input.
Value addBias(Node &node, Value y, int bias);

} // namespace lathe::onnximport

#endif
