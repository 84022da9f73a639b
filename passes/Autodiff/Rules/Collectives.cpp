// Derivative rules of collectives, as functions from the values of all ranks to the results of all ranks: the cotangent of an
// operand is that of the sum of all ranks' results, each times its own cotangent. x, y: operand and result; t: tangent; c:
// cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

static bool isLinear(CollectiveKind kind) { return kind == CollectiveKind::Sum || kind == CollectiveKind::Mean; }

template <typename Op>
static Value allReduce(Emit &e, Op op, CollectiveKind kind, Value value) {
  return e.make<AllReduceOp>(kind, value, op.getAxis(), op.getSize());
}

/// Shares the tangent equally among the ranks that tie.
static Value allReduceTangent(Emit &e, AllReduceOp op, Values t) {
  if (isLinear(op.getKind()))
    return allReduce(e, op, op.getKind(), t[0]);
  Value x = op.getOperand(), wins = e.convert(e.compare(CompareKind::EQ, x, op.getResult()), typeOf(x).getElementType());
  return e.div(allReduce(e, op, CollectiveKind::Sum, e.mul(t[0], wins)), allReduce(e, op, CollectiveKind::Sum, wins));
}

static Value reduceScatter(Emit &e, ReduceScatterOp op, CollectiveKind kind, Value value) {
  return e.make<ReduceScatterOp>(kind, value, op.getDim(), op.getAxis(), op.getSize());
}

static Value reduceScatterTangent(Emit &e, ReduceScatterOp op, Values t) {
  if (isLinear(op.getKind()))
    return reduceScatter(e, op, op.getKind(), t[0]);
  Value x = op.getOperand(), best = e.make<AllGatherOp>(op.getResult(), op.getDim(), op.getAxis(), op.getSize());
  Value wins = e.convert(e.compare(CompareKind::EQ, x, best), typeOf(x).getElementType());
  return e.div(reduceScatter(e, op, CollectiveKind::Sum, e.mul(t[0], wins)), reduceScatter(e, op, CollectiveKind::Sum, wins));
}

/// Returns the gathered cotangent; of a mean, divided by the number of ranks.
static Value transposeReduceScatter(Emit &e, ReduceScatterOp op, Values, Value c) {
  Value gathered = e.make<AllGatherOp>(c, op.getDim(), op.getAxis(), op.getSize());
  if (op.getKind() == CollectiveKind::Sum)
    return gathered;
  auto type = typeOf(gathered);
  Value ranks = e.convert(e.sizeOf(op.getAxisSize()), type.getElementType());
  return e.div(gathered, e.broadcast(ranks, {}, dimsOf(gathered)));
}

/// Returns the sum of all cotangents on the rank whose value was sent, zeros on the others.
static Value transposeBroadcast(Emit &e, CollectiveBroadcastOp op, Values, Value c) {
  Value sum = allReduce(e, op, CollectiveKind::Sum, c), index = e.make<AxisIndexOp>(op.getAxis(), op.getSize());
  Value isRoot = e.compare(CompareKind::EQ, index, e.integer(typeOf(index).getElementType(), op.getRoot()));
  return e.select(e.broadcast(isRoot, {}, dimsOf(c)), sum, e.zeros(c.getType()));
}

void autodiff::addCollectiveRules(Rules &rules) {
  rules.add<AllReduceOp>()
      .linearWhere([](AllReduceOp op, ArrayRef<unsigned>) { return isLinear(op.getKind()); })
      .tangent(allReduceTangent)
      .linearInFirst([](Emit &e, AllReduceOp op, Values, Value c) { return allReduce(e, op, op.getKind(), c); });
  rules.add<ReduceScatterOp>()
      .linearWhere([](ReduceScatterOp op, ArrayRef<unsigned>) { return isLinear(op.getKind()); })
      .tangent(reduceScatterTangent)
      .linearInFirst(transposeReduceScatter);
  rules.add<AllGatherOp>().linearInFirst([](Emit &e, AllGatherOp op, Values, Value c) {
    return e.make<ReduceScatterOp>(CollectiveKind::Sum, c, op.getDim(), op.getAxis(), op.getSize());
  });
  rules.add<AllToAllOp>().linearInFirst([](Emit &e, AllToAllOp op, Values, Value c) {
    return e.make<AllToAllOp>(c, op.getConcat(), op.getSplit(), op.getAxis(), op.getSize());
  });
  rules.add<CollectiveBroadcastOp>().linearInFirst(transposeBroadcast);
  rules.add<CollectivePermuteOp>().linearInFirst([](Emit &e, CollectivePermuteOp op, Values, Value c) {
    return e.make<CollectivePermuteOp>(c, -int64_t(op.getShift()), op.getAxis(), op.getSize());
  });
}
