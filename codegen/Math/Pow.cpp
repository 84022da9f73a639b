// pow: signs, and operands and results that are not normal numbers.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

/// Returns x^y, given |x|^y: sets the sign for a negative x, and the results that are 1 or NaN for any |x|^y.
Real withSignAndOnes(Real x, Real y, Real result) {
  Real magnitude = abs(x);
  // Infinity and every number above 2^fractionBits is an even integer.
  Mask integral = trunc(y) == y;
  Real half = y * 0.5;
  Mask odd = integral & (trunc(half) != half);
  result = select(odd, copysign(result, x), result);
  Mask invalid = (x < 0.0) & (x > -x.infinity()) & !integral & (y == y);
  result = select(invalid, std::numeric_limits<double>::quiet_NaN(), result);
  Mask one = (x == 1.0) | (y == 0.0) | ((magnitude == 1.0) & (abs(y) == x.infinity()));
  return select(one, 1.0, result);
}

/// Computes pow in f32, with one branch that is skipped if all x and results of a vector are positive normal numbers.
Real powInSingles(Real x, Real y) {
  Real magnitude = abs(x);
  NormalPower power = powNormalSingle(magnitude, y);
  Real size = abs(power.logarithm);
  Mask finite = magnitude < x.infinity(), inRange = size < 126.0; // false for NaN
  Mask fast = (x >= 0x1p-126) & finite & inRange;
  return ifAny(!fast, power.value, [&] {
    // If x is 0 or infinite, or the result is far out of range, the result is 0 or infinite.
    Mask normal = (magnitude >= 0x1p-126) & finite, zero = magnitude == 0.0;
    Real towards = select(normal, power.logarithm, select(zero, -y, y));
    Mask far = (normal & (size >= 200.0)) | ((zero | (magnitude == x.infinity())) & (y == y));
    Real result = select(far, select(towards > 0.0, x.infinity(), x.like(0.0)), power.value);
    result = ifAny(!(far | (normal & inRange)), result, [&] { return powWideSingle(magnitude, y); });
    return withSignAndOnes(x, y, result);
  });
}

} // namespace

Real pow(Real x, Real y) {
  if (x.isSingle() && x.emitter->hasFMA)
    return powInSingles(x, y);
  Real magnitude = abs(x);
  return withSignAndOnes(x, y, x.isSingle() ? powWideSingle(magnitude, y) : powMagnitudeDouble(magnitude, y));
}

} // namespace lathe::elementary
