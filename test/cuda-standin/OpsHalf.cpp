// Half precision: f16, bf16 and pairs of them.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Floats.h"

namespace standin {

namespace {
enum Kind : u32 { Add, Sub, Mul, Fma, Min, Max, Neg, Abs, Ex2, Tanh, None };

// In Inst::kind2.
constexpr u32 bfloatBit = 1, packedBit = 2, ftzBit = 4, satBit = 8, reluBit = 16, nanBit = 32;

u16 flushHalf(u16 bits, u32 mode) {
  const u32 exponent = mode & bfloatBit ? 0x7f80u : 0x7c00u;
  return bits & exponent ? bits : bits & 0x8000;
}

u16 extreme(u16 a, u16 b, u32 mode, bool isMax) {
  const float x = mode & bfloatBit ? bfloatToFloat(a) : halfToFloat(a),
              y = mode & bfloatBit ? bfloatToFloat(b) : halfToFloat(b);
  if (x != x || y != y)
    return (mode & nanBit) || (x != x && y != y) ? 0x7fff : x != x ? b : a;
  if (x == y)
    return ((a >> 15) != 0) == isMax ? b : a;
  return (x < y) == isMax ? b : a;
}

u16 one(u32 kind, u32 mode, u16 a, u16 b, u16 c) {
  if (mode & ftzBit) {
    a = flushHalf(a, mode);
    b = flushHalf(b, mode);
    c = flushHalf(c, mode);
  }
  const bool isBfloat = mode & bfloatBit;
  const double x = isBfloat ? bfloatToFloat(a) : halfToFloat(a), y = isBfloat ? bfloatToFloat(b) : halfToFloat(b);
  const double z = isBfloat ? bfloatToFloat(c) : halfToFloat(c);
  // Sums and products of two are exact in a double; fma can need more bits, so it goes by a double rounded to odd.
  const auto exactFma = [](double product, double addend) {
    const double sum = product + addend;
    const double part = sum - product, error = (product - (sum - part)) + (addend - part);
    u64 bits = std::bit_cast<u64>(sum);
    if (std::isfinite(sum) && error != 0 && !(bits & 1))
      bits += (error > 0) == (sum > 0) ? 1 : -1ull;
    return std::bit_cast<double>(bits);
  };
  double value;
  switch (kind) {
  case Add:
    value = x + y;
    break;
  case Sub:
    value = x - y;
    break;
  case Mul:
    value = x * y;
    break;
  case Fma:
    value = exactFma(x * y, z);
    break;
  case Ex2:
    value = std::exp2(x);
    break;
  case Tanh:
    value = std::tanh(x);
    break;
  case Min:
    return extreme(a, b, mode, false);
  case Max:
    return extreme(a, b, mode, true);
  case Neg:
    return a ^ 0x8000;
  default:
    return a & 0x7fff;
  }
  u16 made = static_cast<u16>(roundTo(isBfloat ? bfloat : half, value));
  if (mode & ftzBit)
    made = flushHalf(made, mode);
  if (mode & (satBit | reluBit)) {
    const float result = isBfloat ? bfloatToFloat(made) : halfToFloat(made);
    if (mode & satBit)
      return result != result || result <= 0 ? 0 : result >= 1 ? (isBfloat ? 0x3f80 : 0x3c00) : made;
    return result != result ? 0x7fff : result <= 0 ? 0 : made;
  }
  return made;
}

void run(Warp &warp, const Inst &inst) {
  const bool packed = inst.kind2 & packedBit;
  const u32 bytes = packed ? 4 : 2;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 a = readLane(warp, inst.op[1], bytes, lane);
    const u64 b = inst.op[2] == noSlot ? 0 : readLane(warp, inst.op[2], bytes, lane);
    const u64 c = inst.op[3] == noSlot ? 0 : readLane(warp, inst.op[3], bytes, lane);
    u64 made = 0;
    for (u32 part = 0; part < bytes * 8; part += 16)
      made |= static_cast<u64>(one(inst.kind, inst.kind2, static_cast<u16>(a >> part), static_cast<u16>(b >> part),
                                   static_cast<u16>(c >> part)))
              << part;
    writeLane(warp, inst.op[0], bytes, lane, made);
  }
}

Kind kindOf(std::string_view name) {
  static constexpr std::string_view names[] = {"add", "sub", "mul", "fma", "min", "max", "neg", "abs", "ex2", "tanh"};
  for (u32 i = 0; i < None; ++i)
    if (names[i] == name)
      return static_cast<Kind>(i);
  return None;
}
} // namespace

/// Builds an operation on halves; false if there is none of that name.
bool buildHalfArithmetic(Build &build, Type type) {
  const Kind kind = kindOf(build.statement.words[0]);
  if (kind == None || build.types().size() != 1)
    return false;
  const size_t count = kind == Fma ? 4 : kind <= Max ? 3 : 2;
  build.ignore({"rn", "approx"});
  build.inst.kind = kind;
  build.inst.kind2 = (type.kind == 'h' ? bfloatBit : 0) | (type.packed ? packedBit : 0) | (build.has("ftz") ? ftzBit : 0) |
                     (build.has("sat") ? satBit : 0) | (build.has("relu") ? reluBit : 0) | (build.has("NaN") ? nanBit : 0);
  build.expect(count, count);
  build.inst.op[0] = build.result(0, type);
  for (size_t i = 1; i < count; ++i)
    build.inst.op[i] = build.source(i, type);
  build.emit(run);
  return true;
}

} // namespace standin
