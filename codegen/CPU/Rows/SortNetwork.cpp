// Batcher's bitonic network, in the form that sorts every part in ascending order:
//
//   for group of 8 vectors: sort each lane in registers
//   for parts of 16, 32, ... elements
//     exchange the first half of each part with the mirrored second half
//     for distance = a quarter, an eighth, ... of a part: exchange elements at that distance
//
// An exchange is a minimum and a maximum of two vectors if the distance is less than a lane's part of the list. Only the last
// log2(lanes) merges exchange elements between lanes.
#include "codegen/CPU/Rows/SortNetwork.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Vectors that are exchanged with each other in registers.
static constexpr int64_t kGroup = 8;

int64_t SortNetwork::vectorsFor(int64_t length, unsigned lanes) {
  return std::max<int64_t>(std::max<int64_t>(kGroup, lanes), llvm::PowerOf2Ceil(llvm::divideCeil(length, lanes)));
}

Value SortNetwork::at(Value keys, Value index) const {
  return frame.at(keys, element, frame.eval.mul(index, frame.eval.i64(lanes)));
}

Value SortNetwork::load(Value from) const {
  return LLVM::LoadOp::create(frame.b, frame.loc, type(), from, element.getIntOrFloatBitWidth() / 8);
}

void SortNetwork::store(Value vector, Value to) const {
  LLVM::StoreOp::create(frame.b, frame.loc, vector, to, element.getIntOrFloatBitWidth() / 8);
}

void SortNetwork::exchange(Value &low, Value &high) const {
  Value less = arith::MinSIOp::create(frame.b, frame.loc, low, high);
  high = arith::MaxSIOp::create(frame.b, frame.loc, low, high);
  low = less;
}

/// Returns the vector whose lane l is lane l ^ flip of the operand.
Value SortNetwork::shuffled(Value vector, unsigned flip) const {
  SmallVector<int64_t> from;
  for (unsigned lane = 0; lane < lanes; ++lane)
    from.push_back(lane ^ flip);
  return vector::ShuffleOp::create(frame.b, frame.loc, vector, vector, from);
}

/// Returns the minimum in lanes without the bit, and the maximum in lanes with it.
Value SortNetwork::exchangedLanes(Value vector, Value partner, unsigned bit) const {
  Value less = arith::MinSIOp::create(frame.b, frame.loc, vector, partner),
        more = arith::MaxSIOp::create(frame.b, frame.loc, vector, partner);
  SmallVector<int64_t> from;
  for (unsigned lane = 0; lane < lanes; ++lane)
    from.push_back(lane & bit ? lanes + lane : lane);
  return vector::ShuffleOp::create(frame.b, frame.loc, less, more, from);
}

/// Swaps the lanes with the bit in the first vector and the lanes without it in the second one.
void SortNetwork::swapQuarters(Value &first, Value &second, unsigned bit) const {
  SmallVector<int64_t> ofFirst, ofSecond;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    ofFirst.push_back(lane & bit ? lanes + (lane ^ bit) : lane);
    ofSecond.push_back(lane & bit ? lanes + lane : lane ^ bit);
  }
  Value a = vector::ShuffleOp::create(frame.b, frame.loc, first, second, ofFirst);
  second = vector::ShuffleOp::create(frame.b, frame.loc, first, second, ofSecond);
  first = a;
}

/// Calls the body for each group of kGroup adjacent vectors, held in registers.
void SortNetwork::inGroups(Value keys, function_ref<void(Vectors &)> body) const {
  frame.loop(frame.eval.i64(0), frame.eval.i64(count), kGroup, [&](Value first) {
    Value group = at(keys, first);
    Vectors vectors;
    for (int64_t i = 0; i < kGroup; ++i)
      vectors.push_back(load(frame.at(group, element, i * lanes)));
    body(vectors);
    for (auto [i, vector] : llvm::enumerate(vectors))
      store(vector, frame.at(group, element, int64_t(i) * lanes));
  });
}

/// Exchanges the first half of each part of `size` vectors with the second half, in reverse.
void SortNetwork::mirror(Value keys, int64_t size) const {
  PointEvaluator &eval = frame.eval;
  frame.loop(eval.i64(0), eval.i64(count), size, [&](Value first) {
    Value last = eval.add(first, eval.i64(size - 1));
    frame.loop(eval.i64(0), eval.i64(size / 2), 1, [&](Value i) {
      Value low = at(keys, eval.add(first, i)), high = at(keys, eval.sub(last, i));
      Value a = load(low), b = load(high);
      exchange(a, b);
      store(a, low);
      store(b, high);
    });
  });
}

/// Does the same for parts of `group` lanes, whose mirror image also reverses the lanes. Then exchanges the halves of each
/// part, down to adjacent lanes.
void SortNetwork::mirrorLanes(Value keys, unsigned group) const {
  PointEvaluator &eval = frame.eval;
  auto inLanes = [&](Value vector) {
    for (unsigned distance = group / 4; distance; distance /= 2)
      vector = exchangedLanes(vector, shuffled(vector, distance), distance);
    return vector;
  };
  frame.loop(eval.i64(0), eval.i64(count / 2), 1, [&](Value i) {
    Value low = at(keys, i), high = at(keys, eval.sub(eval.i64(count - 1), i));
    Value a = load(low), b = load(high), ofA = shuffled(a, group - 1), ofB = shuffled(b, group - 1);
    store(inLanes(exchangedLanes(a, ofB, group / 2)), low);
    store(inLanes(exchangedLanes(b, ofA, group / 2)), high);
  });
}

/// Exchanges vectors at a distance, then at half of it.
void SortNetwork::halve(Value keys, int64_t distance) const {
  PointEvaluator &eval = frame.eval;
  int64_t half = distance / 2;
  frame.loop(eval.i64(0), eval.i64(count), 2 * distance, [&](Value first) {
    frame.loop(eval.i64(0), eval.i64(half), 1, [&](Value i) {
      Value places[4], vectors[4];
      for (int64_t j = 0; j < 4; ++j) {
        places[j] = at(keys, eval.add(eval.add(first, i), eval.i64(j * half)));
        vectors[j] = load(places[j]);
      }
      exchange(vectors[0], vectors[2]);
      exchange(vectors[1], vectors[3]);
      exchange(vectors[0], vectors[1]);
      exchange(vectors[2], vectors[3]);
      for (int64_t j = 0; j < 4; ++j)
        store(vectors[j], places[j]);
    });
  });
}

/// Exchanges vectors at a distance, a power of two or 0, and at all smaller ones.
void SortNetwork::clean(Value keys, int64_t distance) const {
  for (; distance >= kGroup; distance /= 4)
    halve(keys, distance);
  inGroups(keys, [&](Vectors &vectors) {
    for (; distance; distance /= 2)
      for (int64_t i = 0; i < kGroup; ++i)
        if (!(i & distance))
          exchange(vectors[i], vectors[i + distance]);
  });
}

void SortNetwork::sort(Value keys) const {
  inGroups(keys, [&](Vectors &vectors) {
    auto exchangeOver = [&](int64_t flip) { // of vectors whose numbers differ by these bits
      for (int64_t i = 0; i < kGroup; ++i)
        if ((i ^ flip) > i)
          exchange(vectors[i], vectors[i ^ flip]);
    };
    for (int64_t size = 2; size <= kGroup; size *= 2) {
      exchangeOver(size - 1);
      for (int64_t distance = size / 4; distance; distance /= 2)
        exchangeOver(distance);
    }
  });
  for (int64_t size = 2 * kGroup; size <= count; size *= 2) {
    mirror(keys, size);
    clean(keys, size / 4);
  }
  for (unsigned group = 2; group <= lanes; group *= 2) {
    mirrorLanes(keys, group);
    clean(keys, count / 2);
  }
}

void SortNetwork::read(Value keys, int64_t length, function_ref<void(Value, Value)> store) const {
  PointEvaluator &eval = frame.eval;
  frame.loop(eval.i64(0), eval.i64(count), lanes, [&](Value first) {
    Value block = at(keys, first);
    Vectors rows;
    for (unsigned i = 0; i < lanes; ++i)
      rows.push_back(load(frame.at(block, element, int64_t(i) * lanes)));
    for (unsigned bit = 1; bit < lanes; bit *= 2) // transposes the block: swaps one bit of row and lane at a time
      for (unsigned i = 0; i < lanes; ++i)
        if (!(i & bit))
          swapQuarters(rows[i], rows[i + bit], bit);
    for (unsigned lane = 0; lane < lanes && lane * count < length; ++lane)
      store(rows[lane], eval.add(first, eval.i64(lane * count)));
  });
}
