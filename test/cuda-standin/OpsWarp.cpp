// Operations among a warp's lanes.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Floats.h"
#include "Races.h"

#include <algorithm>

namespace standin {

namespace {
u32 membersOf(const Warp &warp, Slot slot) {
  const u32 members = in<u32>(warp, slot)[firstLane(warp.mask)];
  return members;
}

/// Brings the members together; false if the instruction waits. All executing lanes must name the same members.
bool together(Warp &warp, const Inst &inst, Slot slot) {
  const u32 *masks = in<u32>(warp, slot), members = membersOf(warp, slot);
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1)
    if (masks[firstLane(lanes)] != members) {
      // Lanes with different masks execute one after another, each group with its own.
      u32 same = 0;
      for (u32 all = warp.mask; all; all &= all - 1)
        same |= static_cast<u32>(masks[firstLane(all)] == members) << firstLane(all);
      const u32 others = warp.active & ~same;
      for (u32 all = others; all; all &= all - 1)
        warp.lanePc[firstLane(all)] = warp.mask >> firstLane(all) & 1 ? warp.pc - 1 : warp.pc;
      warp.active = warp.mask = same;
      warp.mergePc = warp.pc - 1;
      break;
    }
  return gather(warp, members, inst);
}

void runWarpSync(Warp &warp, const Inst &inst) {
  if (together(warp, inst, inst.op[1]))
    syncLanes(warp, warp.mask);
}

/// shfl.sync: op[0] result, op[1] value, op[2] lane, op[3] clamp and segments, op[4] members; list[0]: the predicate.
void runShuffle(Warp &warp, const Inst &inst) {
  if (!together(warp, inst, inst.op[4]))
    return;
  const u32 *value = in<u32>(warp, inst.op[1]), *b = in<u32>(warp, inst.op[2]), *c = in<u32>(warp, inst.op[3]);
  u32 made[warpSize] = {}, valid = 0;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes), step = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const u32 most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    u32 from = 0;
    bool inside = false;
    switch (inst.kind) {
    case 0: // up
      from = lane - step;
      inside = static_cast<s32>(from) >= static_cast<s32>(most);
      break;
    case 1: // down
      from = lane + step;
      inside = from <= most;
      break;
    case 2: // bfly
      from = lane ^ step;
      inside = from <= most;
      break;
    default: // idx
      from = least | (step & ~segment);
      inside = from <= most;
    }
    if (!inside)
      from = lane;
    valid |= static_cast<u32>(inside) << lane;
    if (!(warp.mask >> from & 1))
      fail(warp, lane, launchFailed, "reads the value of lane " + std::to_string(from) + ", which does not take part");
    made[lane] = value[from];
  }
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) { return made[lane]; });
  if (inst.listCount)
    writePredicate(warp, inst.list[0], valid);
}

void shfl(Build &build) {
  if (!build.has("sync"))
    build.unknown();
  const int mode = build.pick({"up", "down", "bfly", "idx"}, -1);
  const Type type = build.type();
  if (mode < 0)
    build.unknown();
  build.expect(5, 5);
  build.inst.kind = static_cast<u32>(mode);
  build.inst.op[0] = build.result(0, type);
  build.inst.op[1] = build.source(1, type);
  for (size_t i = 2; i < 5; ++i)
    build.inst.op[i] = build.source(i, {'u', 32});
  if (const Slot predicate = build.secondPredicate(build.operand(0)); predicate != noSlot) {
    build.inst.list = build.lowering.keep({predicate});
    build.inst.listCount = 1;
  }
  build.emit(runShuffle);
}

void runVote(Warp &warp, const Inst &inst) {
  if (!together(warp, inst, inst.op[2]))
    return;
  const u32 bits = (readPredicate(warp, inst.op[1]) ^ (inst.kind2 ? ~0u : 0)) & warp.mask;
  if (inst.kind == 3) {
    eachLane<u32>(warp, inst.op[0], [&](u32) { return bits; });
    return;
  }
  const bool all = bits == warp.mask, any = bits != 0;
  writePredicate(warp, inst.op[0], (inst.kind == 0 ? all : inst.kind == 1 ? any : all || !any) ? ~0u : 0);
}

void vote(Build &build) {
  const bool sync = build.has("sync");
  const int mode = build.pick({"all", "any", "uni", "ballot"}, -1);
  build.types();
  if (!sync || mode < 0)
    build.unknown();
  bool negated, ignored;
  build.expect(3, 3);
  build.inst.kind = static_cast<u32>(mode);
  build.inst.op[0] = mode == 3 ? build.result(0, {'b', 32}) : build.predicate(build.operand(0), ignored);
  build.inst.op[1] = build.predicate(build.operand(1), negated);
  build.inst.kind2 = negated;
  build.inst.op[2] = build.source(2, {'u', 32});
  build.emit(runVote);
}

void runMatch(Warp &warp, const Inst &inst) {
  if (!together(warp, inst, inst.op[2]))
    return;
  u32 made[warpSize] = {};
  u32 equal = 0;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 mine = readLane(warp, inst.op[1], inst.size, lane);
    for (u32 others = warp.mask; others; others &= others - 1)
      made[lane] |= static_cast<u32>(readLane(warp, inst.op[1], inst.size, firstLane(others)) == mine) << firstLane(others);
    equal = made[lane];
  }
  const bool all = equal == warp.mask;
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) { return inst.kind ? (all ? warp.mask : 0) : made[lane]; });
  if (inst.kind && inst.listCount)
    writePredicate(warp, inst.list[0], all ? ~0u : 0);
}

void match(Build &build) {
  const int mode = build.pick({"any", "all"}, -1);
  if (mode < 0 || !build.has("sync"))
    build.unknown();
  const Type type = build.type();
  build.expect(3, 3);
  build.inst.kind = static_cast<u32>(mode);
  build.inst.size = static_cast<u8>(type.bytes());
  build.inst.op[0] = build.result(0, {'b', 32});
  build.inst.op[1] = build.source(1, type);
  build.inst.op[2] = build.source(2, {'u', 32});
  if (const Slot predicate = build.secondPredicate(build.operand(0)); predicate != noSlot) {
    build.inst.list = build.lowering.keep({predicate});
    build.inst.listCount = 1;
  }
  build.emit(runMatch);
}

u32 reduced(u32 kind, char type, u32 a, u32 b) {
  switch (kind) {
  case 0:
    return a + b;
  case 1:
  case 2: {
    const bool isMax = kind == 2;
    if (type == 's')
      return static_cast<u32>(isMax ? std::max<s32>(static_cast<s32>(a), static_cast<s32>(b))
                                    : std::min<s32>(static_cast<s32>(a), static_cast<s32>(b)));
    return isMax ? std::max(a, b) : std::min(a, b);
  }
  case 3:
    return a & b;
  case 4:
    return a | b;
  default:
    return a ^ b;
  }
}

u32 reducedFloat(u32 kind, u32 flags, u32 a, u32 b) { // flags: 1 .abs, 2 .NaN
  const float x = flags & 1 ? std::fabs(bitsToFloat(a)) : bitsToFloat(a),
              y = flags & 1 ? std::fabs(bitsToFloat(b)) : bitsToFloat(b);
  if ((flags & 2) && (x != x || y != y))
    return 0x7fffffff;
  return floatToBits(kind == 2 ? std::fmax(x, y) : std::fmin(x, y));
}

void runRedux(Warp &warp, const Inst &inst) {
  if (!together(warp, inst, inst.op[2]))
    return;
  const u32 *values = in<u32>(warp, inst.op[1]);
  const char type = static_cast<char>(inst.kind2 & 0xff);
  u32 rest = warp.mask, made = values[firstLane(rest)];
  if (type == 'f')
    made = reducedFloat(inst.kind, inst.kind2 >> 8, made, made);
  for (rest &= rest - 1; rest; rest &= rest - 1) {
    const u32 value = values[firstLane(rest)];
    made = type == 'f' ? reducedFloat(inst.kind, inst.kind2 >> 8, made, value) : reduced(inst.kind, type, made, value);
  }
  eachLane<u32>(warp, inst.op[0], [&](u32) { return made; });
}

void redux(Build &build) {
  const int kind = build.pick({"add", "min", "max", "and", "or", "xor"}, -1);
  if (kind < 0 || !build.has("sync"))
    build.unknown();
  const u32 flags = static_cast<u32>(build.has("abs")) | static_cast<u32>(build.has("NaN")) << 1;
  const Type type = build.type();
  if (type.kind == 'f' && kind != 1 && kind != 2)
    build.unknown();
  build.expect(3, 3);
  build.inst.kind = static_cast<u32>(kind);
  build.inst.kind2 = static_cast<u32>(type.kind) | flags << 8;
  build.inst.op[0] = build.result(0, type);
  build.inst.op[1] = build.source(1, type);
  build.inst.op[2] = build.source(2, {'u', 32});
  build.emit(runRedux);
}

/// elect.sync elects the lowest lane, as devices are seen to; the ISA leaves the choice open.
void runElect(Warp &warp, const Inst &inst) {
  if (!together(warp, inst, inst.op[1]))
    return;
  const u32 leader = firstLane(warp.mask);
  eachLane<u32>(warp, inst.op[0], [&](u32) { return leader; });
  if (inst.listCount)
    writePredicate(warp, inst.list[0], 1u << leader);
}

void elect(Build &build) {
  if (!build.has("sync"))
    build.unknown();
  build.expect(2, 2);
  build.inst.op[0] = build.result(0, {'b', 32});
  build.inst.op[1] = build.source(1, {'u', 32});
  if (const Slot predicate = build.secondPredicate(build.operand(0)); predicate != noSlot) {
    build.inst.list = build.lowering.keep({predicate});
    build.inst.listCount = 1;
  }
  build.emit(runElect);
}

void runActive(Warp &warp, const Inst &inst) {
  eachLane<u32>(warp, inst.op[0], [&](u32) { return warp.mask; });
}
void activemask(Build &build) {
  build.inst.op[0] = build.result(0, build.type());
  build.emit(runActive);
}
} // namespace

void buildWarpSync(Build &build) {
  if (!build.has("sync"))
    build.unknown();
  build.expect(1, 1);
  build.inst.op[1] = build.source(0, {'u', 32});
  build.emit(runWarpSync);
}

void addWarpOps(std::map<std::string_view, Builder> &ops) {
  ops["shfl"] = shfl;
  ops["vote"] = vote;
  ops["match"] = match;
  ops["redux"] = redux;
  ops["elect"] = elect;
  ops["activemask"] = activemask;
}

} // namespace standin
