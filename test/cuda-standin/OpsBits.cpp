// Bits: logic, shifts, counting and fields.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lanes.h"

#include <algorithm>
#include <type_traits>

namespace standin {

namespace {
Type integerOf(Build &build) { return build.type(); }

void operands(Build &build, Type type, size_t count) {
  build.expect(count, count);
  build.inst.op[0] = build.result(0, type);
  for (size_t i = 1; i < count; ++i)
    build.inst.op[i] = build.source(i, type);
}

enum Logic : u32 { And, Or, Xor, Not };

void predicateLogic(Warp &warp, const Inst &inst) {
  const u32 a = readPredicate(warp, inst.op[1]) ^ (inst.kind2 & 1 ? ~0u : 0);
  const u32 b = inst.kind == Not ? 0 : readPredicate(warp, inst.op[2]) ^ (inst.kind2 & 2 ? ~0u : 0);
  writePredicate(warp, inst.op[0], inst.kind == And ? a & b : inst.kind == Or ? a | b : inst.kind == Xor ? a ^ b : ~a);
}

template <Logic logic>
void buildLogic(Build &build) {
  const Type type = build.type();
  if (type.kind == 'p') {
    bool negated = false, ignored;
    build.expect(logic == Not ? 2 : 3, logic == Not ? 2 : 3);
    build.inst.kind = logic;
    build.inst.op[0] = build.predicate(build.operand(0), ignored);
    build.inst.op[1] = build.predicate(build.operand(1), negated);
    build.inst.kind2 = negated;
    if (logic != Not) {
      build.inst.op[2] = build.predicate(build.operand(2), negated);
      build.inst.kind2 |= negated << 1;
    }
    return build.emit(predicateLogic);
  }
  operands(build, type, logic == Not ? 2 : 3);
#define AND(T) binary<T, [](T a, T b) { return a & b; }>
#define OR(T) binary<T, [](T a, T b) { return a | b; }>
#define XOR(T) binary<T, [](T a, T b) { return a ^ b; }>
#define NOT(T) unary<T, [](T a) { return ~a; }>
  build.emit(logic == And   ? STANDIN_BY_BITS(type, AND)
             : logic == Or  ? STANDIN_BY_BITS(type, OR)
             : logic == Xor ? STANDIN_BY_BITS(type, XOR)
                            : STANDIN_BY_BITS(type, NOT));
#undef AND
#undef OR
#undef XOR
#undef NOT
}

void cnot(Build &build) {
  const Type type = build.type();
  operands(build, type, 2);
#define RUN(T) unary<T, [](T a) { return a == 0; }>
  build.emit(STANDIN_BY_BITS(type, RUN));
#undef RUN
}

// Amounts beyond the width give 0 or copies of the sign.
template <class T>
constexpr auto shiftLeft = [](T a, u32 n) { return n >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<u64>(a) << n); };
template <class T>
constexpr auto shiftRight = [](T a, u32 n) {
  constexpr u32 width = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> std::min(n, width - 1));
  else
    return n >= width ? T(0) : static_cast<T>(a >> n);
};

void shift(Build &build) {
  const Type type = build.type();
  build.expect(3, 3);
  build.inst.op[0] = build.result(0, type);
  build.inst.op[1] = build.source(1, type);
  build.inst.op[2] = build.source(2, {'u', 32});
#define LEFT(T) binaryTo<T, T, u32, shiftLeft<T>>
#define RIGHT(T) binaryTo<T, T, u32, shiftRight<T>>
  build.emit(build.statement.words[0] == "shl" ? STANDIN_BY_BITS(type, LEFT) : STANDIN_BY_INTEGER(type, RIGHT));
#undef LEFT
#undef RIGHT
}

void funnel(Build &build) {
  const bool left = build.pick({"l", "r"}, 0) == 0;
  const bool clamps = build.pick({"wrap", "clamp"}, 0) == 1;
  operands(build, build.type(), 4);
  static constexpr auto amount = [](u32 n, bool clamp) { return clamp ? std::min(n, 32u) : n & 31; };
  static constexpr auto toLeft = [](u32 a, u32 b, u32 n) {
    return static_cast<u32>(((static_cast<u64>(b) << 32 | a) << n) >> 32);
  };
  static constexpr auto toRight = [](u32 a, u32 b, u32 n) { return static_cast<u32>((static_cast<u64>(b) << 32 | a) >> n); };
  if (left)
    build.emit(clamps ? ternary<u32, [](u32 a, u32 b, u32 n) { return toLeft(a, b, amount(n, true)); }>
                      : ternary<u32, [](u32 a, u32 b, u32 n) { return toLeft(a, b, amount(n, false)); }>);
  else
    build.emit(clamps ? ternary<u32, [](u32 a, u32 b, u32 n) { return toRight(a, b, amount(n, true)); }>
                      : ternary<u32, [](u32 a, u32 b, u32 n) { return toRight(a, b, amount(n, false)); }>);
}

template <class T>
T reversed(T value) {
  T made = 0;
  for (u32 i = 0; i < 8 * sizeof(T); ++i)
    made |= (value >> i & 1) << (8 * sizeof(T) - 1 - i);
  return made;
}

void count(Build &build) {
  const Type type = build.type();
  const std::string_view name = build.statement.words[0];
  build.expect(2, 2);
  build.inst.op[0] = build.result(0, name == "brev" ? type : Type{'u', 32});
  build.inst.op[1] = build.source(1, type);
  const bool is64 = type.bits == 64;
  if (name == "popc")
    build.emit(is64 ? unaryTo<u32, u64, [](u64 a) { return std::popcount(a); }>
                    : unary<u32, [](u32 a) { return std::popcount(a); }>);
  else if (name == "clz")
    build.emit(is64 ? unaryTo<u32, u64, [](u64 a) { return std::countl_zero(a); }>
                    : unary<u32, [](u32 a) { return std::countl_zero(a); }>);
  else
    build.emit(is64 ? unary<u64, reversed<u64>> : unary<u32, reversed<u32>>);
}

template <class T, bool shiftAmount>
constexpr auto findBit = [](T a) {
  if constexpr (std::is_signed_v<T>)
    a = a < 0 ? ~a : a;
  const std::make_unsigned_t<T> bits = static_cast<std::make_unsigned_t<T>>(a);
  if (!bits)
    return ~0u;
  const u32 position = static_cast<u32>(std::bit_width(bits)) - 1;
  return shiftAmount ? static_cast<u32>(8 * sizeof(T)) - 1 - position : position;
};

void bfind(Build &build) {
  const bool amount = build.has("shiftamt");
  const Type type = build.type();
  build.expect(2, 2);
  build.inst.op[0] = build.result(0, {'u', 32});
  build.inst.op[1] = build.source(1, type);
#define RUN(T) (amount ? unaryTo<u32, T, findBit<T, true>> : unaryTo<u32, T, findBit<T, false>>)
  build.emit(type.bits == 64 ? (type.kind == 's' ? RUN(s64) : RUN(u64)) : (type.kind == 's' ? RUN(s32) : RUN(u32)));
#undef RUN
}

/// PTX ISA, "bfe": position and length are those bytes' values; bits beyond the top copy the sign or are 0.
template <class T>
void extract(Warp &warp, const Inst &inst) {
  using U = std::make_unsigned_t<T>;
  const T *a = in<T>(warp, inst.op[1]);
  const u32 *position = in<u32>(warp, inst.op[2]), *length = in<u32>(warp, inst.op[3]);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) -> T {
    constexpr u32 width = 8 * sizeof(T);
    const u32 from = position[lane] & 0xff, bits = length[lane] & 0xff;
    const bool negative = std::is_signed_v<T> && bits && (static_cast<U>(a[lane]) >> std::min(from + bits - 1, width - 1) & 1);
    U value = from >= width ? 0 : static_cast<U>(a[lane]) >> from;
    const u32 kept = std::min(bits, from >= width ? 0 : width - from);
    const U mask = kept >= width ? ~U(0) : (U(1) << kept) - 1;
    value &= mask;
    return static_cast<T>(negative ? value | ~mask : value);
  });
}

template <class T>
void insert(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]);
  const u32 *position = in<u32>(warp, inst.op[3]), *length = in<u32>(warp, inst.op[4]);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) -> T {
    constexpr u32 width = 8 * sizeof(T);
    const u32 from = position[lane] & 0xff, bits = std::min(length[lane] & 0xff, width);
    if (from >= width)
      return b[lane];
    const T mask = (bits >= width ? ~T(0) : (T(1) << bits) - 1) << from;
    return (b[lane] & ~mask) | ((a[lane] << from) & mask);
  });
}

void field(Build &build) {
  const Type type = build.type();
  const bool inserts = build.statement.words[0] == "bfi";
  const size_t values = inserts ? 3 : 2;
  build.expect(values + 2, values + 2);
  build.inst.op[0] = build.result(0, type);
  for (size_t i = 1; i < values; ++i)
    build.inst.op[i] = build.source(i, type);
  build.inst.op[values] = build.source(values, {'u', 32});
  build.inst.op[values + 1] = build.source(values + 1, {'u', 32});
  if (inserts)
    return build.emit(type.bits == 64 ? insert<u64> : insert<u32>);
  build.emit(
      type.kind == 's' ? (type.bits == 64 ? extract<s64> : extract<s32>) : (type.bits == 64 ? extract<u64> : extract<u32>));
}

template <bool clamps>
constexpr auto maskOf = [](u32 from, u32 bits) -> u32 {
  if (!clamps) {
    from &= 31;
    bits &= 31;
  }
  if (from >= 32 || bits == 0)
    return 0;
  return (bits >= 32 ? ~0u : (1u << bits) - 1) << from;
};

void bmsk(Build &build) {
  const bool clamps = build.pick({"clamp", "wrap"}, 0) == 0;
  operands(build, build.type(), 3);
  build.emit(clamps ? binary<u32, maskOf<true>> : binary<u32, maskOf<false>>);
}

template <class T, bool clamps>
constexpr auto extend = [](T a, u32 bits) -> T {
  if (!clamps)
    bits &= 31;
  if (bits >= 32)
    return a;
  if (bits == 0)
    return 0;
  const u32 up = 32 - bits;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << up) >> up);
};

void szext(Build &build) {
  const bool clamps = build.pick({"clamp", "wrap"}, 0) == 0;
  const Type type = build.type();
  operands(build, type, 3);
  if (type.kind == 's')
    build.emit(clamps ? binaryTo<s32, s32, u32, extend<s32, true>> : binaryTo<s32, s32, u32, extend<s32, false>>);
  else
    build.emit(clamps ? binaryTo<u32, u32, u32, extend<u32, true>> : binaryTo<u32, u32, u32, extend<u32, false>>);
}

/// PTX ISA, "prmt", with the selectors of its six modes computed from the table there.
constexpr u32 permute(u32 a, u32 b, u32 c, u32 mode) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 made = 0;
  const u32 n = c & 3;
  for (u32 i = 0; i < 4; ++i) {
    u32 selector = c >> (4 * i) & 0xf;
    switch (mode) {
    case 1:
      selector = n + i;
      break; // f4e
    case 2:
      selector = (n + 8 - i) & 7;
      break; // b4e
    case 3:
      selector = n;
      break; // rc8
    case 4:
      selector = std::max(n, i);
      break; // ecl
    case 5:
      selector = std::min(n, i);
      break; // ecr
    case 6:
      selector = (n & 1) * 2 + (i & 1);
      break; // rc16
    default:
      break;
    }
    u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
    if (mode == 0 && (selector & 8))
      byte = byte & 0x80 ? 0xff : 0;
    made |= byte << (8 * i);
  }
  return made;
}

void runPermute(Warp &warp, const Inst &inst) {
  const u32 *a = in<u32>(warp, inst.op[1]), *b = in<u32>(warp, inst.op[2]), *c = in<u32>(warp, inst.op[3]);
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) { return permute(a[lane], b[lane], c[lane], inst.kind); });
}

void prmt(Build &build) {
  build.inst.kind = static_cast<u32>(build.pick({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}, -1) + 1);
  operands(build, build.type(), 4);
  build.emit(runPermute);
}

void runLop3(Warp &warp, const Inst &inst) {
  const u32 *a = in<u32>(warp, inst.op[1]), *b = in<u32>(warp, inst.op[2]), *c = in<u32>(warp, inst.op[3]);
  const u32 table = inst.kind;
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) {
    u32 made = 0;
    for (u32 row = 0; row < 8; ++row)
      if (table >> row & 1)
        made |= (row & 4 ? a[lane] : ~a[lane]) & (row & 2 ? b[lane] : ~b[lane]) & (row & 1 ? c[lane] : ~c[lane]);
    return made;
  });
}

void lop3(Build &build) {
  build.expect(5, 5);
  const Type type = integerOf(build);
  build.inst.op[0] = build.result(0, type);
  for (size_t i = 1; i < 4; ++i)
    build.inst.op[i] = build.source(i, type);
  build.inst.kind = static_cast<u32>(build.immediate(4));
  build.emit(runLop3);
}
} // namespace

void addBitOps(std::map<std::string_view, Builder> &ops) {
  ops["and"] = buildLogic<And>;
  ops["or"] = buildLogic<Or>;
  ops["xor"] = buildLogic<Xor>;
  ops["not"] = buildLogic<Not>;
  ops["cnot"] = cnot;
  ops["shl"] = ops["shr"] = shift;
  ops["shf"] = funnel;
  ops["popc"] = ops["clz"] = ops["brev"] = count;
  ops["bfind"] = bfind;
  ops["bfe"] = ops["bfi"] = field;
  ops["bmsk"] = bmsk;
  ops["szext"] = szext;
  ops["prmt"] = prmt;
  ops["lop3"] = lop3;
}

} // namespace standin
