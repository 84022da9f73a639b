// The code of a bitonic network, by all threads of a block:
//
//   list = entries of the line
//   for stage from 1 on, until 2^stage >= length
//     for the lower half of each 2^stage entries: exchange entry i with entry i from the end if it is greater
//     for distance 2^(stage - 2), ..., 2, 1: exchange entries so far apart if the first one is greater
//
// Each round of exchanges ends with a barrier. This form of Batcher's network (Batcher 1968; Knuth 5.3.4, exercise 55) moves
// the lower entry to the front in every exchange. Entries past the end of the line would never move, so that any length works.
#include "codegen/GPU/Rows/SortNetwork.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
class BitonicNetwork {
public:
  BitonicNetwork(ThreadFrame &frame, SortEntries &entries)
      : frame(frame), eval(frame.eval), b(frame.b), entries(entries), one(eval.i64(1)) {}

  void sort();

private:
  void stage(Value number, Value pairs);
  void exchangeAll(Value pairs, function_ref<std::pair<Value, Value>(Value)> partners);

  Value shifted(Value x, Value by) { return arith::ShLIOp::create(b, frame.loc, x, by); }
  Value shiftedDown(Value x, Value by) { return arith::ShRUIOp::create(b, frame.loc, x, by); }
  Value lowerBits(Value x, Value bits) {
    return arith::AndIOp::create(b, frame.loc, x, eval.sub(shifted(eval.i64(1), bits), eval.i64(1)));
  }

  ThreadFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  SortEntries &entries;
  Value one;
};

void BitonicNetwork::sort() {
  Value zeros = math::CountLeadingZerosOp::create(b, frame.loc, eval.sub(frame.max(entries.length, one), one));
  Value stages = eval.sub(eval.i64(64), zeros); // 2^stages >= length
  Value pairs = shiftedDown(shifted(one, stages), one);
  frame.loop(one, eval.add(stages, one), 1, [&](Value number) { stage(number, pairs); });
}

/// Merges the sorted runs of 2^(number - 1) entries in pairs.
void BitonicNetwork::stage(Value number, Value pairs) {
  Value half = eval.sub(number, one);
  exchangeAll(pairs, [&](Value pair) {
    Value start = shifted(shiftedDown(pair, half), number), i = lowerBits(pair, half);
    return std::pair(eval.add(start, i), eval.sub(eval.add(start, eval.sub(shifted(one, number), one)), i));
  });
  frame.loop(one, number, 1, [&](Value step) {
    Value distance = eval.sub(half, step); // the exponent
    exchangeAll(pairs, [&](Value pair) {
      Value low = eval.add(shifted(shiftedDown(pair, distance), eval.add(distance, one)), lowerBits(pair, distance));
      return std::pair(low, eval.add(low, shifted(one, distance)));
    });
  });
}

/// Emits one round of exchanges, which the threads share. Pairs with a partner past the line's end are skipped.
void BitonicNetwork::exchangeAll(Value pairs, function_ref<std::pair<Value, Value>(Value)> partners) {
  frame.loop(frame.thread, pairs, kSortThreads, [&](Value pair) {
    auto [low, high] = partners(pair);
    frame.when(frame.isBelow(high, entries.length), [&, low = low, high = high] {
      SortEntry first = entries.load(low), second = entries.load(high);
      frame.when(entries.isBefore(second, first), [&] {
        entries.store(second, low);
        entries.store(first, high);
      });
    });
  });
  frame.barrier();
}
} // namespace

void lathe::gpu::sortList(ThreadFrame &frame, SortEntries &entries) {
  frame.loop(frame.thread, entries.length, kSortThreads, [&](Value index) { entries.store(entries.entryOf(index), index); });
  frame.barrier();
  BitonicNetwork(frame, entries).sort();
}
