#include "codegen/CPU/Tiles/Squares.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;

/// Swaps the bits of vector number and lane number, one bit at a time.
void lathe::cpu::transposeLanes(CodeFrame &frame, MutableArrayRef<Value> vectors) {
  int64_t count = vectors.size();
  for (int64_t bit = 1; bit < count; bit *= 2) {
    SmallVector<int64_t> low, high; // lanes of two concatenated vectors
    for (int64_t lane = 0; lane < count; ++lane) {
      low.push_back(lane & bit ? count + lane - bit : lane);
      high.push_back(lane & bit ? count + lane : lane + bit);
    }
    for (int64_t i = 0; i < count; ++i) {
      if (i & bit)
        continue;
      Value first = vectors[i], second = vectors[i + bit];
      vectors[i] = vector::ShuffleOp::create(frame.b, frame.loc, first, second, low);
      vectors[i + bit] = vector::ShuffleOp::create(frame.b, frame.loc, first, second, high);
    }
  }
}
