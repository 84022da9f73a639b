// The code of sort, argsort and top_k:
//
//   for line                                              // threads share lines
//     keys = the elements as unsigned numbers of the same order
//     counting:  for key: rank = number of keys that come before it          // short lines
//     network:   a sorting network over the keys, with the index below each  // contiguous lines of static length
//     radix:     for digit from the lowest: stable scatter by its histogram  // other lines
//     insertion: for key: insert it into the first `count` ones              // top_k of few
//     results = elements or indices in the order of the keys
//
// Only keys and their indices move. Equal keys keep the order of their indices, so that all methods give the same result.
#include "codegen/CPU/Rows/Sort.h"
#include "codegen/CPU/Rows/SortNetwork.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Math/Arithmetic.h"
#include "codegen/Points/SortKeys.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
class SortEmitter {
public:
  SortEmitter(RowFrame &frame, Operation *op, int64_t dim, bool descending, const SortSchedule &schedule)
      : frame(frame), eval(frame.eval), b(frame.b), loc(frame.loc), op(op), descending(descending),
        lines(cast<RankedTensorType>(op->getOperand(0).getType()), dim),
        outputType(cast<RankedTensorType>(op->getResult(0).getType())), length(eval.extent(lines.length)),
        step(eval.extent(lines.inner)), taken(eval.extent(dimsOf(outputType)[dim])), schedule(schedule),
        digitBits(schedule.digitBits) {
    bool isWide = lines.element.getIntOrFloatBitWidth() > 32;
    keyType = b.getIntegerType(isWide ? 64 : 32);
    digits = llvm::divideCeil(keyType.getIntOrFloatBitWidth(), digitBits);
  }

  void emit(KernelCode &code) {
    code.extent = lines.outer * lines.inner;
    code.work = code.extent * lines.length * Dim(16);
    auto top = dyn_cast<TopKOp>(op);
    if (top && top.getCountDim().constant() == 0)
      return;
    if (schedule.method == SortMethod::Insertion)
      return emitInsertion(top.getCountDim().constant());
    Value histogram = frame.stack(b.getI32Type(), values() * digits);
    forEachLine([&](Value line) {
      words = frame.at(frame.output(1), b.getI64Type(), eval.mul(line, eval.mul(length, eval.i64(isPacked() ? 2 : 3))));
      emitLine(histogram);
    });
  }

private:
  // ---- Lines

  void emitLine(Value histogram) {
    switch (schedule.method) {
    case SortMethod::Counting:
      return count();
    case SortMethod::Network:
      return network(histogram);
    case SortMethod::Insertion:
    case SortMethod::Radix:
      return radix(histogram);
    case SortMethod::CountingOrRadix:
      break;
    }
    Value isShort = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, length, eval.i64(tuning::kCounted));
    frame.choose(isShort, [&] { count(); }, [&] { radix(histogram); });
  }

  void forEachLine(function_ref<void(Value)> body) {
    frame.loop(frame.begin, frame.end, 1, [&](Value line) {
      Value outer = line, inner = eval.i64(0);
      if (!lines.inner.isStatic(1)) {
        outer = frame.divide(line, step);
        inner = frame.remainder(line, step);
      }
      Value input = frame.buffers.lookup(op->getOperand(0));
      from = frame.at(input, lines.element, eval.add(eval.mul(outer, eval.mul(length, step)), inner));
      to = frame.at(frame.output(0), outputType.getElementType(), eval.add(eval.mul(outer, eval.mul(taken, step)), inner));
      body(line);
    });
  }

  Value elementAt(Value i) { return frame.loadOne(frame.at(from, lines.element, eval.mul(i, step)), lines.element); }

  /// Writes element `index` of the line, or the index itself, to position `place` of the result.
  void put(Value place, Value index) {
    Value value = isa<SortOp>(op) ? elementAt(index) : arith::TruncIOp::create(b, loc, b.getI32Type(), index).getResult();
    frame.storeOne(value, frame.at(to, outputType.getElementType(), eval.mul(place, step)));
  }

  // ---- Keys

  Value keyOf(Value value) { return SortKeys{b, loc, lines.element, descending, frame.target.hasFMA}.of(value); }

  Value isBelow(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y); }
  Value keyAt(Value keys, Value i) { return frame.loadOne(frame.at(keys, keyType, i), keyType); }

  // ---- Counting

  /// Sorts by ranks: each lane counts the keys that come before its own, including equal ones at lower indices.
  void count() {
    unsigned lanes = frame.lanesOf(keyType);
    Value ranks = frame.at(words, keyType, length);
    makeKeys(lanes);
    frame.vectors(eval.i64(0), length, lanes, lanes, [&](Value first) {
      Value own = frame.loadLanes(frame.at(words, keyType, first), keyType), none = eval.splat(eval.constant(keyType, 0));
      Value end = eval.min(eval.add(first, eval.i64(lanes)), length),
            place = arith::TruncIOp::create(b, loc, b.getI32Type(), first);
      auto within = [&](Value low, Value high, Value sum, function_ref<Value(Value, Value)> isBefore) -> Value {
        return frame.loop(low, high, sum, [&](Value i, ValueRange carried) -> CodeFrame::Carry {
          Value before = isBefore(eval.splat(keyAt(words, i)), i);
          Value one = eval.splat(eval.constant(keyType, 1));
          return {arith::AddIOp::create(b, loc, carried[0], arith::SelectOp::create(b, loc, before, one, none))};
        })[0];
      };
      Value sum = within(eval.i64(0), first, none, [&](Value key, Value) { return isNotAbove(key, own); });
      sum = within(first, end, sum, [&](Value key, Value i) -> Value {
        Value lower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, lanePlaces(place), lanePlace(i));
        return arith::SelectOp::create(b, loc, lower, isNotAbove(key, own), isBelow(key, own));
      });
      sum = within(end, length, sum, [&](Value key, Value) { return isBelow(key, own); });
      frame.storeLanes(sum, frame.at(ranks, keyType, first));
    });
    frame.loop(eval.i64(0), length, 1, [&](Value i) { put(toWord(keyAt(ranks, i)), i); });
  }

  /// Return an index, and the indices of the lanes from `first` on, as 32-bit numbers, which suffice for short lines.
  Value lanePlace(Value i) { return eval.splat(arith::TruncIOp::create(b, loc, b.getI32Type(), i).getResult()); }
  Value lanePlaces(Value first) {
    Value steps = arith::TruncIOp::create(b, loc, eval.vectorOf(b.getI32Type()), eval.iota());
    return arith::AddIOp::create(b, loc, eval.splat(first), steps);
  }

  Value isNotAbove(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, x, y); }

  void makeKeys(unsigned lanes) {
    if (!lines.inner.isStatic(1))
      return frame.loop(eval.i64(0), length, 1,
                        [&](Value i) { frame.storeOne(keyOf(elementAt(i)), frame.at(words, keyType, i)); });
    frame.vectors(eval.i64(0), length, lanes, lanes, [&](Value first) {
      Value found = frame.loadLanes(frame.at(from, lines.element, first), lines.element);
      frame.storeLanes(keyOf(found), frame.at(words, keyType, first));
    });
  }

  Value toWord(Value value) {
    return value.getType().isInteger(64) ? value : arith::ExtUIOp::create(b, loc, b.getI64Type(), value).getResult();
  }

  // ---- Radix

  /// Two lists of keys with their indices; each digit moves one list into the other. A 32-bit key shares a word with its index,
  /// which is the lower half. The indices of 64-bit keys are in arrays of their own.
  struct Lists {
    Value keys, otherKeys, indices, otherIndices;
  };

  bool isPacked() const { return keyType.isInteger(32); }
  /// Returns the number of values of a digit.
  int64_t values() const { return int64_t(1) << digitBits; }

  Lists lists() {
    Type word = b.getI64Type(), index = b.getI32Type();
    Value second = frame.at(words, word, length), third = isPacked() ? words : frame.at(second, word, length);
    return {words, second, third, isPacked() ? words : frame.at(third, index, length)};
  }

  void radix(Value histogram) {
    Type word = b.getI64Type();
    Lists list = lists();
    eval.lanes = frame.lanesOf(b.getI32Type());
    frame.loop(eval.i64(0), eval.i64(values() * digits), eval.lanes, [&](Value i) {
      frame.storeLanes(eval.splat(eval.constant(b.getI32Type(), 0)), frame.at(histogram, b.getI32Type(), i));
    });
    eval.lanes = 1;
    makePairs(list);
    frame.loop(eval.i64(0), length, 1, [&](Value i) {
      Value key = frame.loadOne(frame.at(list.keys, word, i), word);
      for (unsigned digit = 0; digit < digits; ++digit) {
        Value value = digitOf(key, eval.i64(digit));
        addOne(frame.at(frame.at(histogram, b.getI32Type(), digit * values()), b.getI32Type(), value));
      }
    });
    Carry sorted = frame.loop(eval.i64(0), eval.i64(digits), {list.keys, list.otherKeys, list.indices, list.otherIndices},
                              [&](Value digit, ValueRange l) { return byDigit({l[0], l[1], l[2], l[3]}, digit, histogram); });
    frame.loop(eval.i64(0), taken, 1, [&](Value i) { put(i, indexAt(sorted[0], sorted[2], i)); });
  }

  /// Lists the keys and indices in the order of the line, with vector code if its elements are contiguous.
  void makePairs(Lists list) {
    auto pairAt = [&](Value first) {
      bool inLanes = lines.inner.isStatic(1);
      Value found = inLanes ? frame.loadLanes(frame.at(from, lines.element, first), lines.element) : elementAt(first);
      Value key = keyOf(found), places = eval.materialize({first, eval.lanes > 1 ? 1 : 0, {}});
      if (isPacked()) {
        Value high = arith::ExtUIOp::create(b, loc, eval.vectorOf(b.getI64Type()), key);
        high = arith::ShLIOp::create(b, loc, high, eval.splat(eval.i64(32)));
        key = arith::OrIOp::create(b, loc, high, places);
      } else {
        Value index = arith::TruncIOp::create(b, loc, eval.vectorOf(b.getI32Type()), places);
        frame.storeLanes(index, frame.at(list.indices, b.getI32Type(), first));
      }
      frame.storeLanes(key, frame.at(list.keys, b.getI64Type(), first));
    };
    unsigned lanes = lines.inner.isStatic(1) ? frame.lanesOf(keyType) : 1;
    frame.vectors(eval.i64(0), length, lanes, lanes, pairAt);
  }

  using Carry = CodeFrame::Carry;

  Value shiftRight(Value x, Value amount) { return arith::ShRUIOp::create(b, loc, x, amount); }

  /// Increments a counter and returns its previous value.
  Value addOne(Value counter) {
    Value count = frame.loadOne(counter, b.getI32Type());
    frame.storeOne(arith::AddIOp::create(b, loc, count, eval.constant(b.getI32Type(), 1)), counter);
    return toWord(count);
  }

  void setPair(Value keys, Value indices, Value i, Value key, Value index) {
    frame.storeOne(key, frame.at(keys, b.getI64Type(), i));
    if (!isPacked())
      frame.storeOne(arith::TruncIOp::create(b, loc, b.getI32Type(), index), frame.at(indices, b.getI32Type(), i));
  }

  Value indexAt(Value keys, Value indices, Value i) {
    if (!isPacked())
      return toWord(frame.loadOne(frame.at(indices, b.getI32Type(), i), b.getI32Type()));
    Value pair = frame.loadOne(frame.at(keys, b.getI64Type(), i), b.getI64Type());
    return arith::AndIOp::create(b, loc, pair, eval.i64(UINT32_MAX));
  }

  Value digitOf(Value word, Value digit) {
    Value shift = eval.mul(digit, eval.i64(digitBits));
    return arith::AndIOp::create(b, loc, shiftRight(word, isPacked() ? eval.add(shift, eval.i64(32)) : shift),
                                 eval.i64(values() - 1));
  }

  /// Moves the list into the order of one digit, unless all keys have the same digit.
  Carry byDigit(Lists list, Value digit, Value histogram) {
    Type word = b.getI64Type();
    Type small = b.getI32Type();
    Value counts = frame.at(histogram, small, eval.mul(digit, eval.i64(values())));
    auto wordAt = [&](Value i) { return frame.loadOne(frame.at(list.keys, word, i), word); };
    Value first = toWord(frame.loadOne(frame.at(counts, small, digitOf(wordAt(eval.i64(0)), digit)), small));
    Value moves = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, first, length);
    Type pointer = list.keys.getType();
    auto either = scf::IfOp::create(b, loc, TypeRange{pointer, pointer, pointer, pointer}, moves, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.elseBlock());
    scf::YieldOp::create(b, loc, ValueRange{list.keys, list.otherKeys, list.indices, list.otherIndices});
    b.setInsertionPointToStart(either.thenBlock());
    frame.loop(eval.i64(0), eval.i64(values()), eval.constant(small, 0),
               [&](Value i, ValueRange sum) -> Carry { // turns counts into positions
                 Value counter = frame.at(counts, small, i), count = frame.loadOne(counter, small);
                 frame.storeOne(sum[0], counter);
                 return {arith::AddIOp::create(b, loc, sum[0], count)};
               });
    frame.loop(eval.i64(0), length, 1, [&](Value i) {
      Value key = wordAt(i), place = addOne(frame.at(counts, small, digitOf(key, digit)));
      setPair(list.otherKeys, list.otherIndices, place, key, isPacked() ? key : indexAt(list.keys, list.indices, i));
    });
    scf::YieldOp::create(b, loc, ValueRange{list.otherKeys, list.keys, list.otherIndices, list.indices});
    return Carry(either.getResults());
  }

  // ---- Network

  /// The type of the network's keys: for sort the numbers as signed integers, for argsort the key above the index.
  Type networkType() const { return isa<SortOp>(op) ? keyType : Type(b.getI64Type()); }

  /// Uses the widest vector that does not pad the line by much.
  SortNetwork networkOf(int64_t line) {
    unsigned lanes = frame.lanesOf(networkType());
    while (lanes > 4 && int64_t(lanes) * lanes > int64_t(llvm::PowerOf2Ceil(line)))
      lanes /= 2;
    return {frame, networkType(), lanes, SortNetwork::vectorsFor(line, lanes)};
  }

  /// Maps the bits of a float to an integer of the same order, except for zeros and NaN. It is its own inverse.
  Value inOrder(Value bits) {
    elementary::Emitter emitter{b, loc, frame.target.hasFMA};
    elementary::Bits number{{&emitter, bits}};
    return (number ^ ((number.like(0) - (number >> (keyType.getIntOrFloatBitWidth() - 1))) >> 1)).value;
  }
  Value signBit() {
    return eval.constant(b.getIntegerAttr(keyType, APInt::getSignedMinValue(keyType.getIntOrFloatBitWidth())));
  }
  Value inverted(Value bits) { return arith::XOrIOp::create(b, loc, bits, eval.splat(eval.constant(keyType, -1))); }

  /// Returns the keys of a vector of elements. Sets lanes of `special` to nonzero for negative zeros and NaNs, whose bits the
  /// network would not keep in order: their line needs another method.
  Value networkKeys(Value first, Value &special) {
    Value found = frame.loadLanes(frame.at(from, lines.element, first), lines.element);
    if (!isa<SortOp>(op)) {
      Value key = arith::XOrIOp::create(b, loc, keyOf(found), eval.splat(signBit()));
      Value high = arith::ExtUIOp::create(b, loc, eval.vectorOf(b.getI64Type()), key);
      high = arith::ShLIOp::create(b, loc, high, eval.splat(eval.i64(32)));
      return arith::OrIOp::create(b, loc, high, eval.materialize({first, 1, {}}));
    }
    if (!isa<FloatType>(lines.element))
      return descending ? inverted(found) : found;
    Value bits = arith::BitcastOp::create(b, loc, eval.vectorOf(keyType), found);
    Value negativeZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, eval.splat(signBit()));
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, found, found);
    Value either = arith::ExtUIOp::create(b, loc, eval.vectorOf(keyType), arith::OrIOp::create(b, loc, negativeZero, isNaN));
    special = arith::OrIOp::create(b, loc, special, either);
    Value key = inOrder(bits);
    return descending ? inverted(key) : key;
  }

  /// Stores the line's keys to the network's memory, with greatest keys past the line's end. Returns the `special` lanes of
  /// networkKeys.
  Value storeKeys(const SortNetwork &network) {
    int64_t line = lines.length.constant(), whole = line / network.lanes * network.lanes, all = network.count * network.lanes;
    Type type = network.element;
    eval.lanes = network.lanes;
    Value last = eval.splat(eval.constant(b.getIntegerAttr(type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth()))));
    frame.loop(eval.i64(whole), eval.i64(all), network.lanes,
               [&](Value place) { frame.storeLanes(last, frame.at(words, type, place)); });
    auto take = [&](Value first, Value special) {
      frame.storeLanes(networkKeys(first, special), frame.at(words, type, first));
      return special;
    };
    Value special = frame.loop(
        eval.i64(0), eval.i64(whole / network.lanes), eval.splat(eval.constant(keyType, 0)),
        [&](Value i, ValueRange carried) -> Carry { return {take(eval.mul(i, eval.i64(network.lanes)), carried[0])}; })[0];
    if (whole < line) {
      Value rest = eval.splat(eval.i64(line - whole));
      eval.tail = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, eval.iota(), rest);
      special = take(eval.i64(whole), special);
      eval.tail = {};
    }
    eval.lanes = 1;
    return special;
  }

  /// Writes the sorted vectors, with lanes past the line's end masked off.
  void storeSorted(const SortNetwork &network) {
    int64_t line = lines.length.constant();
    eval.lanes = network.lanes;
    network.read(words, line, [&](Value key, Value place) {
      if (line < network.count * network.lanes)
        eval.tail =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.sub(eval.i64(line), place)));
      Value value = key;
      if (!isa<SortOp>(op)) {
        value = arith::TruncIOp::create(b, loc, eval.vectorOf(b.getI32Type()), key);
      } else {
        value = descending ? inverted(key) : key;
        if (isa<FloatType>(lines.element))
          value = arith::BitcastOp::create(b, loc, eval.vectorOf(lines.element), inOrder(value));
      }
      frame.storeLanes(value, frame.at(to, scalarOf(outputType.getElementType()), place));
      eval.tail = {};
    });
    eval.lanes = 1;
  }

  void network(Value histogram) {
    SortNetwork network = networkOf(lines.length.constant());
    Value special = storeKeys(network);
    auto run = [&] {
      network.sort(words);
      storeSorted(network);
    };
    if (!isa<SortOp>(op) || !isa<FloatType>(lines.element))
      return run();
    Value any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, special);
    any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, any, eval.constant(keyType, 0));
    frame.choose(any, [&] { radix(histogram); }, run);
  }

  // ---- Insertion

  void emitInsertion(int64_t kept) {
    unsigned lanes = lines.inner.isStatic(1) ? frame.lanesOf(keyType) : 1;
    keys = frame.stack(keyType, kept);
    indices = frame.stack(b.getI64Type(), kept);
    Value candidates = frame.stack(keyType, lanes);
    forEachLine([&](Value) {
      frame.loop(eval.i64(0), eval.i64(kept), 1, [&](Value i) { insert(keyOf(elementAt(i)), i, i); });
      Value last = frame.at(keys, keyType, kept - 1);
      frame.vectors(eval.i64(kept), length, lanes, lanes, [&](Value i) { insertBetter(i, last, kept, candidates); });
      frame.loop(eval.i64(0), eval.i64(kept), 1,
                 [&](Value i) { put(i, frame.loadOne(frame.at(indices, b.getI64Type(), i), b.getI64Type())); });
    });
  }

  /// Inserts the lanes of a vector that come before the last kept key. Skips vectors without such lanes.
  void insertBetter(Value first, Value last, int64_t kept, Value candidates) {
    Value found =
        lines.inner.isStatic(1) ? frame.loadLanes(frame.at(from, lines.element, first), lines.element) : elementAt(first);
    Value key = keyOf(found), better = isBelow(key, eval.splat(frame.loadOne(last, keyType)));
    if (eval.tail && eval.lanes > 1)
      better = arith::AndIOp::create(b, loc, better, eval.tail);
    Value any = eval.lanes == 1 ? better : vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, better).getResult();
    frame.when(any, [&] {
      frame.storeLanes(key, candidates);
      Value end = eval.min(eval.i64(eval.lanes), eval.sub(length, first));
      frame.loop(eval.i64(0), end, 1, [&](Value lane) {
        Value candidate = keyAt(candidates, lane);
        frame.when(isBelow(candidate, frame.loadOne(last, keyType)),
                   [&] { insert(candidate, eval.add(first, lane), eval.i64(kept - 1)); });
      });
    });
  }

  /// Inserts a key after all keys that do not come after it. `held` keys are kept; the next one is free or dropped.
  void insert(Value key, Value index, Value held) {
    Type word = b.getI64Type();
    auto one = eval.i64(1);
    auto move = scf::WhileOp::create(
        b, loc, TypeRange{word}, ValueRange{held},
        [&](OpBuilder &, Location, ValueRange place) {
          Value before = frame.max(eval.sub(place[0], one), eval.i64(0));
          Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, place[0], eval.i64(0));
          Value moves = arith::AndIOp::create(b, loc, isInside, isBelow(key, keyAt(keys, before)));
          scf::ConditionOp::create(b, loc, moves, place);
        },
        [&](OpBuilder &, Location, ValueRange place) {
          Value before = eval.sub(place[0], one);
          frame.storeOne(keyAt(keys, before), frame.at(keys, keyType, place[0]));
          frame.storeOne(frame.loadOne(frame.at(indices, word, before), word), frame.at(indices, word, place[0]));
          scf::YieldOp::create(b, loc, before);
        });
    frame.storeOne(key, frame.at(keys, keyType, move.getResult(0)));
    frame.storeOne(index, frame.at(indices, word, move.getResult(0)));
  }

  RowFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Location loc;
  Operation *op;
  bool descending;
  Lines lines;
  RankedTensorType outputType;
  Value length, step, taken;
  SortSchedule schedule;
  Type keyType;
  unsigned digitBits, digits; // digits per key
  Value from, to;             // first element and first result of the current line
  Value words;                // scratch memory of the line
  Value keys, indices;        // the kept keys and their indices
};
} // namespace

void lathe::cpu::emitSort(RowFrame &frame, Operation *op, const SortSchedule &schedule, KernelCode &code) {
  auto emit = [&](auto sort, bool descending) { SortEmitter(frame, op, sort.getDim(), descending, schedule).emit(code); };
  if (auto sort = dyn_cast<SortOp>(op))
    return emit(sort, sort.getDescending());
  if (auto sort = dyn_cast<ArgsortOp>(op))
    return emit(sort, sort.getDescending());
  emit(cast<TopKOp>(op), !cast<TopKOp>(op).getSmallest());
}
