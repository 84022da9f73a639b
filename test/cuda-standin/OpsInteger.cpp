// Integer arithmetic.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lanes.h"

#include <type_traits>

namespace standin {

namespace {
template <class T>
using Unsigned = std::make_unsigned_t<T>;

// Wrapping: computed in an unsigned type at least as wide as int, lest 16 bits promote to a signed product.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, u64, u32>;
template <class T>
constexpr auto add = [](T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b)); };
template <class T>
constexpr auto sub = [](T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b)); };
template <class T>
constexpr auto mulLo = [](T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); };
template <class T>
constexpr auto mulHi = [](T a, T b) {
  using Double = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                                    std::conditional_t<std::is_signed_v<T>, s64, u64>>;
  return static_cast<T>((static_cast<Double>(a) * static_cast<Double>(b)) >> (8 * sizeof(T)));
};
template <class T>
constexpr auto madLo = [](T a, T b, T c) { return add<T>(mulLo<T>(a, b), c); };
template <class T>
constexpr auto madHi = [](T a, T b, T c) { return add<T>(mulHi<T>(a, b), c); };
template <class T>
constexpr auto minimum = [](T a, T b) { return a < b ? a : b; };
template <class T>
constexpr auto maximum = [](T a, T b) { return a > b ? a : b; };
template <class T>
constexpr auto absolute = [](T a) { return a < 0 ? static_cast<T>(0 - static_cast<Wide<T>>(a)) : a; };
template <class T>
constexpr auto negate = [](T a) { return static_cast<T>(0 - static_cast<Wide<T>>(a)); };
template <class T>
constexpr auto difference = [](T a, T b, T c) {
  return static_cast<T>(static_cast<Wide<T>>(c) + (a < b ? static_cast<Wide<T>>(b) - static_cast<Wide<T>>(a)
                                                         : static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b)));
};
// Division by zero gives all ones, as devices do; what is undefined must not end the host.
template <class T>
constexpr auto divide = [](T a, T b) -> T {
  if (b == 0)
    return static_cast<T>(~T(0));
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return negate<T>(a);
  return static_cast<T>(a / b);
};
template <class T>
constexpr auto remainder = [](T a, T b) -> T {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return static_cast<T>(a % b);
};
constexpr auto addSaturated = [](s32 a, s32 b) {
  const s64 sum = static_cast<s64>(a) + b;
  return static_cast<s32>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
};
constexpr auto subSaturated = [](s32 a, s32 b) {
  const s64 sum = static_cast<s64>(a) - b;
  return static_cast<s32>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
};
template <class T, class D>
constexpr auto mulWide = [](T a, T b) { return static_cast<D>(a) * static_cast<D>(b); };

template <class T, class D>
void madWide(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]);
  const D *c = in<D>(warp, inst.op[3]);
  eachLane<D>(warp, inst.op[0], [&](u32 lane) { return add<D>(mulWide<T, D>(a[lane], b[lane]), c[lane]); });
}

/// add and sub with the condition code: kind 1 reads the carry, kind2 1 writes it. kind & 2 subtracts.
template <class T>
void withCarry(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const T a = in<T>(warp, inst.op[1])[lane], b = in<T>(warp, inst.op[2])[lane];
    const bool subtracts = inst.kind & 2;
    const T carry = inst.kind & 1 ? warp.carry[lane] : 0;
    const unsigned __int128 sum =
        subtracts ? static_cast<unsigned __int128>(a) - b - carry : static_cast<unsigned __int128>(a) + b + carry;
    if (inst.kind2)
      warp.carry[lane] = static_cast<u8>(sum >> (8 * sizeof(T)) & 1);
    out<T>(warp, inst.op[0])[lane] = static_cast<T>(sum);
  }
}

void madWithCarry(Warp &warp, const Inst &inst) { // kind & 4: the product's high half
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 product = static_cast<u64>(in<u32>(warp, inst.op[1])[lane]) * in<u32>(warp, inst.op[2])[lane];
    const u64 sum = (inst.kind & 4 ? product >> 32 : product & 0xffffffffu) + in<u32>(warp, inst.op[3])[lane] +
                    (inst.kind & 1 ? warp.carry[lane] : 0);
    if (inst.kind2)
      warp.carry[lane] = static_cast<u8>(sum >> 32);
    out<u32>(warp, inst.op[0])[lane] = static_cast<u32>(sum);
  }
}

void operands(Build &build, Type type, size_t count) {
  build.expect(count, count);
  build.inst.op[0] = build.result(0, type);
  for (size_t i = 1; i < count; ++i)
    build.inst.op[i] = build.source(i, type);
}

void buildWithCarry(Build &build, Type type, bool reads, bool subtracts) {
  operands(build, type, 3);
  build.inst.kind = reads | subtracts << 1;
  build.inst.kind2 = build.has("cc");
  build.emit(type.bits == 64 ? withCarry<u64> : withCarry<u32>);
}

template <bool isSub>
void addOrSub(Build &build) {
  const Type type = build.type();
  bool cc = false;
  for (const auto &word : build.statement.words)
    cc |= word == "cc";
  if (cc)
    return buildWithCarry(build, type, false, isSub);
  operands(build, type, 3);
  if (build.has("sat"))
    return build.emit(isSub ? binary<s32, subSaturated> : binary<s32, addSaturated>);
  if (type.packed) { // two halves that do not carry into each other
    if constexpr (!isSub)
      return build.emit(binary<u32, [](u32 a, u32 b) { return ((a + (b & 0xffff0000u)) & 0xffff0000u) | ((a + b) & 0xffff); }>);
    else
      return build.emit(binary<u32, [](u32 a, u32 b) { return ((a & 0xffff0000u) - (b & 0xffff0000u)) | ((a - b) & 0xffff); }>);
  }
#define RUN(T) (isSub ? binary<T, sub<T>> : binary<T, add<T>>)
  build.emit(STANDIN_BY_BITS(type, RUN));
#undef RUN
}

void buildCarry(Build &build) { buildWithCarry(build, build.type(), true, build.statement.words[0] == "subc"); }

void mul(Build &build) {
  const Type type = build.type();
  const int part = build.pick({"lo", "hi", "wide"}, 0);
  if (part == 2) {
    build.expect(3, 3);
    build.inst.op[0] = build.result(0, {type.kind, type.bits * 2});
    build.inst.op[1] = build.source(1, type);
    build.inst.op[2] = build.source(2, type);
    const bool isSigned = type.kind == 's';
    if (type.bits == 16)
      return build.emit(isSigned ? binaryTo<s32, s16, s16, mulWide<s16, s32>> : binaryTo<u32, u16, u16, mulWide<u16, u32>>);
    return build.emit(isSigned ? binaryTo<s64, s32, s32, mulWide<s32, s64>> : binaryTo<u64, u32, u32, mulWide<u32, u64>>);
  }
  operands(build, type, 3);
#define LOW(T) binary<T, mulLo<T>>
#define HIGH(T) binary<T, mulHi<T>>
  build.emit(part == 0 ? STANDIN_BY_BITS(type, LOW) : STANDIN_BY_INTEGER(type, HIGH));
#undef LOW
#undef HIGH
}

void mad(Build &build) {
  const Type type = build.type();
  const int part = build.pick({"lo", "hi", "wide"}, 0);
  const bool carries = build.has("cc");
  if (carries || build.statement.words[0] == "madc") {
    if (type.bits != 32 || type.kind == 's')
      build.unknown();
    operands(build, type, 4);
    build.inst.kind = (build.statement.words[0] == "madc") | (part == 1) << 2;
    build.inst.kind2 = carries;
    return build.emit(madWithCarry);
  }
  if (part == 2) {
    build.expect(4, 4);
    build.inst.op[0] = build.result(0, {type.kind, type.bits * 2});
    build.inst.op[1] = build.source(1, type);
    build.inst.op[2] = build.source(2, type);
    build.inst.op[3] = build.source(3, {type.kind, type.bits * 2});
    const bool isSigned = type.kind == 's';
    if (type.bits == 16)
      return build.emit(isSigned ? madWide<s16, s32> : madWide<u16, u32>);
    return build.emit(isSigned ? madWide<s32, s64> : madWide<u32, u64>);
  }
  operands(build, type, 4);
#define LOW(T) ternary<T, madLo<T>>
#define HIGH(T) ternary<T, madHi<T>>
  build.emit(part == 0 ? STANDIN_BY_BITS(type, LOW) : STANDIN_BY_INTEGER(type, HIGH));
#undef LOW
#undef HIGH
}

/// mul24 and mad24.lo: of the low 24 bits.
void mul24(Build &build) {
  const Type type = build.type();
  const bool isMad = build.statement.words[0] == "mad24";
  if (build.pick({"lo", "hi"}, 0) == 1)
    build.unknown();
  operands(build, type, isMad ? 4 : 3);
  static constexpr auto product = [](u32 a, u32 b) { return static_cast<u32>((s64(s32(a << 8) >> 8)) * (s32(b << 8) >> 8)); };
  static constexpr auto unsignedProduct = [](u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); };
  if (type.kind == 's')
    build.emit(isMad ? ternary<u32, [](u32 a, u32 b, u32 c) { return product(a, b) + c; }> : binary<u32, product>);
  else
    build.emit(isMad ? ternary<u32, [](u32 a, u32 b, u32 c) { return unsignedProduct(a, b) + c; }>
                     : binary<u32, unsignedProduct>);
}

void sad(Build &build) {
  const Type type = build.type();
  operands(build, type, 4);
#define RUN(T) ternary<T, difference<T>>
  build.emit(STANDIN_BY_INTEGER(type, RUN));
#undef RUN
}

void rem(Build &build) {
  const Type type = build.type();
  operands(build, type, 3);
#define RUN(T) binary<T, remainder<T>>
  build.emit(STANDIN_BY_INTEGER(type, RUN));
#undef RUN
}

/// dp4a and dp2a: the two type words are those of a and b.
template <bool isFour>
void dotProduct(Warp &warp, const Inst &inst) {
  const u32 *a = in<u32>(warp, inst.op[1]), *b = in<u32>(warp, inst.op[2]), *c = in<u32>(warp, inst.op[3]);
  const bool aSigned = inst.kind & 1, bSigned = inst.kind & 2, high = inst.kind & 4;
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) {
    s64 sum = 0;
    for (u32 i = 0; i < (isFour ? 4 : 2); ++i) {
      const u32 byte = b[lane] >> (8 * (isFour ? i : i + 2 * high)) & 0xff;
      const u32 other = isFour ? a[lane] >> (8 * i) & 0xff : a[lane] >> (16 * i) & 0xffff;
      const s64 left = !aSigned ? s64(other) : isFour ? s64(s8(other)) : s64(s16(other));
      sum += left * (bSigned ? s64(s8(byte)) : s64(byte));
    }
    return static_cast<u32>(sum) + c[lane];
  });
}

void dp(Build &build) {
  const bool isFour = build.statement.words[0] == "dp4a";
  const auto types = build.types();
  if (types.size() != 2)
    build.unknown();
  const bool high = !isFour && build.pick({"lo", "hi"}, 0) == 1;
  operands(build, {'u', 32}, 4);
  build.inst.kind = (types[0].kind == 's') | (types[1].kind == 's') << 1 | high << 2;
  build.emit(isFour ? dotProduct<true> : dotProduct<false>);
}
} // namespace

void integerDiv(Build &build, Type type) {
  operands(build, type, 3);
#define RUN(T) binary<T, divide<T>>
  build.emit(STANDIN_BY_INTEGER(type, RUN));
#undef RUN
}

void integerMinMax(Build &build, Type type, bool isMax) {
  operands(build, type, 3);
  if (build.has("relu"))
    build.unknown();
  if (type.packed) {
    const bool isSigned = type.kind == 's';
#define HALVES(T, OP)                                                                                                          \
  binary<u32, [](u32 a, u32 b) {                                                                                               \
    return static_cast<u32>(static_cast<u16>(OP<T>(static_cast<T>(a), static_cast<T>(b)))) |                                   \
           static_cast<u32>(static_cast<u16>(OP<T>(static_cast<T>(a >> 16), static_cast<T>(b >> 16)))) << 16;                  \
  }>
    if (isMax)
      return build.emit(isSigned ? HALVES(s16, maximum) : HALVES(u16, maximum));
    return build.emit(isSigned ? HALVES(s16, minimum) : HALVES(u16, minimum));
#undef HALVES
  }
#define MIN(T) binary<T, minimum<T>>
#define MAX(T) binary<T, maximum<T>>
  build.emit(isMax ? STANDIN_BY_INTEGER(type, MAX) : STANDIN_BY_INTEGER(type, MIN));
#undef MIN
#undef MAX
}

void integerAbsNeg(Build &build, Type type, bool isAbs) {
  operands(build, type, 2);
  if (isAbs)
    build.emit(type.bits == 16   ? unary<s16, absolute<s16>>
               : type.bits == 32 ? unary<s32, absolute<s32>>
                                 : unary<s64, absolute<s64>>);
  else
    build.emit(type.bits == 16 ? unary<s16, negate<s16>> : type.bits == 32 ? unary<s32, negate<s32>> : unary<s64, negate<s64>>);
}

void integerAdd(Build &build) { addOrSub<false>(build); }
void integerSub(Build &build) { addOrSub<true>(build); }
void integerMul(Build &build) { mul(build); }
void integerMad(Build &build) { mad(build); }

void addIntegerOps(std::map<std::string_view, Builder> &ops) {
  ops["addc"] = ops["subc"] = buildCarry;
  ops["madc"] = mad;
  ops["mul24"] = ops["mad24"] = mul24;
  ops["sad"] = sad;
  ops["rem"] = rem;
  ops["dp4a"] = ops["dp2a"] = dp;
}

} // namespace standin
