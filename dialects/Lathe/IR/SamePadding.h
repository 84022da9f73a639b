// The padding that `pad same`, and ONNX's SAME_UPPER and SAME_LOWER, stand for.
#ifndef LATHE_IR_SAME_PADDING_H
#define LATHE_IR_SAME_PADDING_H

#include "dialects/Lathe/IR/Dims.h"

namespace lathe {

/// Padding in front of and behind the elements of one dimension.
struct SamePadding {
  Dim low, high;
  bool isStatic() const { return low.isStatic() && high.isStatic(); }
};

enum class OddPadding { Behind, InFront };

/// Returns the padding with which windows of `reach` places that start `stride` places apart give ceil(extent / stride) places.
/// An odd number of places is split so that `odd` says where the larger half is. Where the padding depends on a named size,
/// there may be more behind the elements than the last window reads: then the padded extent is a polynomial of ceil(extent /
/// stride).
SamePadding samePadding(const Dim &extent, int64_t stride, const Dim &reach, OddPadding odd = OddPadding::Behind);

/// Returns the places that a window of `size` taps, `dilation` places apart, reaches over.
inline Dim reachOf(const Dim &size, int64_t dilation) { return (size - Dim(1)) * Dim(dilation) + Dim(1); }

} // namespace lathe

#endif
