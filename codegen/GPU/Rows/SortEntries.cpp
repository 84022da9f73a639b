#include "codegen/GPU/Rows/SortEntries.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

SmallVector<Value> SortEntry::values() const {
  SmallVector<Value> values = {key};
  if (index)
    values.push_back(index);
  return values;
}

SortEntries::SortEntries(ThreadFrame &frame, Type element, bool descending)
    : frame(frame), eval(frame.eval), b(frame.b), elementType(element), word(b.getI64Type()),
      keys{b, frame.loc, element, descending, /*hasFMA=*/true} {}

void SortEntries::setLine(Value lineFirst, Value lineLength, Value lineStep) {
  first = lineFirst;
  length = lineLength;
  step = lineStep;
}

void SortEntries::setList(Value memory) {
  list = memory;
  listIndices = frame.at(list, word, length);
}

Value SortEntries::element(Value index) {
  return frame.loadOne(frame.at(first, elementType, eval.mul(index, step)), elementType);
}

SortEntry SortEntries::entryOf(Value index) {
  Value key = keys.of(element(index));
  if (!isPacked())
    return {key, index};
  Value high = arith::ShLIOp::create(b, frame.loc, arith::ExtUIOp::create(b, frame.loc, word, key), eval.i64(32));
  return {arith::OrIOp::create(b, frame.loc, high, index), {}};
}

SortEntry SortEntries::load(Value number) {
  Value key = frame.loadOne(frame.at(list, word, number), word);
  return {key, isPacked() ? Value() : frame.loadOne(frame.at(listIndices, word, number), word)};
}

void SortEntries::store(const SortEntry &entry, Value number) {
  frame.storeOne(entry.key, frame.at(list, word, number));
  if (!isPacked())
    frame.storeOne(entry.index, frame.at(listIndices, word, number));
}

Value SortEntries::isBefore(const SortEntry &x, const SortEntry &y) {
  using Order = arith::CmpIPredicate;
  Value below = arith::CmpIOp::create(b, frame.loc, Order::ult, x.key, y.key);
  if (isPacked())
    return below;
  Value equal = arith::CmpIOp::create(b, frame.loc, Order::eq, x.key, y.key);
  Value earlier = arith::CmpIOp::create(b, frame.loc, Order::ult, x.index, y.index);
  return arith::OrIOp::create(b, frame.loc, below, arith::AndIOp::create(b, frame.loc, equal, earlier));
}

SortEntry SortEntries::least(const SortEntry &x, const SortEntry &y) {
  Value isFirst = isBefore(x, y);
  auto choose = [&](Value a, Value c) -> Value {
    return a ? arith::SelectOp::create(b, frame.loc, isFirst, a, c).getResult() : a;
  };
  Value key = choose(x.key, y.key);
  return {key, choose(x.index, y.index)};
}

SortEntry SortEntries::last() { return {eval.i64(-1), isPacked() ? Value() : eval.i64(-1)}; }

Value SortEntries::indexOf(const SortEntry &entry) {
  return isPacked() ? arith::AndIOp::create(b, frame.loc, entry.key, eval.i64(UINT32_MAX)).getResult() : entry.index;
}
