// Derivative rules of elementwise ops. x, y: operand and result; t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// tangent t * slope(x, y).
template <typename Op, typename Slope>
static void addSlope(Rules &rules, Slope slope) {
  rules.add<Op>().tangent([slope](Emit &e, Op op, Values t) { return e.mul(t[0], slope(e, op.getOperand(), op.getResult())); });
}

static void addUnaryRules(Rules &rules) {
  rules.add<NegOp>().linearInFirst([](Emit &e, NegOp, Values, Value c) { return e.neg(c); });
  addSlope<AbsOp>(rules, [](Emit &e, Value x, Value) { return e.make<SignOp>(x); });
  addSlope<ExpOp>(rules, [](Emit &, Value, Value y) { return y; });
  addSlope<Expm1Op>(rules, [](Emit &e, Value, Value y) { return e.add(y, e.splatLike(y, 1)); });
  addSlope<SqrtOp>(rules, [](Emit &e, Value, Value y) { return e.div(e.splatLike(y, 0.5), y); });
  addSlope<RsqrtOp>(rules, [](Emit &e, Value x, Value y) { return e.div(e.mul(y, e.splatLike(y, -0.5)), x); });
  addSlope<SinOp>(rules, [](Emit &e, Value x, Value) { return e.make<CosOp>(x); });
  addSlope<CosOp>(rules, [](Emit &e, Value x, Value) { return e.neg(e.make<SinOp>(x)); });
  addSlope<TanhOp>(rules, [](Emit &e, Value, Value y) { return e.sub(e.splatLike(y, 1), e.mul(y, y)); });
  addSlope<LogisticOp>(rules, [](Emit &e, Value, Value y) { return e.mul(y, e.sub(e.splatLike(y, 1), y)); });
  addSlope<ErfOp>(rules, [](Emit &e, Value x, Value) { // 2 / sqrt(pi) * exp(-x^2)
    return e.mul(e.make<ExpOp>(e.neg(e.mul(x, x))), e.splatLike(x, 2 / std::sqrt(M_PI)));
  });
  rules.add<LogOp>().tangent([](Emit &e, LogOp op, Values t) { return e.div(t[0], op.getOperand()); });
  rules.add<Log1pOp>().tangent(
      [](Emit &e, Log1pOp op, Values t) { return e.div(t[0], e.add(op.getOperand(), e.splatLike(op.getOperand(), 1))); });
  rules.add<SignOp>().constant();
  rules.add<FloorOp>().constant();
  rules.add<CeilOp>().constant();
  rules.add<RoundOp>().constant();
  // No tangent; but a linear map that contains it must not change under transposition.
  rules.add<StopGradientOp>().constant().linearInFirst([](Emit &, StopGradientOp, Values, Value c) { return c; });
  rules.add<ConvertOp>().linearInFirst(
      [](Emit &e, ConvertOp op, Values, Value c) { return e.convert(c, typeOf(op.getOperand()).getElementType()); });
}

static void addSumRules(Rules &rules) {
  rules.add<AddOp>()
      .linear({{0, 1}})
      .tangent([](Emit &e, AddOp, Values t) { return e.plus(t[0], t[1]); })
      .transpose([](Emit &, AddOp, Values, Value c, MutableArrayRef<Value> out) { out[0] = out[1] = c; });
  rules.add<SubOp>()
      .linear({{0, 1}})
      .tangent([](Emit &e, SubOp, Values t) { return !t[1]   ? t[0]
                                                     : !t[0] ? e.neg(t[1])
                                                             : e.sub(t[0], t[1]); })
      .transpose([](Emit &e, SubOp, Values a, Value c, MutableArrayRef<Value> out) {
        out[0] = c;
        if (!a[1])
          out[1] = e.neg(c);
      });
  rules.add<SelectOp>().linear({{1, 2}}).transpose([](Emit &e, SelectOp, Values a, Value c, MutableArrayRef<Value> out) {
    if (!a[1])
      out[1] = e.select(a[0], c, e.zeros(c.getType()));
    if (!a[2])
      out[2] = e.select(a[0], e.zeros(c.getType()), c);
  });
}

static void addProductRules(Rules &rules) {
  rules.add<MulOp>()
      .linear({{0}, {1}})
      .tangent([](Emit &e, MulOp op, Values t) {
        if (op.getLhs() == op.getRhs()) // a square has one factor for both sides
          return e.mul(t[0], e.add(op.getLhs(), op.getLhs()));
        return e.plus(t[0] ? e.mul(t[0], op.getRhs()) : Value(), t[1] ? e.mul(t[1], op.getLhs()) : Value());
      })
      .transpose([](Emit &e, MulOp, Values a, Value c, MutableArrayRef<Value> out) {
        for (int i : {0, 1})
          if (!a[i])
            out[i] = e.mul(c, a[1 - i]);
      });
  // a / b: ta / b - tb * (y / b)
  rules.add<DivOp>()
      .tangent([](Emit &e, DivOp op, Values t) {
        Value first = t[0] ? e.div(t[0], op.getRhs()) : Value();
        return t[1] ? e.plus(first, e.mul(t[1], e.neg(e.div(op.getResult(), op.getRhs())))) : first;
      })
      .linearInFirst([](Emit &e, DivOp, Values a, Value c) { return e.div(c, a[1]); });
  // a - q * b with q = trunc(a / b), found again from the result, where rounding cannot miss it
  rules.add<RemOp>().tangent([](Emit &e, RemOp op, Values t) {
    if (!t[1])
      return t[0];
    Value quotient = e.make<RoundOp>(e.div(e.sub(op.getLhs(), op.getResult()), op.getRhs()));
    return e.plus(t[0], e.mul(t[1], e.neg(quotient)));
  });
}

/// a^b: ta * b * a^(b - 1) + tb * y * log a, the second 0 at a = 0, the first 0 at b = 0 (also where a^-1 is infinite).
static Value powTangent(Emit &e, PowOp op, Values t) {
  Value a = op.getLhs(), b = op.getRhs(), one = e.splatLike(b, 1), zero = e.splatLike(b, 0), total;
  if (t[0]) {
    Value exponent = e.select(e.compare(CompareKind::EQ, b, zero), one, e.sub(b, one));
    total = e.mul(t[0], e.mul(b, e.make<PowOp>(a, exponent)));
  }
  if (t[1]) {
    Value base = e.select(e.compare(CompareKind::EQ, a, zero), one, a); // log 1 is 0, and has no infinity to multiply
    total = e.plus(total, e.mul(t[1], e.mul(op.getResult(), e.make<LogOp>(base))));
  }
  return total;
}

/// Half to each side at a tie. Where the result is NaN no side equals it: 0 / 0 passes the NaN on.
template <typename Op>
static Value extremumTangent(Emit &e, Op op, Values t) {
  Type element = typeOf(op.getResult()).getElementType();
  Value wins[2], total;
  for (int i : {0, 1}) {
    wins[i] = e.convert(e.compare(CompareKind::EQ, op->getOperand(i), op.getResult()), element);
    total = e.plus(total, wins[i]);
  }
  Value sum;
  for (int i : {0, 1})
    if (t[i])
      sum = e.plus(sum, e.mul(t[i], e.div(wins[i], total)));
  return sum;
}

void autodiff::addElementwiseRules(Rules &rules) {
  addUnaryRules(rules);
  addSumRules(rules);
  addProductRules(rules);
  rules.add<PowOp>().tangent(powTangent);
  rules.add<MaxOp>().tangent(extremumTangent<MaxOp>);
  rules.add<MinOp>().tangent(extremumTangent<MinOp>);
}
