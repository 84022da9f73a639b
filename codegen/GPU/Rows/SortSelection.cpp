// The code of a selection, by all threads of a block:
//
//   for result
//     best = least entry of the thread's elements that comes after the previous result's entry
//     entry = least of the threads' best ones              // shuffles, then shared memory
//
// It reads the line once per result, which is fast for few results.
#include "codegen/GPU/Rows/SortSelection.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

/// Combines the threads' entries. All threads of the block get the least one.
static SortEntry leastOfBlock(ThreadFrame &frame, SortEntries &entries, SortEntry entry) {
  PointEvaluator &eval = frame.eval;
  for (unsigned mask = kWarp / 2; mask > 0; mask /= 2) {
    SortEntry other{frame.exchange(entry.key, mask), {}};
    if (entry.index)
      other.index = frame.exchange(entry.index, mask);
    entry = entries.least(entry, other);
  }
  Type word = frame.b.getI64Type();
  Value memory = frame.shared("least", word, 2 * kSortThreads / kWarp), warp = frame.divide(frame.thread, kWarp);
  auto at = [&](Value number, int64_t half) {
    return frame.at(frame.at(memory, word, half * kSortThreads / kWarp), word, number);
  };
  frame.barrier(); // all threads have read the previous contents
  Value isFirst =
      arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, frame.remainder(frame.thread, kWarp), eval.i64(0));
  frame.when(isFirst, [&] {
    frame.storeOne(entry.key, at(warp, 0));
    if (entry.index)
      frame.storeOne(entry.index, at(warp, 1));
  });
  frame.barrier();
  SortEntry all;
  for (unsigned i = 0; i < kSortThreads / kWarp; ++i) {
    Value number = eval.i64(i);
    SortEntry next{frame.loadOne(at(number, 0), word), entry.index ? frame.loadOne(at(number, 1), word) : Value()};
    all = i ? entries.least(all, next) : next;
  }
  return all;
}

/// Returns the line's least entry after `previous`, or its least entry if `isFirst` holds.
static SortEntry leastAfter(ThreadFrame &frame, SortEntries &entries, const SortEntry &previous, Value isFirst) {
  OpBuilder &b = frame.b;
  SmallVector<Value> init = entries.last().values();
  CodeFrame::Carry least = frame.loop(frame.thread, entries.length, kSortThreads, init, [&](Value index, ValueRange carried) {
    SortEntry best = SortEntry::of(carried), next = entries.entryOf(index);
    Value isAfter = arith::OrIOp::create(b, frame.loc, isFirst, entries.isBefore(previous, next));
    Value isBetter = arith::AndIOp::create(b, frame.loc, isAfter, entries.isBefore(next, best));
    CodeFrame::Carry better;
    for (auto [mine, old] : llvm::zip_equal(next.values(), best.values()))
      better.push_back(arith::SelectOp::create(b, frame.loc, isBetter, mine, old));
    return better;
  });
  return leastOfBlock(frame, entries, SortEntry::of(least));
}

void lathe::gpu::selectFirst(ThreadFrame &frame, SortEntries &entries, int64_t count,
                             function_ref<void(Value, const SortEntry &)> result) {
  PointEvaluator &eval = frame.eval;
  SmallVector<Value> init = entries.last().values();
  frame.loop(eval.i64(0), eval.i64(count), init, [&](Value number, ValueRange carried) -> CodeFrame::Carry {
    Value isFirst = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, number, eval.i64(0));
    SortEntry entry = leastAfter(frame, entries, SortEntry::of(carried), isFirst);
    result(number, entry);
    return entry.values();
  });
}
