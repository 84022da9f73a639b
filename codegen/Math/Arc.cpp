// Inverse trigonometric functions. Coefficients: scripts/fit-math.py.
//
//   atan, atan2: subtract 0, pi/4 or pi/2, so that the tangent of the rest is at most tan(pi/8); an odd polynomial of it
//   asin, acos:  an odd polynomial of x up to 1/2, and of sqrt((1 - |x|) / 2) above, where the derivative grows without bound
//
// Multiples of pi/4 are sums of two numbers, so that adding one costs a single rounding.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// atan(r) = r + r t p(t), t = r^2, |r| <= tan(pi/8)
constexpr double atanSingle[] = {-0x1.55554ap-2, 0x1.9991e2p-3, -0x1.23b9a2p-3, 0x1.b22456p-4, -0x1.f2e5a8p-5};
constexpr double atanDouble[] = {-0x1.555555555553dp-2, 0x1.9999999995864p-3, -0x1.24924922ad210p-3, 0x1.c71c70e5f27cdp-4,
                                 -0x1.745cf8d8efa52p-4, 0x1.3b1118dcc1caep-4, -0x1.10ebb57151e18p-4, 0x1.df0f222599526p-5,
                                 -0x1.9cd20530c458fp-5, 0x1.37d3d4f0f135ep-5, -0x1.25666765f7180p-6};
// asin(s) = s + s t p(t), t = s^2 <= 1/4
constexpr double asinSingle[] = {0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bcp-5, 0x1.8c3db4p-6, 0x1.595d26p-5};
constexpr double asinDouble[] = {0x1.5555555555577p-3, 0x1.333333332e131p-4, 0x1.6db6db721268dp-5, 0x1.f1c71a94f1f21p-6,
                                 0x1.6e8bdee0727b0p-6, 0x1.1c49f05749a35p-6, 0x1.ca1f8e308f76ap-7, 0x1.7585815ec11bdp-7,
                                 0x1.613cc7e58f472p-7, 0x1.e5f137651e7c8p-9, 0x1.639e0301049c5p-6, -0x1.580010ee9ecb0p-6,
                                 0x1.0b47a9ccf594dp-5};

/// A multiple of pi/4 as high + low.
struct Angle {
  Real high, low;
};
Angle angleLike(Real x, int quarters) {
  double high = x.pick(0x1.921fb6p-1, 0x1.921fb54442d18p-1), low = x.pick(-0x1.777a5cp-26, 0x1.1a62633145c07p-55);
  // Three times pi/4 does not fit: the high part is rounded, and the low part compensates.
  double product = x.isSingle() ? double(float(quarters * high)) : quarters * high;
  double lost = std::fma(double(quarters), high, -product);
  return {x.like(product), x.like(lost + quarters * low)};
}
Angle select(Mask mask, Angle yes, Angle no) {
  return {elementary::select(mask, yes.high, no.high), elementary::select(mask, yes.low, no.low)};
}

/// Returns the angle of the point (p, q) with p, q >= 0, or pi minus it if `obtuse` is set.
Real angleOf(Real q, Real p, Mask obtuse) {
  // Subtract pi/4 or pi/2, so that the quotient is at most tan(pi/8).
  Mask steep = q > p * 0x1.3504f333f9de6p+1, equal = q == p; // 0 / 0 and inf / inf have no quotient
  Mask middle = (q > p * 0x1.a827999fcef32p-2) | equal;
  Real r = select(steep, -p, select(middle, q - p, q)) / select(steep, q, select(middle, q + p, p));
  r = select(equal, 0.0, r);
  Mask quarter = middle & (q != 0.0);
  Angle none = {q.like(0.0), q.like(0.0)}, right = angleLike(q, 2);
  Angle acute = select(steep, right, select(quarter, angleLike(q, 1), none));
  Angle beyond = select(steep, right, select(quarter, angleLike(q, 3), angleLike(q, 4)));
  Angle offset = select(obtuse, beyond, acute);
  r = select(obtuse, -r, r);
  Real t = r * r;
  return offset.high + (r + fma(r * t, polynomial(t, q.pick(atanSingle, atanDouble)), offset.low));
}

/// asin(s) - s for |s| <= 1/2, t = s^2.
Real asinTail(Real s, Real t) { return s * t * polynomial(t, s.pick(asinSingle, asinDouble)); }

} // namespace

Real atan(Real x) {
  Mask never = x.like(0.0) != 0.0;
  return copysign(angleOf(abs(x), x.like(1.0), never), x);
}

Real atan2(Real y, Real x) {
  Real q = abs(y), p = abs(x);
  // The sum of two huge numbers must stay finite; if scaling by 1/4 makes one denormal, it is negligible. Products of two tiny
  // numbers would be rounded as denormals, so they are scaled up.
  double huge = std::ldexp(1.0, x.exponentBias() - 1), far = std::ldexp(1.0, x.exponentBias() / 2);
  Real scale = select((q > huge) | (p > huge), 0.25, x.like(1.0));
  scale = select((q < 1 / far) & (p < 1 / far), far, scale);
  return copysign(angleOf(q * scale, p * scale, x.signBit() != 0), y);
}

Real asin(Real x) {
  Real magnitude = abs(x);
  Mask small = magnitude < 0.5;
  // From 1/2 on: pi/2 - 2 asin(sqrt((1 - x) / 2)).
  Real t = select(small, x * x, (1.0 - magnitude) * 0.5);
  Real s = select(small, magnitude, sqrt(t));
  Real tail = asinTail(s, t);
  Angle right = angleLike(x, 2);
  Real large = right.high - 2.0 * s;
  Real lost = (right.high - large) - 2.0 * s;
  large = large + ((lost + right.low) - 2.0 * tail);
  return copysign(select(small, s + tail, large), x);
}

Real acos(Real x) {
  Real magnitude = abs(x);
  Mask small = magnitude < 0.5;
  Real t = select(small, x * x, (1.0 - magnitude) * 0.5);
  Real s = select(small, x, sqrt(t));
  Real tail = asinTail(s, t);
  Angle right = angleLike(x, 2), straight = angleLike(x, 4);
  // Below -1/2: pi - 2 asin(s); above 1/2: 2 asin(s); between: pi/2 - asin(x).
  Mask left = x < 0.0;
  Angle from = select(small, right, select(left, straight, Angle{x.like(0.0), x.like(0.0)}));
  Real factor = select(small, -1.0, select(left, -2.0, x.like(2.0)));
  Real main = factor * s, y = from.high + main;
  Real lost = main - (y - from.high);
  return y + ((lost + from.low) + factor * tail);
}

} // namespace lathe::elementary
