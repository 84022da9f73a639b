// Derivative rules of reductions and dot_general. x, y: operand and result; t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

using Ints = SmallVector<int64_t>;

/// Shares the tangent equally among ties. A NaN maximum equals nothing: 0 / 0 propagates it.
static Value extremumTangent(Emit &e, ReduceOp op, Value t) {
  auto full = typeOf(op.getOperand());
  Value best = e.spread(op.getResult(), full, op.getDims());
  Value wins = e.convert(e.compare(CompareKind::EQ, op.getOperand(), best), full.getElementType());
  return e.div(e.reduceSum(e.mul(t, wins), op.getDims()), e.reduceSum(wins, op.getDims()));
}

/// Returns the products of all elements before each one along a dimension, or after it.
static Value exclusiveProduct(Emit &e, Value x, int64_t dim, bool before) {
  Ints none(typeOf(x).getRank());
  Dims low = asDims(none), high = low;
  low[dim] = Dim(before ? 1 : -1);
  high[dim] = Dim(0) - low[dim];
  return e.make<CumulativeOp>(CumulativeKind::Product, e.pad(x, low, high, none, 1), dim, /*reverse=*/!before);
}

/// Returns for each element the product of the others that are reduced with it. Never computes y / x, which fails at zeros.
static Value productOfOthers(Emit &e, Value x, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return e.splatLike(x, 1);
  int64_t dim = dims.back();
  Value others = e.mul(exclusiveProduct(e, x, dim, true), exclusiveProduct(e, x, dim, false));
  if (dims.size() == 1)
    return others;
  Value outer = productOfOthers(e, e.make<ReduceOp>(ReduceKind::Product, x, dim), dims.drop_back());
  return e.mul(others, e.spread(outer, typeOf(x), dim));
}

static Value reduceTangent(Emit &e, ReduceOp op, Values t) {
  switch (op.getKind()) {
  case ReduceKind::Sum:
    return e.reduceSum(t[0], op.getDims());
  case ReduceKind::Max:
  case ReduceKind::Min:
    return extremumTangent(e, op, t[0]);
  case ReduceKind::Product:
    break;
  default:
    return e.fail(op, "is bitwise and has no derivative");
  }
  return e.reduceSum(e.mul(t[0], productOfOthers(e, op.getOperand(), op.getDims())), op.getDims());
}

/// Returns the cotangent of one side of a product. c is [batch, free of lhs, free of rhs]: contracts it with the other side
/// over that side's free dimensions, then orders the dimensions. Uses the operand order that needs no transpose, if there is
/// one.
static Value transposeDot(Emit &e, DotGeneralOp op, int side, Value other, Value c) {
  Ints batch[2] = {Ints(op.getLhsBatch()), Ints(op.getRhsBatch())},
       contract[2] = {Ints(op.getLhsContract()), Ints(op.getRhsContract())};
  Ints free[2];
  for (int s : {0, 1}) {
    Ints named = batch[s];
    named.append(contract[s]);
    free[s] = otherDims(typeOf(op->getOperand(s)).getRank(), named);
  }
  int64_t numBatch = batch[0].size(), firstOfOther = numBatch + (side == 0 ? free[0].size() : 0);
  Ints leading = llvm::to_vector(llvm::seq<int64_t>(numBatch));
  Ints there = llvm::to_vector(llvm::seq<int64_t>(firstOfOther, firstOfOther + free[1 - side].size()));

  // The other side's contracted dimensions are now its free ones, in ascending order.
  Ints order = llvm::to_vector(llvm::seq<int64_t>(contract[side].size())), back;
  llvm::sort(order, [&](int64_t i, int64_t j) { return contract[1 - side][i] < contract[1 - side][j]; });
  for (int64_t i : order)
    back.push_back(contract[side][i]);
  Ints cFirst = batch[side], otherFirst = batch[side];
  cFirst.append(free[side]);
  cFirst.append(back);
  otherFirst.append(back);
  otherFirst.append(free[side]);

  bool swapped = !llvm::is_sorted(cFirst) && llvm::is_sorted(otherFirst);
  Value product = swapped ? e.make<DotGeneralOp>(other, c, free[1 - side], there, batch[1 - side], leading)
                          : e.make<DotGeneralOp>(c, other, there, free[1 - side], leading, batch[1 - side]);
  const Ints &dims = swapped ? otherFirst : cFirst;
  Ints permutation(dims.size());
  for (auto [i, dim] : llvm::enumerate(dims))
    permutation[dim] = i;
  return e.transpose(product, permutation);
}

void autodiff::addReductionRules(Rules &rules) {
  rules.add<ReduceOp>()
      .linearWhere([](ReduceOp op, ArrayRef<unsigned>) { return op.getKind() == ReduceKind::Sum; })
      .tangent(reduceTangent)
      .linearInFirst([](Emit &e, ReduceOp op, Values, Value c) { return e.spread(c, typeOf(op.getOperand()), op.getDims()); });
  rules.add<DotGeneralOp>()
      .linear({{0}, {1}})
      .transpose([](Emit &e, DotGeneralOp op, Values a, Value c, MutableArrayRef<Value> out) {
        for (int side : {0, 1})
          if (!a[side])
            out[side] = transposeDot(e, op, side, a[1 - side], c);
      });
}
