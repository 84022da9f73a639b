// cvt.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Floats.h"

namespace standin {

namespace {
struct Conversion { // Inst::kind and kind2 hold it
  char from, to;
  u8 fromBits, toBits;
  Rounding rounding;
  u8 integral : 1, ftz : 1, sat : 1, relu : 1, finite : 1;
};
static_assert(sizeof(Conversion) <= 8);

Conversion conversionOf(const Inst &inst) {
  const u64 bits = static_cast<u64>(inst.kind2) << 32 | inst.kind;
  Conversion how;
  memcpy(&how, &bits, sizeof how);
  return how;
}

bool isFloatKind(char kind) { return kind == 'f' || kind == 'h' || kind == 't' || kind == 'e' || kind == 'g'; }

const SmallFormat &formatOf(char kind) {
  return kind == 'h' ? bfloat : kind == 't' ? tensorFloat : kind == 'e' ? e4m3 : kind == 'g' ? e5m2 : half;
}

s64 asInteger(u64 bits, char kind, u32 width) {
  const u32 up = 64 - width;
  return kind == 's' ? static_cast<s64>(bits << up) >> up : static_cast<s64>(bits << up >> up);
}

double asDouble(u64 bits, const Conversion &how) {
  if (how.from == 'f' && how.fromBits == 64)
    return std::bit_cast<double>(bits);
  if (how.from == 't' || (how.from == 'f' && how.fromBits == 32)) {
    const float value = bitsToFloat(static_cast<u32>(bits));
    return how.ftz ? flush(value) : value;
  }
  return fromSmall(formatOf(how.from), static_cast<u32>(bits));
}

double roundedToIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// Floats to integers saturate; NaN becomes 0, or the top bit for 64 bits (PTX ISA, "cvt").
u64 toInteger(double value, const Conversion &how) {
  if (value != value)
    return how.toBits == 64 ? u64(1) << 63 : how.fromBits == 64 && how.toBits == 32 ? 0x80000000u : 0;
  const double whole = roundedToIntegral(value, how.rounding);
  const double limit = std::ldexp(1.0, how.to == 's' ? how.toBits - 1 : how.toBits);
  if (how.to == 's')
    return static_cast<u64>(whole >= limit   ? static_cast<s64>((u64(1) << (how.toBits - 1)) - 1)
                            : whole < -limit ? static_cast<s64>(~u64(0) << (how.toBits - 1))
                                             : static_cast<s64>(whole));
  return whole >= limit ? (how.toBits == 64 ? ~u64(0) : (u64(1) << how.toBits) - 1) : whole <= 0 ? 0 : static_cast<u64>(whole);
}

u64 toFloat(double value, const Conversion &how) {
  if (how.integral)
    value = roundedToIntegral(value, how.rounding);
  if (how.sat && how.to != 'e' && how.to != 'g')
    value = saturated(value);
  if (how.relu)
    value = value > 0 ? value : value != value ? value : 0;
  if (how.to == 'f' && how.toBits == 64)
    return std::bit_cast<u64>(value);
  if (how.to == 'f' && how.toBits == 32) {
    const float made =
        canonical(how.rounding == Rounding::NearestEven ? static_cast<float>(value) : roundedNarrow(value, how.rounding));
    return floatToBits(how.ftz ? flush(made) : made);
  }
  if (how.to == 't') {
    const float single = static_cast<float>(value);
    return single != single ? 0x7fffffff : roundTo(tensorFloat, single, how.rounding, how.finite) << 13;
  }
  return roundTo(formatOf(how.to), value, how.rounding, how.finite);
}

u64 integerToFloat(s64 value, const Conversion &how) {
  const bool isUnsigned = how.from != 's';
  if (how.to == 'f' && how.toBits == 32)
    return floatToBits(how.sat ? saturated(roundedFromInteger(value, isUnsigned, how.rounding))
                               : roundedFromInteger(value, isUnsigned, how.rounding));
  if (how.to == 'f' && how.toBits == 64)
    return std::bit_cast<u64>(roundedDoubleFromInteger(value, isUnsigned, how.rounding));
  // Halves have at most 11 bits: rounded first to odd, a double decides as the integer would.
  double approximate = roundedDoubleFromInteger(value, isUnsigned, Rounding::Zero);
  const bool exact =
      isUnsigned ? static_cast<u64>(approximate) == static_cast<u64>(value) : static_cast<s64>(approximate) == value;
  if (!exact)
    approximate = std::bit_cast<double>(std::bit_cast<u64>(approximate) | 1);
  return roundTo(formatOf(how.to), approximate, how.rounding);
}

u64 integerToInteger(s64 value, const Conversion &how) {
  if (!how.sat)
    return static_cast<u64>(value);
  const bool isUnsigned = how.from != 's';
  if (how.to == 's') {
    const s64 most = static_cast<s64>((u64(1) << (how.toBits - 1)) - 1);
    if (isUnsigned)
      return static_cast<u64>(value) > static_cast<u64>(most) ? static_cast<u64>(most) : static_cast<u64>(value);
    return static_cast<u64>(value > most ? most : value < -most - 1 ? -most - 1 : value);
  }
  const u64 most = how.toBits == 64 ? ~u64(0) : (u64(1) << how.toBits) - 1;
  if (!isUnsigned && value < 0)
    return 0;
  return static_cast<u64>(value) > most ? most : static_cast<u64>(value);
}

u64 converted(u64 bits, const Conversion &how) {
  if (isFloatKind(how.from)) {
    const double value = asDouble(bits, how);
    return isFloatKind(how.to) ? toFloat(value, how) : toInteger(value, how);
  }
  const s64 value = asInteger(bits, how.from, how.fromBits);
  return isFloatKind(how.to) ? integerToFloat(value, how) : integerToInteger(value, how);
}

/// size and regSize are the bytes of the source's and the result's register.
void run(Warp &warp, const Inst &inst) {
  const Conversion how = conversionOf(inst);
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    u64 bits = readLane(warp, inst.op[1], inst.size, lane);
    if (how.fromBits < 64)
      bits &= (u64(1) << how.fromBits) - 1;
    u64 made = converted(bits, how);
    // Into a wider register the value goes extended as its type says.
    if (how.toBits < 64 && !isFloatKind(how.to))
      made = static_cast<u64>(asInteger(made, how.to, how.toBits));
    writeLane(warp, inst.op[0], inst.regSize, lane, made);
  }
}

/// Two values into a packed pair: op[1] becomes the upper half.
void runPair(Warp &warp, const Inst &inst) {
  const Conversion how = conversionOf(inst);
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 high = converted(in<u32>(warp, inst.op[1])[lane], how), low = converted(in<u32>(warp, inst.op[2])[lane], how);
    writeLane(warp, inst.op[0], inst.regSize, lane, high << how.toBits | low);
  }
}

/// A packed pair of 8-bit floats and one of halves, either way.
void runPacked(Warp &warp, const Inst &inst) {
  const Conversion how = conversionOf(inst);
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 pair = readLane(warp, inst.op[1], inst.size, lane), mask = (u64(1) << how.fromBits) - 1;
    const u64 low = converted(pair & mask, how), high = converted(pair >> how.fromBits & mask, how);
    writeLane(warp, inst.op[0], inst.regSize, lane, high << how.toBits | low);
  }
}

template <class R, class A>
constexpr auto plain = [](A a) { return static_cast<R>(a); };

/// The common conversions, as loops that vectorise; null for the others.
Exec fastConversion(const Conversion &how) {
  const auto is = [&](char to, int toBits, char from, int fromBits) {
    const auto same = [](char a, char b) { return a == b || (a == 'u' && b == 'b') || (a == 'b' && b == 'u'); };
    return same(to, how.to) && toBits == how.toBits && same(from, how.from) && fromBits == how.fromBits;
  };
  if (how.sat || how.ftz || how.relu || how.integral)
    return nullptr;
  if (is('u', 64, 'u', 32) || is('s', 64, 'u', 32))
    return unaryTo<u64, u32, plain<u64, u32>>;
  if (is('s', 64, 's', 32) || is('u', 64, 's', 32))
    return unaryTo<s64, s32, plain<s64, s32>>;
  if (how.toBits == 32 && how.fromBits == 64 && !isFloatKind(how.to) && !isFloatKind(how.from))
    return unaryTo<u32, u64, plain<u32, u64>>;
  if (is('u', 32, 'u', 16) || is('s', 32, 'u', 16))
    return unaryTo<u32, u16, plain<u32, u16>>;
  if (is('s', 32, 's', 16) || is('u', 32, 's', 16))
    return unaryTo<s32, s16, plain<s32, s16>>;
  if (is('f', 32, 'f', 16))
    return unaryTo<float, u16, [](u16 a) { return canonical(halfToFloat(a)); }>;
  if (is('f', 32, 'h', 16))
    return unaryTo<float, u16, [](u16 a) { return canonical(bfloatToFloat(a)); }>;
  if (how.rounding != Rounding::NearestEven)
    return nullptr;
  if (is('f', 32, 's', 32))
    return unaryTo<float, s32, plain<float, s32>>;
  if (is('f', 64, 's', 32))
    return unaryTo<double, s32, plain<double, s32>>;
  if (is('f', 32, 'u', 32))
    return unaryTo<float, u32, plain<float, u32>>;
  if (is('f', 16, 'f', 32))
    return unaryTo<u16, float, floatToHalf>;
  if (is('h', 16, 'f', 32))
    return unaryTo<u16, float, floatToBfloat>;
  if (is('f', 64, 'f', 32))
    return unaryTo<double, float, plain<double, float>>;
  return nullptr;
}

void cvt(Build &build) {
  if (build.has("pack"))
    build.unknown();
  const auto types = build.types();
  if (types.size() != 2)
    build.unknown();
  const Type to = types[0], from = types[1];
  const int mode = build.pick({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"}, -1);
  static constexpr Rounding modes[] = {Rounding::NearestEven, Rounding::Zero,        Rounding::Down,
                                       Rounding::Up,          Rounding::NearestAway, Rounding::NearestEven,
                                       Rounding::Zero,        Rounding::Down,        Rounding::Up};
  Conversion how{from.kind, to.kind, static_cast<u8>(from.bits), static_cast<u8>(to.bits), Rounding::NearestEven, 0, 0, 0,
                 0,         0};
  if (mode >= 0)
    how.rounding = modes[mode];
  else if (isFloatKind(from.kind) && !isFloatKind(to.kind))
    build.fail("'" + std::string(build.statement.text) + "' needs a rounding mode");
  how.integral = mode >= 5;
  how.ftz = build.has("ftz");
  how.sat = build.has("sat");
  how.relu = build.has("relu");
  how.finite = build.has("satfinite");
  const bool pair = to.packed && !from.packed, packed = to.packed && from.packed;
  if (from.packed != packed)
    build.unknown();
  if (to.packed)
    how.toBits /= 2;
  if (from.packed)
    how.fromBits /= 2;
  u64 bits = 0;
  memcpy(&bits, &how, sizeof how);
  build.inst.kind = static_cast<u32>(bits);
  build.inst.kind2 = static_cast<u32>(bits >> 32);
  build.expect(pair ? 3 : 2, pair ? 3 : 2);
  // Registers may be wider than the instruction's types.
  const auto widened = [&](size_t index, Type type) {
    const Operand &operand = build.operand(index);
    if (operand.kind == Operand::Register && build.registerType(operand).kind != 'p' &&
        build.registerType(operand).bits > type.bits && !isFloatKind(type.kind))
      type.bits = build.registerType(operand).bits;
    return type;
  };
  const Type wideTo = widened(0, to), wideFrom = widened(1, from);
  build.inst.op[0] = build.result(0, wideTo);
  build.inst.op[1] = build.source(1, wideFrom);
  build.inst.regSize = static_cast<u8>(std::max(wideTo.bytes(), 2u));
  build.inst.size = static_cast<u8>(std::max(wideFrom.bytes(), 2u));
  if (pair) {
    build.inst.op[2] = build.source(2, from);
    return build.emit(runPair);
  }
  if (packed)
    return build.emit(runPacked);
  const Exec fast = wideTo.bits == to.bits && wideFrom.bits == from.bits ? fastConversion(how) : nullptr;
  build.emit(fast ? fast : run);
}
} // namespace

void addConvertOps(std::map<std::string_view, Builder> &ops) { ops["cvt"] = cvt; }

} // namespace standin
