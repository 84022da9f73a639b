// Sort, argsort and top_k: a block of threads for each line. Keys (codegen/Points/SortKeys.h) with their indices behind them
// are all different, so what comes out is the same whatever the way.
//
// With room for a list the block sorts it by Batcher's bitonic network, in the form whose first exchanges of a stage mirror
// (Batcher 1968; Knuth 5.3.4, exercise 55): all of its exchanges put the lower one first, so what would be behind the end of a
// line of any length never moves. Without room for one, which few first elements of a line need not have, each is the least of
// those behind the one before.
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/Lines.h"
#include "codegen/Points/SortKeys.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
constexpr unsigned kThreads = 256;

struct SortRequest {
  int64_t dim;
  bool descending;

  static SortRequest of(Operation *op) {
    if (auto sort = dyn_cast<SortOp>(op))
      return {int64_t(sort.getDim()), sort.getDescending()};
    if (auto sort = dyn_cast<ArgsortOp>(op))
      return {int64_t(sort.getDim()), sort.getDescending()};
    auto top = cast<TopKOp>(op);
    return {int64_t(top.getDim()), !top.getSmallest()};
  }
};

/// A key and its index as they are compared: one word of both, or two.
struct Entry {
  Value key, index; // index: null where the key's word holds it
};

class SortEmitter {
public:
  SortEmitter(KernelOp kernel, Operation *op, const FunctionPlace &place)
      : SortEmitter(kernel, op, place, SortRequest::of(op), symbolsOfBuffers(kernel)) {}

  KernelCode emit();

private:
  SortEmitter(KernelOp kernel, Operation *op, const FunctionPlace &place, SortRequest request, SmallVector<std::string> names)
      : op(op), lines(cast<RankedTensorType>(op->getOperand(0).getType()), request.dim),
        outputType(cast<RankedTensorType>(op->getResult(0).getType())), thread(place.target.thread()), symbols(names),
        b(kernel.getContext()), words(wordsOf(kernel, symbols)),
        frame(kernel, symbols, makeFunction(kernel, place.module, place.name, words, kThreads), kThreads, thread, b),
        eval(frame.eval), keys{b, frame.loc, lines.element, request.descending, /*hasFMA=*/true},
        length(eval.extent(lines.length)), step(eval.extent(lines.inner)), taken(eval.extent(dimsOf(outputType)[request.dim])) {
  }

  bool isPacked() const { return keys.type().getWidth() == 32; }
  void placeLine();
  void put(Value place, Value index);
  void forThreads(Value count, function_ref<void(Value)> body);

  Entry entryOf(Value index);
  Value isBefore(const Entry &x, const Entry &y);
  Entry least(const Entry &x, const Entry &y);
  Value indexOf(const Entry &entry);
  Entry load(Value place);
  void store(const Entry &entry, Value place);
  Entry lastEntry();

  void sortList();
  void exchangeAll(Value pairs, function_ref<std::pair<Value, Value>(Value)> partners);
  void takeFirst(int64_t count);
  Entry leastOfBlock(Entry entry);
  Entry leastAfter(const Entry &previous, Value isFirst);

  Operation *op;
  Lines lines;
  RankedTensorType outputType;
  VectorTarget thread;
  SmallVector<std::string> symbols;
  OpBuilder b;
  unsigned words;
  ThreadFrame frame;
  PointEvaluator &eval;
  SortKeys keys;
  Value length, step, taken;
  Value from, to, list, listIndices; // of the block's line
};

void SortEmitter::placeLine() {
  Value outer = frame.divide(frame.block, step), inner = frame.remainder(frame.block, step);
  Value input = frame.buffers.lookup(op->getOperand(0));
  from = frame.at(input, lines.element, eval.add(eval.mul(outer, eval.mul(length, step)), inner));
  to = frame.at(frame.outputs[0], outputType.getElementType(), eval.add(eval.mul(outer, eval.mul(taken, step)), inner));
  if (!scratchType(op))
    return;
  Type word = b.getI64Type();
  list = frame.at(frame.outputs[1], word, eval.mul(frame.block, eval.mul(length, eval.i64(isPacked() ? 2 : 3))));
  listIndices = frame.at(list, word, length);
}

/// Element `index` of the line comes at `place`.
void SortEmitter::put(Value place, Value index) {
  Value value = isa<SortOp>(op) ? frame.loadOne(frame.at(from, lines.element, eval.mul(index, step)), lines.element)
                                : arith::TruncIOp::create(b, frame.loc, b.getI32Type(), index).getResult();
  frame.storeOne(value, frame.at(to, outputType.getElementType(), eval.mul(place, step)));
}

void SortEmitter::forThreads(Value count, function_ref<void(Value)> body) { frame.loop(frame.thread, count, kThreads, body); }

// ---- Entries

Entry SortEmitter::entryOf(Value index) {
  Value element = frame.loadOne(frame.at(from, lines.element, eval.mul(index, step)), lines.element), key = keys.of(element);
  if (!isPacked())
    return {key, index};
  Value high = arith::ShLIOp::create(b, frame.loc, arith::ExtUIOp::create(b, frame.loc, b.getI64Type(), key), eval.i64(32));
  return {arith::OrIOp::create(b, frame.loc, high, index), {}};
}

Value SortEmitter::isBefore(const Entry &x, const Entry &y) {
  using Order = arith::CmpIPredicate;
  Value below = arith::CmpIOp::create(b, frame.loc, Order::ult, x.key, y.key);
  if (isPacked())
    return below;
  Value equal = arith::CmpIOp::create(b, frame.loc, Order::eq, x.key, y.key);
  Value earlier = arith::CmpIOp::create(b, frame.loc, Order::ult, x.index, y.index);
  return arith::OrIOp::create(b, frame.loc, below, arith::AndIOp::create(b, frame.loc, equal, earlier));
}

Entry SortEmitter::least(const Entry &x, const Entry &y) {
  Value first = isBefore(x, y);
  auto choose = [&](Value a, Value c) -> Value {
    return a ? arith::SelectOp::create(b, frame.loc, first, a, c).getResult() : a;
  };
  return {choose(x.key, y.key), choose(x.index, y.index)};
}

Value SortEmitter::indexOf(const Entry &entry) {
  return isPacked() ? arith::AndIOp::create(b, frame.loc, entry.key, eval.i64(UINT32_MAX)).getResult() : entry.index;
}

Entry SortEmitter::load(Value place) {
  Type word = b.getI64Type();
  Value key = frame.loadOne(frame.at(list, word, place), word);
  return {key, isPacked() ? Value() : frame.loadOne(frame.at(listIndices, word, place), word)};
}

void SortEmitter::store(const Entry &entry, Value place) {
  Type word = b.getI64Type();
  frame.storeOne(entry.key, frame.at(list, word, place));
  if (!isPacked())
    frame.storeOne(entry.index, frame.at(listIndices, word, place));
}

/// Behind all others.
Entry SortEmitter::lastEntry() { return {eval.i64(-1), isPacked() ? Value() : eval.i64(-1)}; }

// ---- The network

/// Each thread has every n-th exchange; those with a partner behind the line's end are none.
void SortEmitter::exchangeAll(Value pairs, function_ref<std::pair<Value, Value>(Value)> partners) {
  forThreads(pairs, [&](Value pair) {
    auto [low, high] = partners(pair);
    frame.when(frame.isBelow(high, length), [&] {
      Entry first = load(low), second = load(high);
      frame.when(isBefore(second, first), [&] {
        store(second, low);
        store(first, high);
      });
    });
  });
  frame.barrier();
}

void SortEmitter::sortList() {
  forThreads(length, [&](Value index) { store(entryOf(index), index); });
  frame.barrier();
  auto shift = [&](Value x, Value by) -> Value { return arith::ShLIOp::create(b, frame.loc, x, by); };
  auto down = [&](Value x, Value by) -> Value { return arith::ShRUIOp::create(b, frame.loc, x, by); };
  auto lower = [&](Value x, Value bits) -> Value { // the last so many bits
    return arith::AndIOp::create(b, frame.loc, x, eval.sub(shift(eval.i64(1), bits), eval.i64(1)));
  };
  Value one = eval.i64(1);
  Value zeros = math::CountLeadingZerosOp::create(b, frame.loc, eval.sub(frame.max(length, one), one));
  Value stages = eval.sub(eval.i64(64), zeros); // 2^stages >= length
  Value pairs = down(shift(one, stages), one);
  frame.loop(one, eval.add(stages, one), 1, [&](Value stage) {
    Value half = eval.sub(stage, one);
    exchangeAll(pairs, [&](Value pair) { // of each 2^stage: the i-th with the i-th from the end
      Value start = shift(down(pair, half), stage), i = lower(pair, half);
      return std::pair(eval.add(start, i), eval.sub(eval.add(start, eval.sub(shift(one, stage), one)), i));
    });
    frame.loop(one, stage, 1, [&](Value step) {
      Value distance = eval.sub(half, step); // as a power of two
      exchangeAll(pairs, [&](Value pair) {
        Value low = eval.add(shift(down(pair, distance), eval.add(distance, one)), lower(pair, distance));
        return std::pair(low, eval.add(low, shift(one, distance)));
      });
    });
  });
  forThreads(taken, [&](Value place) { put(place, indexOf(load(place))); });
}

// ---- One after the other

/// All threads get the least entry of any.
Entry SortEmitter::leastOfBlock(Entry entry) {
  for (unsigned mask = kWarp / 2; mask > 0; mask /= 2)
    entry = least(entry, {frame.exchange(entry.key, mask), entry.index ? frame.exchange(entry.index, mask) : Value()});
  Type word = b.getI64Type();
  Value memory = frame.shared("least", word, 2 * kThreads / kWarp), warp = frame.divide(frame.thread, kWarp);
  auto at = [&](Value number, int64_t half) { return frame.at(frame.at(memory, word, half * kThreads / kWarp), word, number); };
  frame.barrier();
  Value isFirst =
      arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, frame.remainder(frame.thread, kWarp), eval.i64(0));
  frame.when(isFirst, [&] {
    frame.storeOne(entry.key, at(warp, 0));
    if (entry.index)
      frame.storeOne(entry.index, at(warp, 1));
  });
  frame.barrier();
  Entry all;
  for (unsigned i = 0; i < kThreads / kWarp; ++i) {
    Value number = eval.i64(i);
    Entry next{frame.loadOne(at(number, 0), word), entry.index ? frame.loadOne(at(number, 1), word) : Value()};
    all = i ? least(all, next) : next;
  }
  return all;
}

/// The least entry of the line behind `previous`, or of all of them.
Entry SortEmitter::leastAfter(const Entry &previous, Value isFirst) {
  Entry last = lastEntry();
  SmallVector<Value> init = {last.key};
  if (last.index)
    init.push_back(last.index);
  auto entryIn = [&](ValueRange values) { return Entry{values[0], values.size() > 1 ? values[1] : Value()}; };
  auto loop = scf::ForOp::create(b, frame.loc, frame.thread, length, eval.i64(kThreads), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Entry best = entryIn(loop.getRegionIterArgs()), next = entryOf(loop.getInductionVar());
    Value isBehind = arith::OrIOp::create(b, frame.loc, isFirst, isBefore(previous, next));
    Value better = arith::AndIOp::create(b, frame.loc, isBehind, isBefore(next, best));
    SmallVector<Value> carried = {arith::SelectOp::create(b, frame.loc, better, next.key, best.key)};
    if (best.index)
      carried.push_back(arith::SelectOp::create(b, frame.loc, better, next.index, best.index));
    scf::YieldOp::create(b, frame.loc, carried);
  }
  return leastOfBlock(entryIn(loop.getResults()));
}

void SortEmitter::takeFirst(int64_t count) {
  Entry previous = lastEntry();
  SmallVector<Value> init = {previous.key};
  if (previous.index)
    init.push_back(previous.index);
  frame.loop(eval.i64(0), eval.i64(count), init, [&](Value place, ValueRange carried) -> CodeFrame::Carry {
    Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, place, eval.i64(0));
    Entry next = leastAfter({carried[0], carried.size() > 1 ? carried[1] : Value()}, isFirst);
    Value isWriter = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, frame.thread, eval.i64(0));
    frame.when(isWriter, [&] { put(place, indexOf(next)); });
    CodeFrame::Carry values = {next.key};
    if (next.index)
      values.push_back(next.index);
    return values;
  });
}

KernelCode SortEmitter::emit() {
  placeLine();
  auto top = dyn_cast<TopKOp>(op);
  if (!top || top.getCountDim().constant() > 0) {
    if (scratchType(op))
      sortList();
    else
      takeFirst(top.getCountDim().constant());
  }
  KernelCode code = frame.finish(symbols, lines.outer * lines.inner, "a block for each line");
  return code;
}

class SortForm : public RowForm<NoParameters, SortOp, ArgsortOp, TopKOp> {
public:
  SortForm() : RowForm("sort") {}

private:
  NoParameters chooseRows(KernelOp, Operation *) const override { return {}; }
  KernelCode emitRows(KernelOp kernel, Operation *op, const NoParameters &, const FunctionPlace &place) const override {
    return SortEmitter(kernel, op, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::sortForm() {
  static const SortForm form;
  return form;
}
