#include "codegen/CPU/Tiles/Interleave.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;

/// Returns a vector whose lanes are those of several vectors; `sourceOf` gives the place of a lane in all of these. Takes one
/// shuffle fewer than there are vectors.
static Value pickLanes(CodeFrame &frame, ArrayRef<Value> vectors, function_ref<int64_t(int64_t lane)> sourceOf) {
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  Value picked = vectors[0];
  for (int64_t number = 1; number < int64_t(vectors.size()); ++number) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t vector = sourceOf(lane) / lanes, within = sourceOf(lane) % lanes;
      bool isKnown = number > 1 && vector < number; // by an earlier shuffle
      order.push_back(isKnown            ? lane
                      : vector == number ? lanes + within
                      : vector == 0      ? within
                                         : vector::ShuffleOp::kPoisonIndex);
    }
    picked = vector::ShuffleOp::create(frame.b, frame.loc, picked, vectors[number], order);
  }
  return picked;
}

void lathe::cpu::interleaveLanes(CodeFrame &frame, MutableArrayRef<Value> vectors) {
  SmallVector<Value> from(vectors);
  int64_t count = vectors.size(), lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  for (int64_t number = 0; number < count; ++number)
    vectors[number] = pickLanes(frame, from, [&](int64_t lane) {
      int64_t element = number * lanes + lane;
      return element % count * lanes + element / count;
    });
}

void lathe::cpu::takeLanesApart(CodeFrame &frame, MutableArrayRef<Value> vectors) {
  SmallVector<Value> from(vectors);
  int64_t count = vectors.size();
  for (int64_t number = 0; number < count; ++number)
    vectors[number] = pickLanes(frame, from, [&](int64_t lane) { return lane * count + number; });
}
