/* The x86-64 level of this CPU and operating system. Levels 5 and 6 add the dot products of AVX-512 to x86-64-v4.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "internal.h"

const char *lathe_level_name(int64_t level) {
  static const char names[][15] = {"none",      "x86-64-v1",      "x86-64-v2",     "x86-64-v3",
                                   "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-bf16"};
  const uint64_t count = sizeof names / sizeof names[0];
  return names[(uint64_t)level < count ? level : 0];
}

#ifdef __x86_64__
#include <cpuid.h>

enum {
  XCR0_AVX = 0x06,       /* xmm, ymm saved by the system */
  XCR0_AVX512 = 0xE6,    /* and mask registers, both halves of zmm */
  AVX512_VNNI = 1 << 11, /* of leaf 7, ecx */
  AVX512_BF16 = 1 << 5   /* of part 1 of leaf 7, eax */
};

static int has(uint32_t value, uint32_t bits) { return (value & bits) == bits; }

uint32_t lathe_cpu_level(void) {
  const uint32_t v2 = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B;
  const uint32_t v3 = bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C | bit_MOVBE;
  const uint32_t v3_leaf7 = bit_AVX2 | bit_BMI | bit_BMI2;
  const uint32_t v4_leaf7 = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  uint32_t a, b, c, d, first, extended, saved, high;

  __cpuid(0x80000001u, a, b, extended, d); /* every x86-64 has these two */
  __cpuid(1, a, b, first, d);
  if (!has(first, v2) || !has(extended, bit_LAHF_LM))
    return 1;
  if (!has(first, v3) || !has(extended, bit_LZCNT) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, v3_leaf7))
    return 2;
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  if (!has(saved, XCR0_AVX))
    return 2;
  if (!has(b, v4_leaf7) || !has(saved, XCR0_AVX512))
    return 3;
  if (!has(c, AVX512_VNNI))
    return 4;
  if (a == 0) /* the leaf has one part */
    return 5;
  __cpuid_count(7, 1, a, b, c, d);
  return has(a, AVX512_BF16) ? 6 : 5;
}

#else

uint32_t lathe_cpu_level(void) { return 0; }

#endif
