// The padding of `pad same`, and of ONNX's SAME_UPPER and SAME_LOWER.
#ifndef LATHE_IR_SAME_PADDING_H
#define LATHE_IR_SAME_PADDING_H

#include "dialects/Lathe/IR/Dims.h"

namespace lathe {

/// Padding before and after the elements of one dimension.
struct SamePadding {
  Dim low, high;
  bool isStatic() const { return low.isStatic() && high.isStatic(); }
};

enum class OddPadding { Behind, InFront };

/// Returns the padding with which windows of `reach` places that start `stride` places apart give ceil(extent / stride)
/// results. `odd` says where the larger half of an odd padding goes. If the padding depends on a named size, the trailing
/// padding may exceed the last window: then the padded extent is a polynomial of ceil(extent / stride).
SamePadding samePadding(const Dim &extent, int64_t stride, const Dim &reach, OddPadding odd = OddPadding::Behind);

/// Returns the number of places that a window of `size` taps, `dilation` places apart, spans. Windows have a tap, so that the
/// result is a polynomial of a named size; `dilated` is also right for no elements.
inline Dim reachOf(const Dim &size, int64_t dilation) { return (size - Dim(1)) * Dim(dilation) + Dim(1); }

} // namespace lathe

#endif
