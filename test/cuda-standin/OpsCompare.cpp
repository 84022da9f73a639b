// setp and set.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Floats.h"

namespace standin {

namespace {
enum Relation : int { Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <class T, int relation>
constexpr auto holds = [](T a, T b) -> bool {
  switch (relation) {
  case Eq:
    return a == b;
  case Ne:
    return a < b || a > b; // false for NaN, unlike !=
  case Lt:
  case Lo:
    return a < b;
  case Le:
  case Ls:
    return a <= b;
  case Gt:
  case Hi:
    return a > b;
  case Ge:
  case Hs:
    return a >= b;
  case Equ:
    return !(a < b || a > b);
  case Neu:
    return !(a == b);
  case Ltu:
    return !(a >= b);
  case Leu:
    return !(a > b);
  case Gtu:
    return !(a <= b);
  case Geu:
    return !(a < b);
  case Num:
    return a == a && b == b;
  default:
    return a != a || b != b;
  }
};

template <class T, int relation>
constexpr Exec comparison = compare<T, holds<T, relation>>;

template <class T>
Exec integerComparison(int relation) {
  static constexpr Exec runs[] = {comparison<T, Eq>, comparison<T, Ne>, comparison<T, Lt>, comparison<T, Le>,
                                  comparison<T, Gt>, comparison<T, Ge>, comparison<T, Lt>, comparison<T, Le>,
                                  comparison<T, Gt>, comparison<T, Ge>};
  return relation < 10 ? runs[relation] : nullptr;
}

template <class T>
Exec floatComparison(int relation) {
  static constexpr Exec runs[] = {comparison<T, Eq>,
                                  comparison<T, Ne>,
                                  comparison<T, Lt>,
                                  comparison<T, Le>,
                                  comparison<T, Gt>,
                                  comparison<T, Ge>,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  comparison<T, Equ>,
                                  comparison<T, Neu>,
                                  comparison<T, Ltu>,
                                  comparison<T, Leu>,
                                  comparison<T, Gtu>,
                                  comparison<T, Geu>,
                                  comparison<T, Num>,
                                  comparison<T, Nan>};
  return runs[relation];
}

bool related(int relation, float a, float b) {
  switch (relation) {
  case Eq:
    return holds<float, Eq>(a, b);
  case Ne:
    return holds<float, Ne>(a, b);
  case Lt:
    return holds<float, Lt>(a, b);
  case Le:
    return holds<float, Le>(a, b);
  case Gt:
    return holds<float, Gt>(a, b);
  case Ge:
    return holds<float, Ge>(a, b);
  case Equ:
    return holds<float, Equ>(a, b);
  case Neu:
    return holds<float, Neu>(a, b);
  case Ltu:
    return holds<float, Ltu>(a, b);
  case Leu:
    return holds<float, Leu>(a, b);
  case Gtu:
    return holds<float, Gtu>(a, b);
  case Geu:
    return holds<float, Geu>(a, b);
  case Num:
    return holds<float, Num>(a, b);
  default:
    return holds<float, Nan>(a, b);
  }
}

/// Compares halves, pairs (op[0] and op[3] take the low and the high result) and flushed floats. kind: relation; kind2: format.
void compareHalves(Warp &warp, const Inst &inst) {
  const u32 format = inst.kind2;
  const auto value = [&](Slot slot, u32 lane, u32 part) {
    if (format & 8)
      return flush(in<float>(warp, slot)[lane]);
    const u16 bits = static_cast<u16>(readLane(warp, slot, format & 2 ? 4 : 2, lane) >> (16 * part));
    return format & 1 ? bfloatToFloat(bits) : halfToFloat(bits);
  };
  for (u32 part = 0; part < (format & 2 ? 2 : 1); ++part) {
    u32 bits = 0;
    for (u32 lane = 0; lane < warpSize; ++lane)
      bits |=
          static_cast<u32>(related(static_cast<int>(inst.kind), value(inst.op[1], lane, part), value(inst.op[2], lane, part)))
          << lane;
    writePredicate(warp, part ? inst.op[3] : inst.op[0], bits);
  }
}

/// The boolean operation with a third predicate: op[0] = compared op p, op[1] = !compared op p.
void combine(Warp &warp, const Inst &inst) {
  const u32 compared = readPredicate(warp, inst.op[2]);
  const u32 other = inst.op[3] == noSlot ? 0 : readPredicate(warp, inst.op[3]) ^ (inst.kind2 ? ~0u : 0);
  const auto combined = [&](u32 a) {
    return inst.kind == 0 ? a & other : inst.kind == 1 ? a | other : inst.kind == 2 ? a ^ other : a;
  };
  const u32 first = combined(compared), second = combined(~compared);
  writePredicate(warp, inst.op[0], first);
  if (inst.op[1] != noSlot)
    writePredicate(warp, inst.op[1], second);
}

/// From a predicate to all ones or 1.0.
void spread(Warp &warp, const Inst &inst) {
  const u32 bits = readPredicate(warp, inst.op[1]), one = inst.kind;
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) { return bits >> lane & 1 ? one : 0; });
}
void spread16(Warp &warp, const Inst &inst) {
  const u32 bits = readPredicate(warp, inst.op[1]), one = inst.kind;
  eachLane<u16>(warp, inst.op[0], [&](u32 lane) { return static_cast<u16>(bits >> lane & 1 ? one : 0); });
}
void spreadPair(Warp &warp, const Inst &inst) {
  const u32 low = readPredicate(warp, inst.op[1]), high = readPredicate(warp, inst.op[2]), one = inst.kind;
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) { return (low >> lane & 1 ? one : 0) | (high >> lane & 1 ? one << 16 : 0); });
}

bool isHalf(Type type) { return type.kind == 'h' || (type.kind == 'f' && (type.bits == 16 || type.packed)); }

/// Emits the comparison of operands `first` and the next into predicate slots.
void buildComparison(Build &build, Type type, size_t first, Slot low, Slot high) {
  const int relation = build.pick(
      {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}, -1);
  if (relation < 0)
    build.unknown();
  const bool ftz = build.has("ftz");
  Inst &inst = build.inst;
  inst.op[0] = low;
  inst.op[1] = build.source(first, type);
  inst.op[2] = build.source(first + 1, type);
  inst.op[3] = high;
  Exec run = nullptr;
  if (isHalf(type) || (ftz && type.kind == 'f')) {
    inst.kind = static_cast<u32>(relation);
    inst.kind2 = (type.kind == 'h') | (type.packed ? 2 : 0) | (isHalf(type) ? 0 : 8);
    return build.emit(compareHalves);
  }
  if (type.kind == 'f')
    run = type.bits == 64 ? floatComparison<double>(relation) : floatComparison<float>(relation);
  else if (relation >= Lo && relation <= Hs) // unsigned whatever the type says
    run = type.bits == 16   ? integerComparison<u16>(relation)
          : type.bits == 32 ? integerComparison<u32>(relation)
                            : integerComparison<u64>(relation);
  else {
#define RUN(T) integerComparison<T>(relation)
    run = STANDIN_BY_INTEGER(type, RUN);
#undef RUN
  }
  if (!run)
    build.unknown();
  build.emit(run);
}

void setp(Build &build) {
  const Type type = build.type();
  const int boolean = build.pick({"and", "or", "xor"}, 3);
  build.expect(boolean < 3 ? 4 : 3, boolean < 3 ? 4 : 3);
  bool ignored, negated = false;
  const Slot to = build.predicate(build.operand(0), ignored), second = build.secondPredicate(build.operand(0));
  if (boolean == 3 && (second == noSlot || type.packed))
    return buildComparison(build, type, 1, to, type.packed ? second : noSlot);
  if (type.packed)
    build.unknown();
  const Slot compared = build.lowering.scratch(4);
  const Slot other = boolean < 3 ? build.predicate(build.operand(3), negated) : noSlot;
  buildComparison(build, type, 1, compared, noSlot);
  Inst &inst = build.inst;
  inst.op[0] = to;
  inst.op[1] = second;
  inst.op[2] = compared;
  inst.op[3] = other;
  inst.kind = static_cast<u32>(boolean);
  inst.kind2 = negated;
  build.emit(combine);
}

void set(Build &build) {
  const auto types = build.types();
  if (types.size() != 2)
    build.unknown();
  const int boolean = build.pick({"and", "or", "xor"}, 3);
  build.expect(boolean < 3 ? 4 : 3, boolean < 3 ? 4 : 3);
  bool negated = false;
  const Slot low = build.lowering.scratch(4), high = build.lowering.scratch(4);
  const Slot other = boolean < 3 ? build.predicate(build.operand(3), negated) : noSlot;
  if (types[1].packed && boolean < 3)
    build.unknown();
  buildComparison(build, types[1], 1, low, high);
  Inst &inst = build.inst;
  if (boolean < 3) {
    inst.op[0] = low;
    inst.op[1] = noSlot;
    inst.op[2] = low;
    inst.op[3] = other;
    inst.kind = static_cast<u32>(boolean);
    inst.kind2 = negated;
    build.emit(combine);
  }
  const Type to = types[0];
  inst.op[0] = build.result(0, to);
  inst.op[1] = low;
  inst.op[2] = high;
  const u32 width = to.packed || to.bits == 16 ? 0xffffu : ~0u;
  inst.kind = to.kind == 'f' ? (width == ~0u ? floatToBits(1) : 0x3c00) : to.kind == 'h' ? 0x3f80 : width;
  build.emit(types[1].packed ? spreadPair : to.bits == 16 ? spread16 : spread);
}
} // namespace

void addCompareOps(std::map<std::string_view, Builder> &ops) {
  ops["setp"] = setp;
  ops["set"] = set;
}

} // namespace standin
