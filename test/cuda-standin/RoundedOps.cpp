// Arithmetic in other rounding modes than the nearest. Compiled with -frounding-math.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Floats.h"

#include <cfenv>

namespace standin {

namespace {
/// The CPU's rounding mode for the time of a scope.
class Mode {
public:
  explicit Mode(Rounding rounding) : before(fegetround()) {
    fesetround(rounding == Rounding::Zero   ? FE_TOWARDZERO
               : rounding == Rounding::Down ? FE_DOWNWARD
               : rounding == Rounding::Up   ? FE_UPWARD
                                            : FE_TONEAREST);
  }
  ~Mode() { fesetround(before); }

private:
  int before;
};
/// Keeps a computation between the changes of the mode.
template <class T>
T kept(T value) {
  volatile T held = value;
  return held;
}
} // namespace

template <class T>
T roundedAdd(T a, T b, Rounding rounding) {
  const Mode mode(rounding);
  return kept(kept(a) + kept(b));
}
template <class T>
T roundedMul(T a, T b, Rounding rounding) {
  const Mode mode(rounding);
  return kept(kept(a) * kept(b));
}
template <class T>
T roundedFma(T a, T b, T c, Rounding rounding) {
  const Mode mode(rounding);
  return kept(std::fma(kept(a), kept(b), kept(c)));
}
template <class T>
T roundedDiv(T a, T b, Rounding rounding) {
  const Mode mode(rounding);
  return kept(kept(a) / kept(b));
}
template <class T>
T roundedSqrt(T a, Rounding rounding) {
  const Mode mode(rounding);
  return kept(std::sqrt(kept(a)));
}
float roundedNarrow(double value, Rounding rounding) {
  const Mode mode(rounding);
  return kept(static_cast<float>(kept(value)));
}
float roundedFromInteger(s64 value, bool isUnsigned, Rounding rounding) {
  const Mode mode(rounding);
  return isUnsigned ? kept(static_cast<float>(static_cast<u64>(kept(value)))) : kept(static_cast<float>(kept(value)));
}
double roundedDoubleFromInteger(s64 value, bool isUnsigned, Rounding rounding) {
  const Mode mode(rounding);
  return isUnsigned ? kept(static_cast<double>(static_cast<u64>(kept(value)))) : kept(static_cast<double>(kept(value)));
}

template float roundedAdd(float, float, Rounding);
template double roundedAdd(double, double, Rounding);
template float roundedMul(float, float, Rounding);
template double roundedMul(double, double, Rounding);
template float roundedFma(float, float, float, Rounding);
template double roundedFma(double, double, double, Rounding);
template float roundedDiv(float, float, Rounding);
template double roundedDiv(double, double, Rounding);
template float roundedSqrt(float, Rounding);
template double roundedSqrt(double, Rounding);

} // namespace standin
