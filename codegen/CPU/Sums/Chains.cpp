// The code of a sum that adds whole chains:
//
//   for group of chains
//     for chain of the group
//       sums = chain's terms, or sums += chain's terms    // the caller's body
//     totals = sums, or totals += sums                    // addGroup
//     sums = totals
//
// Loops that run once for any sizes are left out.
#include "codegen/CPU/Sums/Chains.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Returns the number of chains of a sum if its sizes are static.
static std::optional<int64_t> chainCount(SumOrder order, const Dim &depth, const Dim &row) {
  if (!depth.isStatic() || !row.isStatic())
    return std::nullopt;
  int64_t rows = row.constant() ? depth.constant() / row.constant() : 0;
  return order.chainsOf(rows, row.constant());
}

bool Chains::areOne(SumOrder order, Type element, const Dim &depth, const Dim &row) {
  std::optional<int64_t> known = chainCount(order, depth, row);
  return !isa<FloatType>(element) || (known && *known <= 1);
}

std::optional<int64_t> Chains::groupCount(SumOrder order, const Dim &depth, const Dim &row) {
  std::optional<int64_t> chains = chainCount(order, depth, row);
  return chains ? std::optional(llvm::divideCeil(*chains, order.group)) : std::nullopt;
}

Chains::Chains(CodeFrame &frame, SumOrder order, Type element, const Dim &depthDim, const Dim &rowDim, Value kept)
    : frame(frame), eval(frame.eval), order(order), isOneRow(depthDim == rowDim), depth(kept ? kept : eval.extent(depthDim)) {
  std::optional<int64_t> known = chainCount(order, depthDim, rowDim);
  isOne = areOne(order, element, depthDim, rowDim);
  isOneGroup = isOne || (known && *known <= order.group);
  if (isOne)
    return;
  Value one = eval.i64(1), chain = eval.i64(order.chain);
  auto divideUp = [&](Value x, Value y) { return frame.divide(eval.sub(eval.add(x, y), one), y); };
  length = chain;
  unit = frame.max(depth, one);
  if (!isOneRow) {
    Value row = frame.max(eval.extent(rowDim), one);
    Value rows = eval.mul(divideUp(chain, eval.min(row, chain)), row); // computes SumOrder::rowsOfChain
    Value isCut = frame.b.createOrFold<arith::CmpIOp>(frame.loc, arith::CmpIPredicate::sgt, row, chain);
    unit = rows;
    length = frame.b.createOrFold<arith::SelectOp>(frame.loc, isCut, chain, rows);
  }
  perUnit = divideUp(unit, length);
  count = frame.max(eval.mul(divideUp(depth, unit), perUnit), one);
}

Chains::Terms Chains::terms(Value number) {
  if (isOne)
    return {eval.i64(0), depth};
  if (isOneRow) {
    Value start = eval.mul(number, length);
    return {start, eval.min(eval.sub(depth, start), length)};
  }
  Value behind = eval.mul(frame.remainder(number, perUnit), length);
  Value start = eval.add(eval.mul(frame.divide(number, perUnit), unit), behind);
  return {start, eval.min(eval.min(eval.sub(unit, behind), eval.sub(depth, start)), length)};
}

void Chains::call(Value number, Value firstOfGroup, Body body) {
  body(number, arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, number, firstOfGroup));
}

void Chains::forEach(Body body, EndGroup endGroup) {
  Value zero = eval.i64(0);
  if (isOne)
    return body(zero, arith::ConstantOp::create(frame.b, frame.loc, frame.b.getBoolAttr(true)));
  if (isOneGroup)
    return frame.loop(zero, count, 1, [&](Value number) { call(number, zero, body); });
  Value groups = frame.divideUp(count, order.group);
  frame.loop(zero, groups, 1, [&](Value group) {
    Value first = eval.mul(group, eval.i64(order.group));
    Value end = eval.min(eval.add(first, eval.i64(order.group)), count);
    frame.loop(first, end, 1, [&](Value number) { call(number, first, body); });
    endGroup(group, groups);
  });
}

static Value load(CodeFrame &frame, Type vector, Value from) {
  return LLVM::LoadOp::create(frame.b, frame.loc, vector, from, getElementTypeOrSelf(vector).getIntOrFloatBitWidth() / 8);
}

static void store(CodeFrame &frame, Value vector, Value to) {
  unsigned bytes = getElementTypeOrSelf(vector.getType()).getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(frame.b, frame.loc, vector, to, bytes);
}

void Chains::store(CodeFrame &frame, ArrayRef<Value> totals, Value to, Value isFirst) const {
  auto put = [&](bool adds) {
    for (auto [i, total] : llvm::enumerate(totals)) {
      Type type = total.getType();
      int64_t lanes = isa<VectorType>(type) ? cast<VectorType>(type).getNumElements() : 1;
      Value place = frame.at(to, getElementTypeOrSelf(type), int64_t(i) * lanes);
      ::store(frame, adds ? arith::AddFOp::create(frame.b, frame.loc, load(frame, type, place), total).getResult() : total,
              place);
    }
  };
  isOne ? put(false) : frame.choose(isFirst, [&] { put(false); }, [&] { put(true); });
}

void lathe::cpu::addGroup(CodeFrame &frame, Type vector, Value sums, Value totals, Value vectors, Value group, Value groups) {
  OpBuilder &b = frame.b;
  Value zero = frame.eval.i64(0), one = frame.eval.i64(1);
  Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, group, zero);
  frame.when(arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sgt, groups, one), [&] {
    frame.loop(zero, vectors, 1, [&](Value i) {
      Value from = frame.at(sums, vector, i), to = frame.at(totals, vector, i), sum = load(frame, vector, from);
      Value both = arith::AddFOp::create(b, frame.loc, load(frame, vector, to), sum);
      Value total = arith::SelectOp::create(b, frame.loc, isFirst, sum, both);
      store(frame, total, from);
      store(frame, total, to);
    });
  });
}

void lathe::cpu::clearVectors(CodeFrame &frame, VectorType vector, Value to, Value count) {
  frame.eval.lanes = vector.getNumElements();
  Value zeros = frame.eval.splat(frame.eval.constant(vector.getElementType(), 0));
  frame.loop(frame.eval.i64(0), count, 1, [&](Value i) { store(frame, zeros, frame.at(to, vector, i)); });
}

void lathe::cpu::addVectors(CodeFrame &frame, Type vector, Value from, Value to, Value count, Value condition) {
  frame.when(condition, [&] {
    frame.loop(frame.eval.i64(0), count, 1, [&](Value i) {
      Value there = frame.at(to, vector, i), more = load(frame, vector, frame.at(from, vector, i));
      store(frame, arith::AddFOp::create(frame.b, frame.loc, load(frame, vector, there), more), there);
    });
  });
}
