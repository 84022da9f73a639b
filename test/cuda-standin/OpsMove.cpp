// mov, selections and special registers.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lanes.h"

#include <chrono>

namespace standin {

namespace {
constexpr auto same = [](auto a) { return a; };

void movePredicate(Warp &warp, const Inst &inst) {
  writePredicate(warp, inst.op[0], readPredicate(warp, inst.op[1]) ^ (inst.kind ? ~0u : 0));
}

/// Registers of `size` bytes in list into one of regSize bytes.
void pack(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    u64 made = 0;
    for (u32 i = 0; i < inst.listCount; ++i)
      made |= readLane(warp, inst.list[i], std::max<u32>(inst.size, 2), lane) << (8 * inst.size * i);
    writeLane(warp, inst.op[0], inst.regSize, lane, made);
  }
}
void unpack(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 value = readLane(warp, inst.op[1], inst.regSize, lane);
    for (u32 i = 0; i < inst.listCount; ++i)
      writeLane(warp, inst.list[i], std::max<u32>(inst.size, 2), lane,
                value >> (8 * inst.size * i) & (inst.size == 4   ? ~0u
                                                : inst.size == 2 ? 0xffffu
                                                                 : 0xffu));
  }
}

void mov(Build &build) {
  const Type type = build.type();
  build.expect(2, 2);
  const Operand &to = build.operand(0), &from = build.operand(1);
  if (type.kind == 'p') {
    bool negated, ignored;
    build.inst.op[0] = build.predicate(to, ignored);
    build.inst.op[1] = build.predicate(from, negated);
    build.inst.kind = negated;
    return build.emit(movePredicate);
  }
  const bool packs = from.kind == Operand::Vector, unpacks = to.kind == Operand::Vector;
  if (packs && unpacks)
    build.unknown();
  if (packs || unpacks) {
    const auto &parts = packs ? from.parts : to.parts;
    if (parts.empty() || type.bits % parts.size() || type.bits > 64)
      build.fail("a vector of the wrong length");
    const Type part{'b', type.bits / static_cast<u32>(parts.size())};
    auto slots = build.vector(packs ? from : to, part, unpacks);
    build.inst.listCount = static_cast<u16>(slots.size());
    build.inst.list = build.lowering.keep(std::move(slots));
    build.inst.size = static_cast<u8>(part.bytes());
    build.inst.regSize = static_cast<u8>(type.bytes());
    if (packs)
      build.inst.op[0] = build.result(to, type);
    else
      build.inst.op[1] = build.source(from, type);
    return build.emit(packs ? pack : unpack);
  }
  build.inst.op[0] = build.result(to, type);
  build.inst.op[1] = build.source(from, type);
#define RUN(T) unary<T, same>
  build.emit(STANDIN_BY_BITS(type, RUN));
#undef RUN
}

template <class T>
void select(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]);
  const u32 which = readPredicate(warp, inst.op[3]) ^ (inst.kind ? ~0u : 0);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) { return which >> lane & 1 ? a[lane] : b[lane]; });
}

void selp(Build &build) {
  const Type type = build.type();
  bool negated;
  build.expect(4, 4);
  build.inst.op[0] = build.result(0, type);
  build.inst.op[1] = build.source(1, type);
  build.inst.op[2] = build.source(2, type);
  build.inst.op[3] = build.predicate(build.operand(3), negated);
  build.inst.kind = negated;
#define RUN(T) select<T>
  build.emit(STANDIN_BY_BITS(type, RUN));
#undef RUN
}

/// slct: by the sign of c.
template <class T, class C>
void selectBySign(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]);
  const C *c = in<C>(warp, inst.op[3]);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) { return c[lane] >= 0 ? a[lane] : b[lane]; });
}

void slct(Build &build) {
  build.has("ftz");
  const auto types = build.types();
  if (types.size() != 2)
    build.unknown();
  build.expect(4, 4);
  for (size_t i = 0; i < 3; ++i)
    build.inst.op[i] = i ? build.source(i, types[0]) : build.result(i, types[0]);
  build.inst.op[3] = build.source(3, types[1]);
  const bool isFloat = types[1].kind == 'f';
#define RUN(T) (isFloat ? selectBySign<T, float> : selectBySign<T, s32>)
  build.emit(STANDIN_BY_BITS(types[0], RUN));
#undef RUN
}

const std::map<std::string, int> &specials() {
  static const std::map<std::string, int> names = [] {
    std::map<std::string, int> made;
    const char *vectors[] = {"tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
    for (int i = 0; i < 8; ++i)
      for (int axis = 0; axis < 3; ++axis)
        made[std::string("%") + vectors[i] + "." + "xyz"[axis]] = i * 3 + axis;
    const char *others[] = {"laneid",
                            "warpid",
                            "nwarpid",
                            "cluster_ctarank",
                            "cluster_nctarank",
                            "is_explicit_cluster",
                            "lanemask_eq",
                            "lanemask_le",
                            "lanemask_lt",
                            "lanemask_ge",
                            "lanemask_gt",
                            "clock",
                            "clock64",
                            "clock_hi",
                            "globaltimer",
                            "smid",
                            "nsmid",
                            "gridid",
                            "dynamic_smem_size",
                            "total_smem_size",
                            "aggr_smem_size",
                            "globaltimer_lo",
                            "globaltimer_hi"};
    for (int i = 0; i < 23; ++i)
      made[std::string("%") + others[i]] = 24 + i;
    return made;
  }();
  return names;
}

u64 vectorRegister(const Warp &warp, u32 kind, u32 lane) {
  const Launch &launch = *warp.launch;
  const Block &block = *warp.block;
  const u32 axis = kind % 3, thread = warp.index * warpSize + lane, *dims = launch.threads;
  switch (kind / 3) {
  case 0:
    return axis == 0 ? thread % dims[0] : axis == 1 ? thread / dims[0] % dims[1] : thread / dims[0] / dims[1];
  case 1:
    return dims[axis];
  case 2:
    return block.id[axis];
  case 3:
    return launch.grid[axis];
  case 4:
    return block.id[axis] / launch.clusterDims[axis];
  case 5:
    return launch.grid[axis] / launch.clusterDims[axis];
  case 6:
    return block.id[axis] % launch.clusterDims[axis];
  default:
    return launch.clusterDims[axis];
  }
}

u64 specialRegister(const Warp &warp, u32 kind, u32 lane) {
  const Launch &launch = *warp.launch;
  const u32 clusterSize = launch.clusterDims[0] * launch.clusterDims[1] * launch.clusterDims[2];
  const u64 time = static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
  switch (kind) {
  case 0:
    return lane;
  case 1:
    return warp.index;
  case 2:
    return launch.warpsPerBlock;
  case 3:
    return warp.block->rank;
  case 4:
    return clusterSize;
  case 5:
    return clusterSize > 1;
  case 6:
    return 1u << lane;
  case 7:
    return (2u << lane) - 1;
  case 8:
    return (1u << lane) - 1;
  case 9:
    return ~((1u << lane) - 1);
  case 10:
    return ~((2u << lane) - 1);
  case 11:
  case 12:
    return time;
  case 13:
    return time >> 32;
  case 14:
  case 21:
    return time;
  case 22:
    return time >> 32;
  case 15:
    return warp.block->number % launch.smCount;
  case 16:
    return launch.smCount;
  case 17:
    return launch.firstId;
  case 18:
    return launch.dynamicShared;
  default:
    return launch.sharedBytes;
  }
}
} // namespace

int specialKind(const std::string &name, u32 &) {
  const auto found = specials().find(name);
  return found == specials().end() ? -1 : found->second;
}

void runSpecial(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    writeLane(warp, inst.op[0], inst.size, lane,
              inst.kind < 24 ? vectorRegister(warp, inst.kind, lane) : specialRegister(warp, inst.kind - 24, lane));
  }
}

void addMoveOps(std::map<std::string_view, Builder> &ops) {
  ops["mov"] = mov;
  ops["selp"] = selp;
  ops["slct"] = slct;
}

} // namespace standin
