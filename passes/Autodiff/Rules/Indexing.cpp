// Derivative rules of slices at data-dependent positions, gather and scatter. Each pair is closed under transposition, because
// both ops of a pair treat out-of-range positions alike. t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

using Ints = SmallVector<int64_t>;

static void addSliceRules(Rules &rules) {
  rules.add<DynamicSliceOp>().linearInFirst([](Emit &e, DynamicSliceOp op, Values a, Value c) {
    return e.make<DynamicUpdateSliceOp>(e.zeros(op.getOperand().getType()), c, ValueRange(a.drop_front()));
  });
  rules.add<DynamicUpdateSliceOp>().linear({{0, 1}}).transpose(
      [](Emit &e, DynamicUpdateSliceOp op, Values a, Value c, MutableArrayRef<Value> out) {
        ValueRange starts(a.drop_front(2));
        Type update = op.getUpdate().getType();
        if (!a[0])
          out[0] = e.make<DynamicUpdateSliceOp>(c, e.zeros(update), starts);
        if (!a[1])
          out[1] = e.make<DynamicSliceOp>(c, starts, shapeOf(op.getContext(), dimsOf(op.getUpdate())));
      });
}

namespace {
/// Builders for a scatter's rules: other scatters and gathers at its indices.
struct Scattering {
  Emit &e;
  ScatterOp op;
  Value indices;

  Value scatter(ScatterKind kind, Value into, Value updates) {
    return e.make<ScatterOp>(kind, into, indices, updates, op.getAxis(), op.getBatch());
  }
  Value sum(Value updates) { return scatter(ScatterKind::Add, e.zeros(op.getInto().getType()), updates); }
  Value gather(Value table) { return e.make<GatherOp>(table, indices, op.getAxis(), op.getBatch()); }

  /// Returns one for the updates that a set keeps, zero for those that a later one of equal index overwrites. Numbers the
  /// updates, and scatters the numbers in the same way.
  Value kept() {
    int64_t batch = op.getBatch(), axis = op.getAxis();
    Dims picks = dimsOf(indices), table(picks.begin(), picks.begin() + batch);
    table.push_back(dimsOf(op.getInto())[axis]);
    Type i64 = e.getBuilder().getI64Type();
    Value number = e.zeros(tensorOf(picks, i64));
    for (int64_t dim = batch; dim < int64_t(picks.size()); ++dim) {
      Value size = e.broadcast(e.sizeOf(picks[dim]), {}, picks);
      number = e.add(e.mul(number, size), e.make<IotaOp>(dim, shapeOf(op.getContext(), picks), i64));
    }
    Value last = e.make<ScatterOp>(ScatterKind::Set, e.zeros(tensorOf(table, i64)), indices, number, batch, batch);
    Value stays = e.compare(CompareKind::EQ, e.make<GatherOp>(last, indices, batch, batch), number);
    auto full = typeOf(op.getUpdates());
    Ints dims = llvm::to_vector(llvm::seq<int64_t>(batch));
    for (int64_t dim = batch; dim < int64_t(picks.size()); ++dim)
      dims.push_back(axis + dim - batch);
    return e.broadcast(e.convert(stays, full.getElementType()), dims, dimsOf(full));
  }
};
} // namespace

/// Shares the tangent equally among all elements that equal the extremum.
static Value extremumTangent(Scattering s, Values t) {
  Emit &e = s.e;
  ScatterOp op = s.op;
  Type element = typeOf(op.getInto()).getElementType();
  auto wins = [&](Value x, Value best) { return e.convert(e.compare(CompareKind::EQ, x, best), element); };
  Value old = wins(op.getInto(), op.getResult()), updates = wins(op.getUpdates(), s.gather(op.getResult()));
  Value sum = e.plus(t[0] ? e.mul(t[0], old) : Value(), t[2] ? s.sum(e.mul(t[2], updates)) : Value());
  return e.div(sum, s.scatter(ScatterKind::Add, old, updates));
}

/// Returns the product of all factors at an update's position except this update. Never computes product / update, which fails
/// at zeros: zeros are counted, and left out of the product.
static Value otherFactors(Scattering s) {
  Emit &e = s.e;
  ScatterOp op = s.op;
  Type element = typeOf(op.getInto()).getElementType();
  auto isZero = [&](Value x) { return e.compare(CompareKind::EQ, x, e.zeros(x.getType())); };
  auto orOne = [&](Value x) { return e.select(isZero(x), e.splatLike(x, 1), x); };
  auto count = [&](Value x) { return e.convert(isZero(x), element); };
  Value x = op.getInto(), u = op.getUpdates();
  Value product = s.gather(s.scatter(ScatterKind::Mul, orOne(x), orOne(u)));
  Value zeros = s.gather(s.scatter(ScatterKind::Add, count(x), count(u)));
  Value alone = e.compare(CompareKind::EQ, zeros, count(u)); // it is the only zero
  return e.select(alone, e.div(product, orOne(u)), e.zeros(u.getType()));
}

static Value scatterTangent(Emit &e, ScatterOp op, Values t) {
  Scattering s{e, op, op.getIndices()};
  auto orZero = [&](Value tangent, Value primal) { return tangent ? tangent : e.zeros(primal.getType()); };
  switch (op.getKind()) {
  case ScatterKind::Add:
  case ScatterKind::Set:
    return s.scatter(op.getKind(), orZero(t[0], op.getInto()), orZero(t[2], op.getUpdates()));
  case ScatterKind::Mul:
    return e.plus(t[0] ? s.scatter(ScatterKind::Mul, t[0], op.getUpdates()) : Value(),
                  t[2] ? s.sum(e.mul(t[2], otherFactors(s))) : Value());
  case ScatterKind::Max:
  case ScatterKind::Min:
    return extremumTangent(s, t);
  }
  llvm_unreachable("all kinds are above");
}

static void transposeScatter(Emit &e, ScatterOp op, Values a, Value c, MutableArrayRef<Value> out) {
  Scattering s{e, op, a[1]};
  switch (op.getKind()) {
  case ScatterKind::Mul: // linear in `into` only
    out[0] = s.scatter(ScatterKind::Mul, c, a[2]);
    return;
  case ScatterKind::Set:
    if (!a[0])
      out[0] = s.scatter(ScatterKind::Set, c, e.zeros(op.getUpdates().getType()));
    if (!a[2])
      out[2] = e.mul(s.gather(c), s.kept());
    return;
  default:
    if (!a[0])
      out[0] = c;
    if (!a[2])
      out[2] = s.gather(c);
  }
}

void autodiff::addIndexingRules(Rules &rules) {
  addSliceRules(rules);
  rules.add<GatherOp>().linearInFirst([](Emit &e, GatherOp op, Values a, Value c) {
    return e.make<ScatterOp>(ScatterKind::Add, e.zeros(op.getTable().getType()), a[1], c, op.getAxis(), op.getBatch());
  });
  rules.add<ScatterOp>()
      .linearWhere([](ScatterOp op, ArrayRef<unsigned> operands) {
        bool inIntoAlone = op.getKind() == ScatterKind::Mul && operands.size() == 1 && operands[0] == 0;
        return inIntoAlone || op.getKind() == ScatterKind::Set || op.getKind() == ScatterKind::Add;
      })
      .linear({{0, 2}})
      .tangent(scatterTangent)
      .transpose(transposeScatter);
}
