// Weighted elements of images at positions that are data.
#ifndef LATHE_IMPORT_ONNX_SAMPLING_H
#define LATHE_IMPORT_ONNX_SAMPLING_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// An element of one dimension that contributes to a result: its index; true if that is inside the image, null if it always is;
/// and its weight, null for 1.
struct Tap {
  Value at, isInside, weight;
};
using Taps = llvm::SmallVector<Tap, 4>;

/// Returns the two elements beside a position, weighted by their distances; elements beyond the image are not inside.
Taps linearTaps(Node &node, Value place, const Dim &extent, Type index, Type wide);
/// Combines the taps of the first dimensions with those of the next one, as row-major element indices. Their shapes broadcast.
Taps combine(Node &node, const Taps &before, const Taps &taps, const Dim &extent);
/// Returns x [N, C, S] at taps [N, P], weighted: [N, C, P]. Sums are in `wide`.
Value readTaps(Node &node, Value x, const Taps &taps, Type wide);
/// Returns the type of row-major indices into `elements` elements: a narrow one if there are few.
Type indexTypeFor(Node &node, const Dim &elements);

} // namespace lathe::onnximport

#endif
