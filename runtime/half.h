/* f16 and bf16, which C lacks, as f32.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_HALF_H
#define LATHE_RUNTIME_HALF_H

#include <stdint.h>
#include <string.h>

static inline float lathe_float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t lathe_bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float lathe_float_of_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = (half >> 10) & 31, significand = half & 1023;
  if (exponent == 31)
    return lathe_float_of_bits(sign | 0x7f800000u | significand << 13);
  if (exponent == 0) {
    const float magnitude = (float)significand * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return lathe_float_of_bits(sign | (exponent + 112) << 23 | significand << 13);
}

static inline float lathe_float_of_brain(uint16_t brain) { return lathe_float_of_bits((uint32_t)brain << 16); }

/* Rounds to nearest, ties to even, like the next one. A NaN becomes the quiet one of its sign. */
static inline uint16_t lathe_half_of_float(float value) {
  const uint32_t bits = lathe_bits_of_float(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return (uint16_t)(sign | 0x7e00);
  if (magnitude >= 0x47800000) /* 65536 */
    return (uint16_t)(sign | 0x7c00);
  if (magnitude < 0x38800000) { /* below the least normal half: at 0.5, the unit of f32 is that of subnormal halves */
    const float shifted = lathe_float_of_bits(magnitude) + 0.5f;
    return (uint16_t)(sign | (lathe_bits_of_float(shifted) - 0x3f000000));
  }
  const uint32_t rounded = magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1);
  return (uint16_t)(sign | rounded >> 13); /* a carry out of 65504 gives infinity */
}

static inline uint16_t lathe_brain_of_float(float value) {
  const uint32_t bits = lathe_bits_of_float(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t)((bits >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif /* LATHE_RUNTIME_HALF_H */
