// A power of two n of vectors is interleaved in log2(n) rounds, each of which interleaves the halves of two vectors:
//
//   a0 a1 a2 a3    b0 b1 b2 b3    c0 ..    d0 ..
//   a0 c0 a1 c1    a2 c2 a3 c3    b0 d0 b1 d1    ..    each vector with that n / 2 further on
//   a0 b0 c0 d0    a1 b1 c1 d1    ..
//
// For any other number each vector of the result picks its lanes from all of them, by n - 1 shuffles.
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

/// Interleaves the lower or the upper halves of two vectors.
static Value interleaveHalves(CodeFrame &frame, Value even, Value odd, bool upper) {
  int64_t lanes = cast<VectorType>(even.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t i = upper ? lanes / 2 : 0, end = i + lanes / 2; i < end; ++i)
    order.append({i, lanes + i});
  return vector::ShuffleOp::create(frame.b, frame.loc, even, odd, order);
}

static void interleaveInRounds(CodeFrame &frame, MutableArrayRef<Value> vectors) {
  size_t half = vectors.size() / 2;
  for (size_t round = vectors.size(); round > 1; round /= 2) {
    SmallVector<Value> from(vectors);
    for (size_t i = 0; i < half; ++i)
      for (bool upper : {false, true})
        vectors[2 * i + upper] = interleaveHalves(frame, from[i], from[i + half], upper);
  }
}

void lathe::cpu::interleaveLanes(CodeFrame &frame, MutableArrayRef<Value> vectors) {
  if (llvm::isPowerOf2_64(vectors.size()))
    return interleaveInRounds(frame, vectors);
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
