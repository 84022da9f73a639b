// Code that single- and double-precision operations share: flushing, NaN, saturation.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lanes.h"

#include <cmath>

namespace standin {

/// .ftz: subnormal values become zeros of their sign.
inline float flush(float value) {
  const u32 bits = floatToBits(value);
  return bitsToFloat((bits & 0x7f800000u) ? bits : bits & 0x80000000u);
}
/// Single-precision results that are NaN are this one (PTX ISA, "Floating-Point Instructions").
inline float canonical(float value) { return value == value ? value : bitsToFloat(0x7fffffffu); }
inline double canonical(double value) { return value; }

/// Towards zero, as tensor cores round the sums that they keep in f32; what is beyond their range is infinite.
inline float truncated(double value) {
  const float nearest = static_cast<float>(value);
  if (std::fabs(value) >= 0x1p128)
    return nearest;
  return std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}
/// .sat: to [0, 1], NaN to 0.
template <class T>
T saturated(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

/// fma of the arguments' type, rounded as told; RoundedOps.cpp has them because the compiler must not move them.
template <class T>
T roundedAdd(T a, T b, Rounding rounding);
template <class T>
T roundedMul(T a, T b, Rounding rounding);
template <class T>
T roundedFma(T a, T b, T c, Rounding rounding);
template <class T>
T roundedDiv(T a, T b, Rounding rounding);
template <class T>
T roundedSqrt(T a, Rounding rounding);
float roundedNarrow(double value, Rounding rounding);
float roundedFromInteger(s64 value, bool isUnsigned, Rounding rounding);
double roundedDoubleFromInteger(s64 value, bool isUnsigned, Rounding rounding);

} // namespace standin
