// Single instructions compared with the same computed here.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <algorithm>
#include <bit>
#include <cfenv>

using namespace test;

namespace {
using u32 = uint32_t;
using u64 = uint64_t;
using s32 = int32_t;
using s64 = int64_t;

struct Row {
  const char *text; // of %r1, %r2, %r3 or %f1 to %f3, %d11 to %d13, to %r0, %f0 or %d10
  std::function<u64(u64, u64, u64)> expected;
  s64 ulps = 0; // that the result may be off by, and is somewhere
};

float asFloat(u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); }
u64 ofFloat(float value) { return value != value ? 0x7fffffffu : std::bit_cast<u32>(value); }
s32 sig(u64 value) { return static_cast<s32>(value); }
u32 low(u64 value) { return static_cast<u32>(value); }

/// Values that are likely to show faults, then any.
std::vector<u64> samples(unsigned seed, bool floats, bool wide) {
  static const u32 hardIntegers[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0xff, 0x0f0f0f0f, 7};
  static const u32 hardFloats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x00000001, 0x00800000, 0x7f7fffff, 0x3effffff, 0x4b000001};
  std::vector<u64> made(128);
  for (size_t i = 0; i < made.size(); ++i) {
    const u32 *hard = floats ? hardFloats : hardIntegers;
    made[i] = (i * (seed * 2 + 1) + i / 12) % 3 ? hard[(i * (seed + 3) + i / 12 * seed) % 12] : random32();
    if (floats && i % 2)
      made[i] = std::bit_cast<u32>(randomFloat() * 100);
    if (wide)
      made[i] = made[i] << 32 | (i % 3 ? random32() : 0);
  }
  return made;
}

void table(const std::vector<Row> &rows, bool floats, bool wide) {
  for (const Row &row : rows) {
    const Scope scope;
    const auto a = samples(1, floats, wide), b = samples(2, floats, wide), c = samples(3, floats, wide);
    Buffer<u64> da(a), db(b), dc(c), result(128);
    const std::string text = "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u64 %d3, [c];\nld.param.u64 %d4, "
                             "[d];\nmov.u32 %r9, %tid.x;\nmul.wide.u32 %d5, %r9, 8;\n"
                             "add.s64 %d1, %d1, %d5;\nadd.s64 %d2, %d2, %d5;\nadd.s64 %d3, %d3, %d5;\nadd.s64 %d4, %d4, "
                             "%d5;\nld.global.u64 %d11, [%d1];\n"
                             "ld.global.u64 %d12, [%d2];\nld.global.u64 %d13, [%d3];\ncvt.u32.u64 %r1, %d11;\ncvt.u32.u64 %r2, "
                             "%d12;\ncvt.u32.u64 %r3, %d13;\n"
                             "mov.b32 %f1, %r1;\nmov.b32 %f2, %r2;\nmov.b32 %f3, %r3;\nmov.b64 %g1, %d11;\nmov.b64 %g2, "
                             "%d12;\nmov.b64 %g3, %d13;\nmov.u64 %d10, 0;\nmov.u32 %r0, 0;\n" +
                             std::string(row.text) + "\n" + (strstr(row.text, "%f0") ? "mov.b32 %r0, %f0;\n" : "") +
                             (strstr(row.text, "%d10") ? "" : "cvt.u64.u32 %d10, %r0;\n") + "st.global.u64 [%d4], %d10;";
    Kernel kernel(kernelText(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", text));
    const int code = kernel.run({{1, 1, 1}, {128, 1, 1}}, {da, db, dc, result});
    CHECK(code == 0);
    if (code) {
      printf("  %s gives %d\n", row.text, code);
      continue;
    }
    const auto found = result.read();
    bool differs = false;
    for (size_t i = 0; i < 128; ++i) {
      const u64 expected = row.expected(a[i], b[i], c[i]);
      ++checks;
      differs |= found[i] != expected;
      if (std::abs(static_cast<s64>(found[i] - expected)) <= row.ulps)
        continue;
      ++failures;
      printf("%s of %llx %llx %llx: %llx, not %llx\n", row.text, (unsigned long long)a[i], (unsigned long long)b[i],
             (unsigned long long)c[i], (unsigned long long)found[i], (unsigned long long)expected);
      break;
    }
    CHECK(!row.ulps || differs);
  }
}

const std::vector<Row> integers = {
    {"add.u32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(a + b); }},
    {"add.sat.s32 %r0, %r1, %r2;",
     [](u64 a, u64 b, u64) { return low(static_cast<u64>(std::clamp<s64>(s64(sig(a)) + sig(b), INT32_MIN, INT32_MAX))); }},
    {"sub.s32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(a - b); }},
    {"mul.lo.s32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(a * b); }},
    {"mul.hi.s32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(static_cast<u64>(s64(sig(a)) * sig(b)) >> 32); }},
    {"mul.hi.u32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return u64(low(a)) * low(b) >> 32; }},
    {"mul.wide.s32 %d10, %r1, %r2;", [](u64 a, u64 b, u64) { return static_cast<u64>(s64(sig(a)) * sig(b)); }},
    {"mad.lo.u32 %r0, %r1, %r2, %r3;", [](u64 a, u64 b, u64 c) { return low(a * b + c); }},
    {"mad.wide.u32 %d10, %r1, %r2, %d13;", [](u64 a, u64 b, u64 c) { return u64(low(a)) * low(b) + c; }},
    {"div.u32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(b) ? low(a) / low(b) : ~0u; }},
    {"or.b32 %r2, %r2, 1;\nrem.u32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(a) % (low(b) | 1); }},
    {"abs.s32 %r0, %r1;", [](u64 a, u64, u64) { return sig(a) < 0 ? low(0 - a) : low(a); }},
    {"min.s32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(static_cast<u64>(std::min(sig(a), sig(b)))); }},
    {"max.u32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return std::max(low(a), low(b)); }},
    {"sad.u32 %r0, %r1, %r2, %r3;", [](u64 a, u64 b, u64 c) { return low((low(a) < low(b) ? b - a : a - b) + c); }},
    {"popc.b32 %r0, %r1;", [](u64 a, u64, u64) { return u64(std::popcount(low(a))); }},
    {"clz.b32 %r0, %r1;", [](u64 a, u64, u64) { return u64(std::countl_zero(low(a))); }},
    {"bfind.u32 %r0, %r1;", [](u64 a, u64, u64) { return low(a) ? 31 - std::countl_zero(low(a)) : ~0u; }},
    {"brev.b32 %r0, %r1;",
     [](u64 a, u64, u64) {
       u32 m = 0;
       for (int i = 0; i < 32; ++i)
         m |= (low(a) >> i & 1) << (31 - i);
       return m;
     }},
    {"bfe.u32 %r0, %r1, 5, 9;", [](u64 a, u64, u64) { return low(a) >> 5 & 0x1ff; }},
    {"bfe.s32 %r0, %r1, 5, 9;", [](u64 a, u64, u64) { return low(static_cast<u64>(sig(a << 18) >> 23)); }},
    {"bfi.b32 %r0, %r1, %r2, 4, 8;", [](u64 a, u64 b, u64) { return (low(b) & ~0xff0u) | (low(a) << 4 & 0xff0); }},
    {"shl.b32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(b) > 31 ? 0 : low(a << low(b)); }},
    {"shr.s32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(static_cast<u64>(sig(a) >> std::min(low(b), 31u))); }},
    {"shr.u32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return low(b) > 31 ? 0 : low(a) >> low(b); }},
    {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;",
     [](u64 a, u64 b, u64 c) { return low(((u64(low(b)) << 32 | low(a)) << (c & 31)) >> 32); }},
    {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;",
     [](u64 a, u64 b, u64 c) { return low((u64(low(b)) << 32 | low(a)) >> std::min(low(c), 32u)); }},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", [](u64 a, u64 b, u64 c) { return low(a ^ b ^ c); }},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", [](u64 a, u64 b, u64 c) { return low((a & b) | (a & c) | (b & c)); }},
    {"prmt.b32 %r0, %r1, %r2, 0x6420;",
     [](u64 a, u64 b, u64) {
       return (low(a) & 0xff) | (low(a) >> 8 & 0xff00) | (low(b) & 0xff) << 16 | (low(b) << 8 & 0xff000000);
     }},
    {"dp4a.s32.s32 %r0, %r1, %r2, %r3;",
     [](u64 a, u64 b, u64 c) {
       s64 s = sig(c);
       for (int i = 0; i < 4; ++i)
         s += int8_t(a >> (8 * i)) * int8_t(b >> (8 * i));
       return low(u64(s));
     }},
    {"add.cc.u32 %r0, %r1, %r2;\naddc.u32 %r4, 0, 0;\nmov.b64 %d10, {%r0, %r4};",
     [](u64 a, u64 b, u64) { return u64(low(a)) + low(b); }},
    {"sub.cc.u32 %r0, %r1, %r2;\nsubc.u32 %r4, 0, 0;\nmov.b64 %d10, {%r0, %r4};",
     [](u64 a, u64 b, u64) { return u64(low(a)) - low(b); }},
    {"setp.lt.s32 %p1, %r1, %r2;\nselp.u32 %r0, 5, 9, %p1;", [](u64 a, u64 b, u64) { return sig(a) < sig(b) ? 5 : 9; }},
    {"setp.hi.u32 %p1, %r1, %r2;\nsetp.eq.and.s32 %p2|%p3, %r1, %r3, %p1;\nselp.u32 %r0, 1, 0, %p2;\n@%p3 add.u32 %r0, %r0, 2;",
     [](u64 a, u64 b, u64 c) { return low(a) > low(b) ? (low(a) == low(c) ? 1 : 2) : 0; }},
    {"set.ge.u32.s32 %r0, %r1, %r2;", [](u64 a, u64 b, u64) { return sig(a) >= sig(b) ? ~0u : 0; }},
    {"cvt.s64.s32 %d10, %r1;", [](u64 a, u64, u64) { return static_cast<u64>(s64(sig(a))); }},
    {"cvt.s32.s8 %r0, %r1;", [](u64 a, u64, u64) { return low(static_cast<u64>(s64(int8_t(a)))); }},
    {"cvt.sat.u8.s32 %r0, %r1;", [](u64 a, u64, u64) { return u64(std::clamp(sig(a), 0, 255)); }},
    {"cvt.rn.f32.s32 %f0, %r1;", [](u64 a, u64, u64) { return ofFloat(static_cast<float>(sig(a))); }},
    {"mul.lo.u64 %d10, %d11, %d12;", [](u64 a, u64 b, u64) { return a * b; }},
    {"mul.hi.u64 %d10, %d11, %d12;",
     [](u64 a, u64 b, u64) { return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64); }},
    {"szext.clamp.s32 %r0, %r1, 11;", [](u64 a, u64, u64) { return low(u64(s64(sig(a << 21) >> 21))); }},
    {"bmsk.clamp.b32 %r0, 3, 7;", [](u64, u64, u64) { return u64(0x3f8); }},
    {"add.u16x2 %r0, %r1, %r2;",
     [](u64 a, u64 b, u64) { return ((a + b) & 0xffff) | ((((low(a) >> 16) + (low(b) >> 16)) & 0xffff) << 16); }},
};

float rounded(int mode, const std::function<float()> &value) {
  fesetround(mode);
  const float made = value();
  fesetround(FE_TONEAREST);
  return made;
}
float held(float value) {
  volatile float kept = value;
  return kept;
}
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

const std::vector<Row> floats = {
    {"add.f32 %f0, %f1, %f2;", [](u64 a, u64 b, u64) { return ofFloat(asFloat(a) + asFloat(b)); }},
    {"add.ftz.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) { return ofFloat(flushed(flushed(asFloat(a)) + flushed(asFloat(b)))); }},
    {"add.rz.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) {
       return ofFloat(rounded(FE_TOWARDZERO, [=] { return held(held(asFloat(a)) + held(asFloat(b))); }));
     }},
    {"mul.rp.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) { return ofFloat(rounded(FE_UPWARD, [=] { return held(held(asFloat(a)) * held(asFloat(b))); })); }},
    {"fma.rn.f32 %f0, %f1, %f2, %f3;",
     [](u64 a, u64 b, u64 c) { return ofFloat(std::fma(asFloat(a), asFloat(b), asFloat(c))); }},
    {"fma.rm.f32 %f0, %f1, %f2, %f3;",
     [](u64 a, u64 b, u64 c) {
       return ofFloat(rounded(FE_DOWNWARD, [=] { return held(std::fma(held(asFloat(a)), asFloat(b), asFloat(c))); }));
     }},
    {"div.rn.f32 %f0, %f1, %f2;", [](u64 a, u64 b, u64) { return ofFloat(asFloat(a) / asFloat(b)); }},
    {"sqrt.rn.f32 %f0, %f1;", [](u64 a, u64, u64) { return ofFloat(std::sqrt(asFloat(a))); }},
    {"min.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) {
       return asFloat(a) == asFloat(b) ? (a >> 31 & 1 ? low(a) : low(b)) : ofFloat(std::fmin(asFloat(a), asFloat(b)));
     }},
    {"max.NaN.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) {
       const float x = asFloat(a), y = asFloat(b);
       return x != x || y != y ? 0x7fffffffu : x == y ? (a >> 31 & 1 ? low(b) : low(a)) : ofFloat(std::fmax(x, y));
     }},
    {"abs.f32 %f0, %f1;", [](u64 a, u64, u64) { return low(a) & 0x7fffffff; }},
    {"neg.f32 %f0, %f1;", [](u64 a, u64, u64) { return low(a) ^ 0x80000000; }},
    {"copysign.f32 %f0, %f1, %f2;", [](u64 a, u64 b, u64) { return (low(a) & 0x80000000) | (low(b) & 0x7fffffff); }},
    {"ex2.approx.f32 %f0, %f1;", [](u64 a, u64, u64) { return ofFloat(static_cast<float>(std::exp2(double(asFloat(a))))); }, 2},
    {"rcp.approx.ftz.f32 %f0, %f1;", [](u64 a, u64, u64) { return ofFloat(flushed(1 / flushed(asFloat(a)))); }, 1},
    {"div.full.f32 %f0, %f1, %f2;", [](u64 a, u64 b, u64) { return ofFloat(asFloat(a) / asFloat(b)); }, 2},
    {"div.approx.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) {
       const float x = asFloat(a), y = asFloat(b);
       return ofFloat(std::fabs(y) > 0x1p126f && std::isfinite(y) ? x * std::copysign(0.0f, y) : x / y);
     },
     2},
    {"add.sat.f32 %f0, %f1, %f2;",
     [](u64 a, u64 b, u64) {
       const float s = asFloat(a) + asFloat(b);
       return ofFloat(s > 0 ? std::min(s, 1.0f) : 0.0f);
     }},
    {"setp.ltu.f32 %p1, %f1, %f2;\nselp.u32 %r0, 1, 0, %p1;", [](u64 a, u64 b, u64) { return !(asFloat(a) >= asFloat(b)); }},
    {"setp.ne.f32 %p1, %f1, %f2;\nselp.u32 %r0, 1, 0, %p1;",
     [](u64 a, u64 b, u64) { return asFloat(a) < asFloat(b) || asFloat(a) > asFloat(b); }},
    {"setp.nan.f32 %p1, %f1, %f2;\nselp.u32 %r0, 1, 0, %p1;",
     [](u64 a, u64 b, u64) { return asFloat(a) != asFloat(a) || asFloat(b) != asFloat(b); }},
    {"testp.infinite.f32 %p1, %f1;\nselp.u32 %r0, 1, 0, %p1;", [](u64 a, u64, u64) { return u64(std::isinf(asFloat(a))); }},
    {"cvt.rzi.s32.f32 %r0, %f1;",
     [](u64 a, u64, u64) {
       const float x = asFloat(a);
       return x != x ? 0 : x >= 2147483648.0f ? 0x7fffffffu : x <= -2147483648.0f ? 0x80000000u : low(u64(s64(x)));
     }},
    {"cvt.rni.f32.f32 %f0, %f1;", [](u64 a, u64, u64) { return ofFloat(std::nearbyint(asFloat(a))); }},
    {"cvt.rmi.f32.f32 %f0, %f1;", [](u64 a, u64, u64) { return ofFloat(std::floor(asFloat(a))); }},
    {"cvt.rn.f16.f32 %h1, %f1;\ncvt.u32.u16 %r0, %h1;",
     [](u64 a, u64, u64) {
       const float x = asFloat(a);
       return x != x ? 0x7fffu : std::bit_cast<uint16_t>(static_cast<_Float16>(x));
     }},
    {"cvt.rn.f16.f32 %h1, %f1;\ncvt.f32.f16 %f0, %h1;",
     [](u64 a, u64, u64) { return ofFloat(static_cast<float>(static_cast<_Float16>(asFloat(a)))); }},
    {"cvt.rn.bf16x2.f32 %r0, %f1, %f2;\nand.b32 %r0, %r0, 0xffff0000;",
     [](u64 a, u64, u64) {
       const float x = asFloat(a);
       return x != x ? 0x7fff0000u : (low(a) + 0x7fff + (low(a) >> 16 & 1)) & 0xffff0000;
     }},
    {"cvt.rna.tf32.f32 %r0, %f1;\nsetp.nan.f32 %p1, %f1, %f1;\n@%p1 mov.u32 %r0, 7;",
     [](u64 a, u64, u64) {
       const float x = asFloat(a);
       return x != x ? 7u : std::isinf(x) ? low(a) : (low(a) + 0x1000) & 0xffffe000;
     }},
    {"cvt.f64.f32 %g1, %f1;\ncvt.rz.f32.f64 %f0, %g1;", [](u64 a, u64, u64) { return ofFloat(asFloat(a)); }},
    {"mov.b32 {%h1, %h2}, %r1;\nmov.b32 %r0, {%h2, %h1};", [](u64 a, u64, u64) { return low(a) << 16 | low(a) >> 16; }},
};

const std::vector<Row> doubles = {
    {"add.f64 %g0, %g1, %g2;\nmov.b64 %d10, %g0;",
     [](u64 a, u64 b, u64) { return std::bit_cast<u64>(std::bit_cast<double>(a) + std::bit_cast<double>(b)); }},
    {"fma.rn.f64 %g0, %g1, %g2, %g3;\nmov.b64 %d10, %g0;",
     [](u64 a, u64 b, u64 c) {
       return std::bit_cast<u64>(std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c)));
     }},
    {"sqrt.rn.f64 %g0, %g1;\nmov.b64 %d10, %g0;\nand.b64 %d10, %d10, 0x7fffffffffffffff;",
     [](u64 a, u64, u64) { return std::bit_cast<u64>(std::sqrt(std::bit_cast<double>(a))) & 0x7fffffffffffffff; }},
    {"cvt.rn.f32.f64 %f0, %g1;\nmov.b32 %r0, %f0;",
     [](u64 a, u64, u64) { return ofFloat(static_cast<float>(std::bit_cast<double>(a))); }},
    {"cvt.rzi.s64.f64 %d10, %g1;",
     [](u64 a, u64, u64) {
       const double x = std::bit_cast<double>(a);
       return x != x        ? u64(1) << 63
              : x >= 0x1p63 ? ~u64(0) >> 1
              : x < -0x1p63 ? u64(1) << 63
                            : static_cast<u64>(static_cast<s64>(x));
     }},
};

/// Operations among lanes, each with what lane i of 32 must find.
void lanes() {
  const struct {
    const char *text;
    std::function<u32(u32)> expected;
  } rows[] = {
      {"shfl.sync.up.b32 %r0|%p1, %r1, 3, 0, 0xffffffff;", [](u32 i) { return i < 3 ? i : i - 3; }},
      {"shfl.sync.down.b32 %r0, %r1, 3, 31, 0xffffffff;", [](u32 i) { return i > 28 ? i : i + 3; }},
      {"shfl.sync.bfly.b32 %r0, %r1, 5, 31, 0xffffffff;", [](u32 i) { return i ^ 5; }},
      {"shfl.sync.idx.b32 %r0, %r1, 2, 0x181f, 0xffffffff;", [](u32 i) { return (i & 0x18) + 2; }},
      {"shfl.sync.down.b32 %r2|%p1, %r1, 3, 31, 0xffffffff;\nselp.u32 %r0, 1, 0, %p1;", [](u32 i) { return u32(i <= 28); }},
      {"setp.lt.u32 %p1, %r1, 7;\nvote.sync.ballot.b32 %r0, %p1, 0xffffffff;", [](u32) { return 0x7fu; }},
      {"setp.lt.u32 %p1, %r1, 7;\nvote.sync.any.pred %p2, %p1, 0xffffffff;\nselp.u32 %r0, 1, 0, %p2;", [](u32) { return 1u; }},
      {"setp.lt.u32 %p1, %r1, 7;\nvote.sync.all.pred %p2, !%p1, 0xffffffff;\nselp.u32 %r0, 1, 0, %p2;", [](u32) { return 0u; }},
      {"and.b32 %r2, %r1, 3;\nmatch.any.sync.b32 %r0, %r2, 0xffffffff;", [](u32 i) { return 0x11111111u << (i & 3); }},
      {"redux.sync.add.s32 %r0, %r1, 0xffffffff;", [](u32) { return 496u; }},
      {"redux.sync.max.u32 %r0, %r1, 0xffffffff;", [](u32) { return 31u; }},
      {"elect.sync %r2|%p1, 0xffffffff;\nselp.u32 %r0, 1, 0, %p1;", [](u32 i) { return u32(i == 0); }},
      {"setp.lt.u32 %p1, %r1, 8;\n@%p1 activemask.b32 %r0;", [](u32 i) { return i < 8 ? 0xffu : 0u; }},
      {"mov.u32 %r0, %lanemask_lt;", [](u32 i) { return (1u << i) - 1; }},
      {"setp.lt.u32 %p1, %r1, 9;\nbar.red.popc.u32 %r0, 0, %p1;", [](u32) { return 9u; }},
      // Lanes that part in a loop meet again behind it.
      {"mov.u32 %r0, 0;\nand.b32 %r2, %r1, 3;\nloop:\nadd.u32 %r0, %r0, 1;\nsub.u32 %r2, %r2, 1;\nsetp.ge.s32 %p1, %r2, "
       "0;\n@%p1 bra loop;\n"
       "shfl.sync.bfly.b32 %r0, %r0, 1, 31, 0xffffffff;",
       [](u32 i) { return ((i ^ 1) & 3) + 1; }},
      {"movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;\nand.b32 %r0, %r0, 0xffff;",
       [](u32 i) { return i / 4 % 2 ? 0 : (i % 4 * 2) * 4 + i / 8; }},
  };
  for (const auto &row : rows) {
    const Scope scope;
    Buffer<u32> out(32);
    Kernel kernel(kernelText(
        ".param .u64 a",
        std::string("mov.u32 %r1, %tid.x;\nmov.u32 %r0, 0;\n") + row.text +
            "\nld.param.u64 %d1, [a];\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\nst.global.b32 [%d1], %r0;"));
    CHECK_OK(kernel.run({}, {out}));
    const auto found = out.read();
    for (u32 i = 0; i < 32; ++i) {
      ++checks;
      if (found[i] == row.expected(i))
        continue;
      ++failures;
      printf("%s in lane %u: %x, not %x\n", row.text, i, found[i], row.expected(i));
      break;
    }
  }
}

void atomics() {
  const Scope scope;
  Buffer<u32> a(std::vector<u32>{0, 0, ~0u, 0, 5, 100, 0, 0});
  Kernel kernel(kernelText(
      ".param .u64 a",
      "ld.param.u64 %d1, [a];\nmov.u32 %r1, %tid.x;\nred.global.add.u32 [%d1], %r1;\nred.global.max.s32 [%d1+4], %r1;\n"
      "red.global.min.u32 [%d1+8], %r1;\natom.global.or.b32 %r2, [%d1+12], 6;\natom.global.cas.b32 %r3, [%d1+16], 5, 77;\n"
      "red.global.inc.u32 [%d1+20], 200;\nmov.f32 %f1, 0f3f000000;\nred.global.add.f32 [%d1+24], %f1;\n"
      "mov.u32 %r4, 0x3c003c00;\nred.global.add.noftz.f16x2 [%d1+28], %r4;\n"));
  CHECK_OK(kernel.run({}, {a}));
  const auto found = a.read();
  CHECK(found[0] == 496 && found[1] == 31 && found[2] == 0 && found[3] == 6 && found[4] == 77 && found[5] == 132);
  CHECK(asFloat(found[6]) == 16.0f);
  CHECK(found[7] == 0x50005000);
}
} // namespace

int main() {
  table(integers, false, false);
  table(integers, false, true);
  table(floats, true, false);
  table(doubles, true, true);
  lanes();
  atomics();
  return report();
}
