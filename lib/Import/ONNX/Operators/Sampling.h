// Elements of images at places that are data, weighted.
#ifndef LATHE_IMPORT_ONNX_SAMPLING_H
#define LATHE_IMPORT_ONNX_SAMPLING_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// An element of one dimension that a result is made of: where it is, as an index; whether that is inside of the image, null
/// where it always is; and its weight, null for 1.
struct Tap {
  Value at, isInside, weight;
};
using Taps = llvm::SmallVector<Tap, 4>;

/// The two elements beside a place, weighted by their distances; what is beyond the image is not inside.
Taps linearTaps(Node &node, Value place, const Dim &extent, Type index, Type wide);
/// Taps of all but the first dimensions together, for each of the first's; row-major numbers of elements. Their shapes
/// broadcast.
Taps combine(Node &node, const Taps &before, const Taps &taps, const Dim &extent);
/// x [N, C, S] at taps [N, P], weighted: [N, C, P]. Sums are in `wide`.
Value readTaps(Node &node, Value x, const Taps &taps, Type wide);
/// The type of row-major numbers of so many elements: a narrow one where they are few.
Type indexTypeFor(Node &node, const Dim &elements);

} // namespace lathe::onnximport

#endif
