// The narrow floating-point formats: conversion to and from float, rounded to nearest even unless told.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

#include <bit>
#include <cmath>

namespace standin {

enum class Rounding : u8 { NearestEven, Zero, Down, Up, NearestAway };

inline float bitsToFloat(u32 bits) { return std::bit_cast<float>(bits); }
inline u32 floatToBits(float value) { return std::bit_cast<u32>(value); }
inline float halfToFloat(u16 bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
inline float bfloatToFloat(u16 bits) { return bitsToFloat(static_cast<u32>(bits) << 16); }

/// A binary format below float: sign, `exponent` bits, `mantissa` bits.
struct SmallFormat {
  int exponent, mantissa;
  bool hasInfinity; // e4m3 has none: its largest exponent holds numbers, all ones is NaN
  int bias() const { return (1 << (exponent - 1)) - 1; }
  u32 nan() const { return hasInfinity ? (1u << (exponent + mantissa)) - 1 : (1u << (exponent + mantissa)) - 1; }
  u32 infinity() const { return ((1u << exponent) - 1) << mantissa; }
  u32 largest() const { return hasInfinity ? infinity() - 1 : nan() - 1; }
};

constexpr SmallFormat half{5, 10, true}, bfloat{8, 7, true}, tensorFloat{8, 10, true}, e4m3{4, 3, false}, e5m2{5, 2, true};

/// `value` in `format`. saturate: what is too large becomes the largest number, not infinity.
inline u32 roundTo(const SmallFormat &format, double value, Rounding rounding = Rounding::NearestEven, bool saturate = false) {
  const u32 sign = std::signbit(value) ? 1u << (format.exponent + format.mantissa) : 0;
  if (value != value)
    return format.nan();
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  const bool away = (rounding == Rounding::Up && !sign) || (rounding == Rounding::Down && sign);
  const bool nearest = rounding == Rounding::NearestEven || rounding == Rounding::NearestAway;
  u64 code;
  if (std::isinf(magnitude)) {
    code = u64(1) << 40;
  } else {
    int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
    // In units of the last place the value is exact in a double: scaling by powers of two loses nothing.
    const double units = std::ldexp(magnitude, format.mantissa - exponent);
    double whole = std::floor(units);
    const double rest = units - whole;
    if (nearest ? rest > 0.5 || (rest == 0.5 && (rounding == Rounding::NearestAway || std::fmod(whole, 2) != 0))
                : away && rest > 0)
      whole += 1;
    // A mantissa that overflows carries into the exponent field, which is what the addition does.
    code = static_cast<u64>(exponent + format.bias() - 1) << format.mantissa;
    code += static_cast<u64>(whole);
  }
  if (code > format.largest()) {
    const bool clamp = saturate || !format.hasInfinity || (!nearest && !away && std::isfinite(magnitude));
    code = clamp ? format.largest() : format.infinity();
    if (!saturate && !format.hasInfinity)
      code = format.nan();
  }
  return sign | static_cast<u32>(code);
}

/// The value of a code of `format`.
inline float fromSmall(const SmallFormat &format, u32 code) {
  const u32 signBit = 1u << (format.exponent + format.mantissa);
  const float sign = code & signBit ? -1.0f : 1.0f;
  const u32 magnitude = code & (signBit - 1);
  if (format.hasInfinity ? magnitude > format.infinity() : magnitude == format.nan())
    return bitsToFloat(0x7fffffff);
  if (format.hasInfinity && magnitude == format.infinity())
    return sign * INFINITY;
  const u32 exponent = magnitude >> format.mantissa, mantissa = magnitude & ((1u << format.mantissa) - 1);
  const int scale = static_cast<int>(exponent ? exponent : 1) - format.bias() - format.mantissa;
  return sign * std::ldexp(static_cast<float>(exponent ? mantissa + (1u << format.mantissa) : mantissa), scale);
}

// The device's NaN of either format is all ones below the sign.
inline u16 floatToHalf(float value) { return value != value ? 0x7fff : std::bit_cast<u16>(static_cast<_Float16>(value)); }
inline u16 floatToBfloat(float value) {
  const u32 bits = floatToBits(value);
  return value != value ? 0x7fff : static_cast<u16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
/// Converts a float whose low 13 bits the tensor cores ignore.
inline float tensorFloatToFloat(u32 bits) { return bitsToFloat(bits & 0xffffe000u); }

/// An element of a matrix operand, which a double holds exactly: h bf16, t tf32, e and g floats of 8 bits, s and u integers of
/// 8; else a float of so many bits.
inline double matrixElement(char kind, u32 bits, u64 value) {
  switch (kind) {
  case 'h':
    return bfloatToFloat(static_cast<u16>(value));
  case 't':
    return tensorFloatToFloat(static_cast<u32>(value));
  case 'e':
    return fromSmall(e4m3, value & 0xff);
  case 'g':
    return fromSmall(e5m2, value & 0xff);
  case 's':
    return static_cast<s8>(value);
  case 'u':
    return static_cast<u8>(value);
  default:
    return bits == 64   ? std::bit_cast<double>(value)
           : bits == 32 ? bitsToFloat(static_cast<u32>(value))
                        : halfToFloat(static_cast<u16>(value));
  }
}

} // namespace standin
