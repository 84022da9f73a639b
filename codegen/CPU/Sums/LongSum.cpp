// The code of a sum of many terms:
//
//   chain = 0, group = -0
//   for rows
//     if the chain has all its rows: end the chain
//     for chain of the row but the last
//       chain += terms; end the chain
//     chain += terms of the last chain of the row
//   end the chain; total = all groups + group
//
//   end the chain: if the group is full: all groups += group, group = -0
//                  group += chain, chain = 0
//
// "All groups" is one total or, with SumOrder::pairs, a PairSums. Levels that static extents do not need are left out.
#include "codegen/CPU/Sums/LongSum.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

LongSum::LongSum(CodeFrame &frame, Operation *function, SumOrder order, Loops loops, ArrayRef<bool> isSum)
    : frame(frame), eval(frame.eval), b(frame.b), order(order), loops(std::move(loops)), isSum(isSum), function(function) {
  std::optional<int64_t> count = chainCount();
  hasChains = llvm::is_contained(isSum, true) && !(count && *count <= 1);
  hasGroups = hasChains && !(count && *count <= order.group);
  countsRows = hasChains && !this->loops.outer.empty();
}

/// Returns the number of chains of the sum if all extents are static.
std::optional<int64_t> LongSum::chainCount() const {
  if (!loops.row.isStatic())
    return std::nullopt;
  int64_t rows = 1, row = llvm::divideCeil(loops.row.constant(), loops.stepBy);
  for (const Dim &dim : loops.outer) {
    if (!dim.isStatic())
      return std::nullopt;
    rows *= dim.constant();
  }
  return order.chainsOf(rows, row);
}

/// Returns -0 for each sum: adding a first chain to it keeps the bits of the chain.
LongSum::Values LongSum::negativeZeros() const {
  Values zeros;
  for (auto [value, isOne] : llvm::zip_equal(neutral, isSum)) {
    if (!isOne)
      continue;
    TypedAttr zero = b.getFloatAttr(getElementTypeOrSelf(value.getType()), -0.0);
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      zero = SplatElementsAttr::get(vector, zero);
    zeros.push_back(arith::ConstantOp::create(b, eval.loc, zero));
  }
  return zeros;
}

LongSum::Values LongSum::pack(const State &state) const {
  Values values(state.chain);
  llvm::append_range(values, state.group);
  llvm::append_range(values, state.all);
  for (Value count : {state.rows, state.chains, state.groups})
    if (count)
      values.push_back(count);
  return values;
}

LongSum::State LongSum::unpack(ValueRange values) const {
  auto take = [&](size_t count) {
    Values first(values.take_front(count));
    values = values.drop_front(count);
    return first;
  };
  size_t sumCount = llvm::count(isSum, true);
  State state;
  state.chain = take(neutral.size());
  state.group = take(hasChains ? sumCount : 0);
  state.all = take(hasGroups && !order.pairs ? sumCount : 0);
  if (countsRows)
    state.rows = take(1)[0];
  if (hasGroups)
    state.chains = take(1)[0];
  if (hasGroups && order.pairs)
    state.groups = take(1)[0];
  return state;
}

LongSum::Values LongSum::sums(const Values &first, const Values &second) {
  Values results;
  for (auto [x, y] : llvm::zip_equal(first, second))
    results.push_back(arith::AddFOp::create(b, eval.loc, x, y));
  return results;
}

LongSum::State LongSum::when(Value condition, const State &state, function_ref<State(State)> change) {
  Values before = pack(state);
  return unpack(
      frame.branch(condition, ValueRange(before).getTypes(), [&] { return pack(change(state)); }, [&] { return before; }));
}

/// Adds a chain to its group. A full group is ended first.
LongSum::State LongSum::endChain(State state) {
  if (hasGroups) {
    Value isFull = arith::CmpIOp::create(b, eval.loc, arith::CmpIPredicate::eq, state.chains, eval.i64(order.group));
    state = when(isFull, state, [&](State full) { return endGroup(std::move(full)); });
    state.chains = eval.add(state.chains, eval.i64(1));
  }
  Values chain;
  for (auto [value, start, isOne] : llvm::zip_equal(state.chain, neutral, isSum))
    if (isOne)
      chain.push_back(std::exchange(value, start));
  state.group = sums(state.group, chain);
  return state;
}

LongSum::State LongSum::endGroup(State state) {
  if (order.pairs) {
    pairs->add(state.group, state.groups);
    state.groups = eval.add(state.groups, eval.i64(1));
  } else {
    state.all = sums(state.all, state.group);
  }
  state.group = negativeZeros();
  state.chains = eval.i64(0);
  return state;
}

LongSum::State LongSum::overRows(unsigned dim, const State &state, Enter enter, AddRange add) {
  if (dim == loops.outer.size())
    return alongRow(state, add);
  Value low = eval.i64(0), high = eval.extent(loops.outer[dim]);
  return unpack(frame.loop(low, high, pack(state), [&](Value index, ValueRange carried) {
    enter(dim, index);
    return pack(overRows(dim + 1, unpack(carried), enter, add));
  }));
}

/// A chain is ended only when the next one begins, so that the last one is never empty.
LongSum::State LongSum::alongRow(const State &before, AddRange add) {
  State state = before;
  Value low = eval.i64(0), high = loops.kept ? loops.kept : eval.extent(loops.row);
  if (countsRows) {
    Value isWhole = arith::CmpIOp::create(b, eval.loc, arith::CmpIPredicate::eq, state.rows, rowsOfChain);
    state = when(isWhole, state, [&](State whole) {
      whole = endChain(std::move(whole));
      whole.rows = eval.i64(0);
      return whole;
    });
    state.rows = eval.add(state.rows, eval.i64(1));
  }
  int64_t length = order.chain * loops.stepBy;
  if (hasChains && !(loops.row.isStatic() && loops.row.constant() <= length)) {
    Value behindFirst = b.createOrFold<arith::MaxSIOp>(eval.loc, eval.sub(high, eval.i64(1)), eval.i64(0));
    Value end = eval.sub(behindFirst, b.createOrFold<arith::RemSIOp>(eval.loc, behindFirst, eval.i64(length)));
    state = unpack(frame.loop(low, end, length, pack(state), [&](Value first, ValueRange carried) {
      State inside = unpack(carried);
      inside.chain = add(first, eval.add(first, eval.i64(length)), /*isLast=*/false, inside.chain);
      return pack(endChain(std::move(inside)));
    }));
    low = end;
  }
  state.chain = add(low, high, /*isLast=*/true, state.chain);
  return state;
}

LongSum::Values LongSum::finish(const State &state) {
  if (!hasChains)
    return state.chain;
  State last = endChain(state);
  Values total = last.group;
  if (hasGroups)
    total = order.pairs ? pairs->with(total, last.groups) : sums(last.all, total);
  Values results;
  auto next = total.begin();
  for (auto [value, isOne] : llvm::zip_equal(last.chain, isSum))
    results.push_back(isOne ? *next++ : value);
  return results;
}

/// Returns SumOrder::rowsOfChain as a value.
Value LongSum::wholeRowsOfChain() {
  if (loops.row.isStatic())
    return eval.i64(order.rowsOfChain(llvm::divideCeil(loops.row.constant(), loops.stepBy)));
  Location loc = eval.loc;
  auto divideUp = [&](Value x, Value y) {
    return b.createOrFold<arith::DivUIOp>(loc, eval.sub(eval.add(x, y), eval.i64(1)), y);
  };
  Value row = divideUp(eval.extent(loops.row), eval.i64(loops.stepBy));
  return divideUp(eval.i64(order.chain),
                  eval.min(b.createOrFold<arith::MaxSIOp>(loc, row, eval.i64(1)), eval.i64(order.chain)));
}

LongSum::Values LongSum::run(const Values &start, Enter enter, AddRange add) {
  neutral = start;
  State state;
  state.chain = neutral;
  if (hasChains)
    state.group = negativeZeros();
  if (countsRows) {
    rowsOfChain = wholeRowsOfChain();
    state.rows = eval.i64(0);
  }
  if (hasGroups)
    state.chains = eval.i64(0);
  if (hasGroups && order.pairs) {
    std::optional<int64_t> count = chainCount();
    SmallVector<Type> types(ValueRange(state.group).getTypes());
    pairs.emplace(frame, function, types, count ? std::optional(*count / order.group) : std::nullopt);
    state.groups = eval.i64(0);
  } else if (hasGroups) {
    state.all = negativeZeros();
  }
  return finish(overRows(0, state, enter, add));
}
