// Derivative rules of elementwise ops. x, y: operand and result; t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Adds a rule with the tangent t * slope(x, y).
template <typename Op, typename Slope>
static void addSlope(Rules &rules, Slope slope) {
  rules.add<Op>().tangent([slope](Emit &e, Op op, Values t) { return e.mul(t[0], slope(e, op.getOperand(), op.getResult())); });
}

/// Returns 2 / sqrt(pi) * exp(-x^2).
static Value slopeOfErf(Emit &e, Value x) {
  return e.mul(e.make<ExpOp>(e.neg(e.mul(x, x))), e.splatLike(x, 2 / std::sqrt(M_PI)));
}

/// Returns sqrt(sign * x * x + add).
static Value rootOfSquare(Emit &e, Value x, double sign, double add) {
  return e.make<SqrtOp>(e.add(e.mul(e.mul(x, x), e.splatLike(x, sign)), e.splatLike(x, add)));
}

static void addFunctionRules(Rules &rules) {
  auto inverse = [](Emit &e, Value x) { return e.div(e.splatLike(x, 1), x); };
  addSlope<Exp2Op>(rules, [](Emit &e, Value, Value y) { return e.mul(y, e.splatLike(y, M_LN2)); });
  addSlope<Log2Op>(rules, [](Emit &e, Value x, Value) { return e.div(e.splatLike(x, M_LOG2E), x); });
  addSlope<Log10Op>(rules, [](Emit &e, Value x, Value) { return e.div(e.splatLike(x, M_LOG10E), x); });
  addSlope<CbrtOp>(rules, [](Emit &e, Value, Value y) { return e.div(e.splatLike(y, 1.0 / 3), e.mul(y, y)); });
  addSlope<TanOp>(rules, [](Emit &e, Value, Value y) { return e.add(e.mul(y, y), e.splatLike(y, 1)); });
  addSlope<SinhOp>(rules, [](Emit &e, Value x, Value) { return e.make<CoshOp>(x); });
  addSlope<CoshOp>(rules, [](Emit &e, Value x, Value) { return e.make<SinhOp>(x); });
  addSlope<AsinOp>(rules, [=](Emit &e, Value x, Value) { return inverse(e, rootOfSquare(e, x, -1, 1)); });
  addSlope<AcosOp>(rules, [=](Emit &e, Value x, Value) { return e.neg(inverse(e, rootOfSquare(e, x, -1, 1))); });
  addSlope<AtanOp>(rules, [=](Emit &e, Value x, Value) { return inverse(e, e.add(e.mul(x, x), e.splatLike(x, 1))); });
  addSlope<AsinhOp>(rules, [=](Emit &e, Value x, Value) { return inverse(e, rootOfSquare(e, x, 1, 1)); });
  addSlope<AcoshOp>(rules, [=](Emit &e, Value x, Value) { return inverse(e, rootOfSquare(e, x, 1, -1)); });
  addSlope<AtanhOp>(rules, [=](Emit &e, Value x, Value) { return inverse(e, e.sub(e.splatLike(x, 1), e.mul(x, x))); });
  addSlope<ErfInvOp>(rules, [=](Emit &e, Value, Value y) { return inverse(e, slopeOfErf(e, y)); });
  addSlope<ErfcOp>(rules, [](Emit &e, Value x, Value) { return e.neg(slopeOfErf(e, x)); });
}

static void addGammaRules(Rules &rules) {
  addSlope<LgammaOp>(rules, [](Emit &e, Value x, Value) { return e.make<DigammaOp>(x); });
  addSlope<DigammaOp>(rules, [](Emit &e, Value x, Value) { return e.make<PolygammaOp>(x, 1); });
  rules.add<PolygammaOp>().tangent([](Emit &e, PolygammaOp op, Values t) {
    int64_t order = op.getOrder() + 1;
    if (order > PolygammaOp::kLargestOrder)
      return e.fail(op, "of the maximum order has no derivative");
    return e.mul(t[0], e.make<PolygammaOp>(op.getOperand(), order));
  });
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
  addSlope<ErfOp>(rules, [](Emit &e, Value x, Value) { return slopeOfErf(e, x); });
  addFunctionRules(rules);
  addGammaRules(rules);
  rules.add<LogOp>().tangent([](Emit &e, LogOp op, Values t) { return e.div(t[0], op.getOperand()); });
  rules.add<Log1pOp>().tangent(
      [](Emit &e, Log1pOp op, Values t) { return e.div(t[0], e.add(op.getOperand(), e.splatLike(op.getOperand(), 1))); });
  rules.add<SignOp>().constant();
  rules.add<FloorOp>().constant();
  rules.add<CeilOp>().constant();
  rules.add<TruncOp>().constant();
  rules.add<RoundOp>().constant();
  rules.add<RoundHalfAwayOp>().constant();
  rules.add<FloorDivOp>().constant();
  rules.add<BitcastOp>().constant();
  // There is no tangent, but a linear map that contains the op must not change under transposition.
  rules.add<StopGradientOp>().constant().linearInFirst([](Emit &, StopGradientOp, Values, Value c) { return c; });
  rules.add<ConvertOp>()
      .linearWhere([](ConvertOp op, ArrayRef<unsigned>) { return isFloatTensor(op.getType()); })
      .linearInFirst(
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
        if (op.getLhs() == op.getRhs() && t[0] == t[1]) // a square has the same factor on both sides
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
  rules.add<FloorModOp>().tangent([](Emit &e, FloorModOp op, Values t) {
    if (!t[1])
      return t[0];
    return e.plus(t[0], e.mul(t[1], e.neg(e.make<FloorDivOp>(op.getLhs(), op.getRhs()))));
  });
  rules.add<FmaOp>().tangent([](Emit &e, FmaOp op, Values t) {
    Value product = e.plus(t[0] ? e.mul(t[0], op.getRhs()) : Value(), t[1] ? e.mul(t[1], op.getLhs()) : Value());
    return e.plus(product, t[2]);
  });
  rules.add<LdexpOp>().linearInFirst([](Emit &e, LdexpOp, Values a, Value c) { return e.make<LdexpOp>(c, a[1]); });
  // a - q * b with q = trunc(a / b), recovered from the result, where rounding cannot change it
  rules.add<RemOp>().tangent([](Emit &e, RemOp op, Values t) {
    if (!t[1])
      return t[0];
    Value quotient = e.make<RoundOp>(e.div(e.sub(op.getLhs(), op.getResult()), op.getRhs()));
    return e.plus(t[0], e.mul(t[1], e.neg(quotient)));
  });
}

/// Returns ta * b * a^(b - 1) + tb * y * log a; the second term is 0 at a = 0, the first at b = 0 (also where a^-1 is
/// infinite).
static Value powTangent(Emit &e, PowOp op, Values t) {
  Value a = op.getLhs(), b = op.getRhs(), one = e.splatLike(b, 1), zero = e.splatLike(b, 0), total;
  if (t[0]) {
    Value exponent = e.select(e.compare(CompareKind::EQ, b, zero), one, e.sub(b, one));
    total = e.mul(t[0], e.mul(b, e.make<PowOp>(a, exponent)));
  }
  if (t[1]) {
    Value base = e.select(e.compare(CompareKind::EQ, a, zero), one, a); // log 1 is 0, and avoids a product with an infinity
    total = e.plus(total, e.mul(t[1], e.mul(op.getResult(), e.make<LogOp>(base))));
  }
  return total;
}

/// Shares the tangent among operands that equal the result. A NaN result equals none: 0 / 0 propagates the NaN.
template <typename Op>
static Value extremumTangent(Emit &e, Op op, Values t) {
  Type element = typeOf(op.getResult()).getElementType();
  SmallVector<Value> wins;
  Value total, sum;
  for (Value operand : op->getOperands()) {
    wins.push_back(e.convert(e.compare(CompareKind::EQ, operand, op.getResult()), element));
    total = e.plus(total, wins.back());
  }
  for (size_t i = 0; i < wins.size(); ++i)
    if (t[i])
      sum = e.plus(sum, e.mul(t[i], e.div(wins[i], total)));
  return sum;
}

static void addPlaneRules(Rules &rules) {
  // The angle of (x, y): (ty * x - tx * y) / (x^2 + y^2), over one root at a time so that no square overflows
  rules.add<Atan2Op>().tangent([](Emit &e, Atan2Op op, Values t) {
    Value y = op.getLhs(), x = op.getRhs(), radius = e.make<HypotOp>(y, x);
    Value byY = t[0] ? e.mul(t[0], e.div(e.div(x, radius), radius)) : Value();
    return e.plus(byY, t[1] ? e.mul(t[1], e.neg(e.div(e.div(y, radius), radius))) : Value());
  });
  // (tx * x + ty * y) / y, 0 at the origin
  rules.add<HypotOp>().tangent([](Emit &e, HypotOp op, Values t) {
    Value radius = op.getResult(), origin = e.compare(CompareKind::EQ, radius, e.splatLike(radius, 0)), sum;
    Value divisor = e.select(origin, e.splatLike(radius, 1), radius);
    for (int i : {0, 1})
      if (t[i])
        sum = e.plus(sum, e.mul(t[i], e.div(op->getOperand(i), divisor)));
    return sum;
  });
  rules.add<CopysignOp>().tangent([](Emit &e, CopysignOp op, Values t) {
    if (!t[0])
      return e.zeros(op.getType());
    Value turned = e.make<CopysignOp>(e.splatLike(op.getLhs(), 1), op.getRhs());
    return e.mul(t[0], e.mul(e.make<SignOp>(op.getLhs()), turned));
  });
  rules.add<NextafterOp>().tangent([](Emit &e, NextafterOp op, Values t) { return t[0] ? t[0] : e.zeros(op.getType()); });
}

void autodiff::addElementwiseRules(Rules &rules) {
  addUnaryRules(rules);
  addSumRules(rules);
  addProductRules(rules);
  rules.add<PowOp>().tangent(powTangent);
  rules.add<MaxOp>().tangent(extremumTangent<MaxOp>);
  rules.add<MinOp>().tangent(extremumTangent<MinOp>);
  rules.add<ClampOp>().tangent(extremumTangent<ClampOp>);
  addPlaneRules(rules);
}
