// Special functions of CHLO that Lathe has no ops for: series of elementary ones.
#include "lib/Import/StableHLO/Operators/Bodies.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// Arithmetic on tensors of one floating-point type.
struct Arithmetic {
  Value number(double value) { return node.constant(value, element); }
  Value add(Value a, Value b) { return node.emit<AddOp>({a, b}); }
  Value sub(Value a, Value b) { return node.emit<SubOp>({a, b}); }
  Value mul(Value a, Value b) { return node.emit<MulOp>({a, b}); }
  Value div(Value a, Value b) { return node.emit<DivOp>({a, b}); }
  Value pow(Value a, Value b) { return node.emit<PowOp>({a, b}); }
  Value choose(Value predicate, Value yes, Value no) { return node.emit<SelectOp>({predicate, yes, no}); }
  Value equal(Value a, Value b) { return node.compare(CompareKind::EQ, a, b); }
  Value less(Value a, Value b) { return node.compare(CompareKind::LT, a, b); }
  Value both(Value a, Value b) { return node.emit<AndOp>({a, b}); }
  Value isInteger(Value a) { return equal(a, node.emit<FloorOp>(a)); }

  HloNode &node;
  Type element;
};
} // namespace

/// Returns a Chebyshev series at x in [-1, 1], by Clenshaw's recurrence, without the terms below the element type's rounding.
static Value chebyshev(Arithmetic a, Value x, ArrayRef<double> terms) {
  double least = a.element.isF64() ? 1e-18 : 1e-10;
  while (std::abs(terms.back()) < least)
    terms = terms.drop_back();
  Value twice = a.mul(x, a.number(2)), next = a.number(0), last = a.number(0);
  for (double term : llvm::reverse(terms.drop_front()))
    std::tie(next, last) = std::pair(a.add(a.sub(a.mul(twice, next), last), a.number(term)), next);
  return a.add(a.sub(a.mul(x, next), last), a.number(terms[0]));
}

/// Converts exp(-|x|) I1(x), of the modified Bessel function. The terms are those of exp(-x) I1(x) / x over [0, 8], by x / 4 -
/// 1, and of sqrt(x) exp(-x) I1(x) from 8 on, by 16 / x - 1, computed with 40 digits.
static void besselI1e(HloNode &node) {
  static constexpr double kSmall[] = {
      1.2629359322181683e-1,  -1.7641651835783406e-1,  1.0264365868984710e-1,  -5.2945981208094991e-2,
      2.4726449030626517e-2,  -1.0564084894626198e-2,  4.1564229443128882e-3,  -1.5135724506312531e-3,
      5.1228595616857577e-4,  -1.6176081582589675e-4,  4.7815651075500542e-5,  -1.3273163656039436e-5,
      3.4702513081376785e-6,  -8.5687202646954547e-7,  2.0032947535521353e-7,  -4.4450591287963281e-8,
      9.3815373864957718e-9,  -1.8872497517228293e-9,  3.6255902815521170e-10, -6.6634897235020277e-11,
      1.1736186298890902e-11, -1.9839743977649437e-12, 3.2237933659455747e-13, -5.0421855047279117e-14,
      7.6006842947354069e-15, -1.1055969477353863e-15, 1.5536319577362005e-16, -2.1114212143581661e-17,
      2.7779141127610464e-18};
  static constexpr double kLarge[] = {
      3.8928811750914006e-1,   -9.7610974913614684e-3,  -1.1058893876262372e-4,  -3.8825648088776904e-6,
      -2.5122362378702089e-7,  -2.6314688468895195e-8,  -3.8353803859642370e-9,  -5.5897434621965838e-10,
      -1.8974958123505412e-11, 3.2526035830154882e-11,  1.4125807436613781e-11,  2.0356285441470895e-12,
      -7.1985517762459085e-13, -4.0835511110921973e-13, -2.1015418427726643e-14, 4.2724400167119514e-14,
      1.0420276984128802e-14,  -3.8144030724370065e-15, -1.8803547755107806e-15, 3.3082023109208502e-16,
      2.9626289976460158e-16,  -3.2095259219916369e-17, -4.6503053684947829e-17, 4.4143483230939370e-18,
      7.5172963110113977e-18,  -9.3141788709072627e-19, -1.2421932752759928e-18};
  Arithmetic a{node, node.wide(node.element(0))};
  Value given = node.convert(node.operand(0), a.element), x = node.emit<AbsOp>(given), bound = a.number(8);
  // Each series sees the bound where the other one counts, so that no derivative of what is not chosen is infinite.
  Value near = node.emit<MinOp>({x, bound}), far = node.emit<MaxOp>({x, bound});
  Value small = a.mul(chebyshev(a, a.sub(a.mul(near, a.number(0.25)), a.number(1)), kSmall),
                      node.emit<ClampOp>({a.number(-8), given, bound}));
  Value large = a.div(chebyshev(a, a.sub(a.div(a.number(16), far), a.number(1)), kLarge), node.emit<SqrtOp>(far));
  Value isNegative = a.less(given, a.number(0));
  Value result = a.choose(a.less(x, bound), small, a.choose(isNegative, node.emit<NegOp>(large), large));
  node.set(0, node.convert(a.choose(node.emit<IsNanOp>(given), given, result), node.element(0)));
}

/// Returns Hurwitz's zeta function, the sum of (q + k)^-s over k = 0, 1, ...: the first terms, and the others by the formula of
/// Euler and Maclaurin. As in XLA it is infinite at s = 1, and NaN below and where s is not an integer and q is below 0.
static Value zeta(Arithmetic a, Value s, Value q) {
  // B(2j) / (2j)! for j = 1, 2, ...
  static constexpr double kBernoulli[] = {1.0 / 12,
                                          -1.0 / 720,
                                          1.0 / 30240,
                                          -1.0 / 1209600,
                                          1.0 / 47900160,
                                          -691.0 / 1307674368000.0,
                                          1.0 / 74724249600.0,
                                          -3617.0 / 10670622842880000.0,
                                          43867.0 / 5109094217170944000.0,
                                          -174611.0 / 802857662698291200000.0,
                                          77683.0 / 14101100039391805440000.0,
                                          -236364091.0 / 1693824136731743669452800000.0};
  constexpr int kTerms = 9;
  HloNode &node = a.node;
  Value negative = node.emit<NegOp>(s), sum = a.pow(q, negative), power = sum, base = q;
  for (int k = 1; k <= kTerms; ++k) {
    base = a.add(q, a.number(k));
    power = a.pow(base, negative);
    if (k < kTerms)
      sum = a.add(sum, power);
  }
  // The Euler-Maclaurin formula gives the rest of the sum, from `base` on: it is base^-s times (base / (s - 1) + 1 / 2 + the
  // sum of B(2j) / (2j)! s (s + 1) ... (s + 2j - 2) / base^(2j - 1)).
  Value factor = a.div(s, base), squared = a.mul(base, base);
  Value series = a.add(a.div(base, a.sub(s, a.number(1))), a.number(0.5));
  for (size_t j = 0; j < std::size(kBernoulli); ++j) {
    series = a.add(series, a.mul(factor, a.number(kBernoulli[j])));
    Value next = a.mul(a.add(s, a.number(double(2 * j + 1))), a.add(s, a.number(double(2 * j + 2))));
    factor = a.mul(factor, a.div(next, squared));
  }
  double rounding = a.element.isF64() ? 0x1p-53 : 0x1p-24;
  Value isSmall = a.less(node.emit<AbsOp>(power), a.mul(node.emit<AbsOp>(sum), a.number(rounding / 1024)));
  Value result = a.choose(isSmall, sum, a.add(sum, a.mul(power, series)));
  Value zero = a.number(0), nan = a.number(NAN), infinite = a.number(INFINITY);
  Value isEven = a.isInteger(a.mul(s, a.number(0.5)));
  Value below = a.choose(a.isInteger(q), a.choose(isEven, infinite, nan), a.choose(a.isInteger(s), result, nan));
  result = a.choose(node.compare(CompareKind::LE, q, zero), below, result);
  result = a.choose(a.less(s, a.number(1)), nan, a.choose(a.equal(s, a.number(1)), infinite, result));
  Value isNan = node.emit<OrOp>({node.emit<IsNanOp>(s), node.emit<IsNanOp>(q)});
  return a.choose(isNan, nan, result);
}

static void zetaFunction(HloNode &node) {
  Arithmetic a{node, node.wide(node.element(0))};
  node.set(0, node.convert(zeta(a, node.convert(node.operand(0), a.element), node.convert(node.operand(1), a.element)),
                           node.element(0)));
}

/// Converts the derivative of digamma of the order that the first operand is: (-1)^(n + 1) n! zeta(n + 1, x) where it is data.
static void polygamma(HloNode &node) {
  auto order = splatOf(node.operand(0));
  auto real = order ? dyn_cast<FloatAttr>(*order) : FloatAttr();
  double number = real ? real.getValueAsDouble() : -1;
  if (number == std::floor(number) && number >= 0 && number <= 32) {
    Value x = node.operand(1);
    return node.set(0,
                    number == 0 ? node.emit<DigammaOp>(x) : node.emit<PolygammaOp>(x, node.number("order", int64_t(number))));
  }
  Arithmetic a{node, node.wide(node.element(0))};
  Value n = node.convert(node.operand(0), a.element), x = node.convert(node.operand(1), a.element);
  Value zero = a.number(0), next = a.add(n, a.number(1));
  Value isEven = a.isInteger(a.mul(n, a.number(0.5)));
  Value size = a.mul(node.emit<ExpOp>(node.emit<LgammaOp>(next)), zeta(a, next, x));
  Value result = a.choose(isEven, node.emit<NegOp>(size), size);
  result = a.choose(a.equal(n, zero), node.emit<DigammaOp>(x), result);
  Value isOrder = a.both(node.compare(CompareKind::GE, n, zero), a.isInteger(n));
  node.set(0, node.convert(a.choose(isOrder, result, a.number(NAN)), node.element(0)));
}

void hloimport::addSpecial(Converters &converters) {
  converters["chlo.bessel_i1e"] = besselI1e;
  converters["chlo.zeta"] = zetaFunction;
  converters["chlo.polygamma"] = polygamma;
}
