/* The x86-64 level of this CPU and operating system.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "lathe/runtime.h"

#ifdef __x86_64__
#include <cpuid.h>

typedef struct features {
  uint32_t leaf1_ecx, leaf7_ebx, extended_ecx, xcr0;
} features;

enum {
  XCR0_AVX = 0x06,   /* xmm, ymm saved by the system */
  XCR0_AVX512 = 0xE6 /* and mask registers, both halves of zmm */
};

static features probe(void) {
  features f = {0, 0, 0, 0};
  uint32_t a, b, c, d;
  /* __get_cpuid first checks the largest leaf of either range. */
  if (__get_cpuid(1, &a, &b, &c, &d))
    f.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
    f.leaf7_ebx = b;
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
    f.extended_ecx = c;
  if (f.leaf1_ecx & bit_OSXSAVE) {
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(f.xcr0), "=d"(high) : "c"(0));
  }
  return f;
}

static int has(uint32_t value, uint32_t bits) { return (value & bits) == bits; }

uint32_t lathe_cpu_level(void) {
  const uint32_t v2 = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B;
  const uint32_t v3 = bit_AVX | bit_FMA | bit_F16C | bit_MOVBE;
  const uint32_t v3_leaf7 = bit_AVX2 | bit_BMI | bit_BMI2;
  const uint32_t v4_leaf7 = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  const features f = probe();

  if (!has(f.leaf1_ecx, v2) || !has(f.extended_ecx, bit_LAHF_LM))
    return 1;
  if (!has(f.leaf1_ecx, v3) || !has(f.leaf7_ebx, v3_leaf7) || !has(f.extended_ecx, bit_LZCNT) || !has(f.xcr0, XCR0_AVX))
    return 2;
  if (!has(f.leaf7_ebx, v4_leaf7) || !has(f.xcr0, XCR0_AVX512))
    return 3;
  return 4;
}

#else

uint32_t lathe_cpu_level(void) { return 0; }

#endif
