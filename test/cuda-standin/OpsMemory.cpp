// Loads, stores and what is about addresses.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Access.h"

namespace standin {

namespace {
[[noreturn]] void misaligned(Warp &warp, u32 lane, u64 address, u32 size) {
  fail(warp, lane, misalignedAddress,
       "misaligned address " + hex(address) + " of an access of " + std::to_string(size) + " bytes");
}

/// Calls back with each location and the lanes that name it.
template <class F>
void eachLocation(Warp &warp, const Inst &inst, F call) {
  for (u32 left = warp.mask; left;) {
    const u64 key = syncKey(warp, firstLane(left), inst.space, laneAddress(warp, inst, inst.op[4], firstLane(left)));
    u32 same = 0;
    for (u32 lanes = left; lanes; lanes &= lanes - 1) {
      const u32 lane = firstLane(lanes);
      same |= static_cast<u32>(syncKey(warp, lane, inst.space, laneAddress(warp, inst, inst.op[4], lane)) == key) << lane;
    }
    call(same, key);
    left &= ~same;
  }
}

void afterStrongRead(Warp &warp, const Inst &inst) {
  eachLocation(warp, inst, [&](u32 lanes, u64 key) { acquireAt(warp, lanes, key, inst.flags & acquires); });
}
void beforeStrongWrite(Warp &warp, const Inst &inst) {
  eachLocation(warp, inst, [&](u32 lanes, u64 key) { releaseAt(warp, lanes, key, inst.flags & releases); });
}

/// An element's bytes as its register holds them.
u64 extended(const u8 *from, const Inst &inst) {
  u64 value = 0;
  memcpy(&value, from, inst.size);
  if (inst.flags & signedAccess) {
    const u32 up = 64 - 8 * inst.size;
    value = static_cast<u64>(static_cast<s64>(value << up) >> up);
  }
  return value;
}

/// op[4] is the address, list the registers of a vector.
void load(Warp &warp, const Inst &inst) {
  const u32 size = inst.size * inst.count;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 address = laneAddress(warp, inst, inst.op[4], lane);
    if (address & (size - 1))
      misaligned(warp, lane, address, size);
    const u8 *from = accessMemory(warp, lane, inst.space, address, size, Access::Read, inst.flags, nullptr);
    for (u32 i = 0; i < inst.count; ++i)
      writeLane(warp, inst.list[i], inst.regSize, lane, extended(from + i * inst.size, inst));
  }
  if (inst.flags & strongAccess)
    afterStrongRead(warp, inst);
}

void store(Warp &warp, const Inst &inst) {
  const u32 size = inst.size * inst.count;
  if (inst.flags & strongAccess)
    beforeStrongWrite(warp, inst);
  stampWrite(warp);
  if (inst.space != Space::Local)
    ++warp.launch->events;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 address = laneAddress(warp, inst, inst.op[4], lane);
    if (address & (size - 1))
      misaligned(warp, lane, address, size);
    u8 bytes[64];
    for (u32 i = 0; i < inst.count; ++i) {
      const u64 value = readLane(warp, inst.list[i], inst.regSize, lane);
      memcpy(bytes + i * inst.size, &value, inst.size);
    }
    memcpy(accessMemory(warp, lane, inst.space, address, size, Access::Write, inst.flags, bytes), bytes, size);
  }
}

/// Loads of one element in its own width, global or of the parameters: the common case.
template <class T>
void loadGlobal(Warp &warp, const Inst &inst) {
  T *to = out<T>(warp, inst.list[0]);
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 address = laneAddress(warp, inst, inst.op[4], lane);
    if (address & (sizeof(T) - 1))
      misaligned(warp, lane, address, sizeof(T));
    to[lane] = loadBytes<T>(accessGlobal(warp, lane, address, sizeof(T), Access::Read, inst.flags));
  }
}
template <class T>
void loadParameter(Warp &warp, const Inst &inst) {
  const T value = loadBytes<T>(warp.launch->parameters.data() + inst.imm);
  eachLane<T>(warp, inst.list[0], [&](u32) { return value; });
}

Space spaceOf(Build &build) {
  static constexpr Space spaces[] = {Space::Global, Space::Shared, Space::Cluster, Space::Local,
                                     Space::Const,  Space::Param,  Space::Param,   Space::Local};
  const int space =
      build.pick({"global", "shared", "shared::cluster", "local", "const", "param", "param::entry", "param::func"}, -1);
  if (build.has("shared::cta"))
    return Space::Shared;
  return space < 0 ? Space::Generic : spaces[space];
}

/// The words about order, scope and caches, which say nothing of the value.
u16 orderFlags(Build &build, bool isLoad) {
  u16 flags = 0;
  if (build.has("volatile") || build.has("relaxed") || build.has("mmio"))
    flags |= strongAccess;
  if (build.has("acquire"))
    flags |= strongAccess | acquires;
  if (build.has("release"))
    flags |= strongAccess | releases;
  if (isLoad && build.has("nc"))
    flags |= readOnlyAccess;
  build.ignore({"weak",
                "cta",
                "cluster",
                "gpu",
                "sys",
                "ca",
                "cg",
                "cs",
                "lu",
                "cv",
                "wb",
                "wt",
                "L1::evict_normal",
                "L1::evict_unchanged",
                "L1::evict_first",
                "L1::evict_last",
                "L1::no_allocate",
                "L2::64B",
                "L2::128B",
                "L2::256B",
                "L2::cache_hint",
                "unified",
                "L2::evict_first",
                "L2::evict_last",
                "L2::evict_normal"});
  return flags;
}

void memoryAccess(Build &build, bool isLoad) {
  Inst &inst = build.inst;
  inst.space = spaceOf(build);
  inst.flags = orderFlags(build, isLoad);
  if (build.statement.words[0] == "ldu")
    inst.flags |= readOnlyAccess;
  inst.count = static_cast<u8>(1 << (build.pick({"v2", "v4", "v8"}, -1) + 1));
  const Type type = build.type();
  if (type.bits == 128)
    build.unknown();
  inst.size = static_cast<u8>(type.bytes());
  if (type.kind == 's')
    inst.flags |= signedAccess;
  const Operand &value = build.operand(isLoad ? 0 : 1), &place = build.operand(isLoad ? 1 : 0);
  build.expect(2, 3);
  // Registers may be wider than what is loaded or stored, but of one width.
  Type own = type;
  const auto widest = [&](const Operand &operand) {
    if (operand.kind == Operand::Register && build.registerType(operand).bits > own.bits)
      own.bits = build.registerType(operand).bits;
  };
  widest(value);
  for (const Operand &part : value.parts)
    widest(part);
  own.packed = false;
  auto slots = build.vector(value, own, isLoad);
  if (slots.size() != inst.count)
    build.fail("a vector of the wrong length");
  inst.regSize = static_cast<u8>(std::max(own.bytes(), 2u));
  inst.listCount = static_cast<u16>(slots.size());
  inst.list = build.lowering.keep(std::move(slots));
  build.address(place, 4);
  const bool plain = isLoad && inst.count == 1 && inst.size == inst.regSize;
  if (plain && inst.space == Space::Global && !(inst.flags & strongAccess))
    return build.emit(inst.size == 2 ? loadGlobal<u16> : inst.size == 4 ? loadGlobal<u32> : loadGlobal<u64>);
  if (plain && inst.space == Space::Param && place.parts[0].kind == Operand::Symbol) {
    u64 value;
    Space space;
    build.symbolValue(place.parts[0].name, place.parts[0].scope, value, space);
    inst.imm += static_cast<s64>(value);
    if (inst.imm < 0 || static_cast<u64>(inst.imm) + inst.size > build.lowering.kernel.paramBytes || inst.imm % inst.size)
      build.fail("a load outside of the parameters");
    return build.emit(inst.size == 2 ? loadParameter<u16> : inst.size == 4 ? loadParameter<u32> : loadParameter<u64>);
  }
  build.emit(isLoad ? load : store);
}

void ld(Build &build) { memoryAccess(build, true); }
void st(Build &build) { memoryAccess(build, false); }

void convertAddress(Warp &warp, const Inst &inst) { // imm: the window; kind 1: to generic
  const u32 bytes = inst.regSize;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 address = readLane(warp, inst.op[1], bytes, lane);
    u64 made = inst.kind ? address + static_cast<u64>(inst.imm) : address - static_cast<u64>(inst.imm);
    if (!inst.kind && inst.space == Space::Shared && inst.size == 4)
      made &= 0xffffffffu;
    writeLane(warp, inst.op[0], bytes, lane, made);
  }
}

void cvta(Build &build) {
  const bool fromGeneric = build.has("to");
  build.inst.space = spaceOf(build);
  const Type type = build.type();
  static const std::map<Space, u64> windows = {
      {Space::Global, 0},          {Space::Const, 0},          {Space::Shared, sharedWindow}, {Space::Cluster, sharedWindow},
      {Space::Local, localWindow}, {Space::Param, paramWindow}};
  if (build.inst.space == Space::Generic)
    build.unknown();
  build.inst.kind = !fromGeneric;
  build.inst.imm = static_cast<s64>(windows.at(build.inst.space));
  build.inst.regSize = static_cast<u8>(type.bytes());
  build.expect(2, 2);
  build.inst.op[0] = build.result(0, type);
  build.inst.op[1] = build.source(1, type);
  build.emit(convertAddress);
}

void testSpace(Warp &warp, const Inst &inst) {
  u32 bits = 0;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    u64 address = in<u64>(warp, inst.op[1])[lane];
    Space space = resolveSpace(Space::Generic, address);
    if (space == Space::Cluster && inst.space == Space::Shared &&
        ((address >> rankShift & 0xff) == 0 || (address >> rankShift & 0xff) == warp.block->rank + 1))
      space = Space::Shared;
    bits |= static_cast<u32>(space == inst.space) << lane;
  }
  writePredicate(warp, inst.op[0], bits);
}

void isspacep(Build &build) {
  bool ignored;
  build.inst.space = spaceOf(build);
  build.expect(2, 2);
  build.inst.op[0] = build.predicate(build.operand(0), ignored);
  build.inst.op[1] = build.source(1, {'u', 64});
  build.emit(testSpace);
}

/// The address of the same variable in another block of the cluster.
void mapAddress(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes), rank = in<u32>(warp, inst.op[2])[lane];
    const u64 address = readLane(warp, inst.op[1], inst.regSize, lane);
    if (rank >= warp.block->cluster->blocks.size())
      fail(warp, lane, illegalAddress, "rank " + std::to_string(rank) + " is not in the cluster");
    writeLane(warp, inst.op[0], inst.regSize, lane,
              (address & ~(u64(0xff) << rankShift)) | static_cast<u64>(rank + 1) << rankShift);
  }
}

void mapa(Build &build) {
  spaceOf(build);
  const Type type = build.type();
  build.expect(3, 3);
  build.inst.regSize = static_cast<u8>(type.bytes());
  build.inst.op[0] = build.result(0, type);
  build.inst.op[1] = build.source(1, type);
  build.inst.op[2] = build.source(2, {'u', 32});
  build.emit(mapAddress);
}

void readRank(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u32 rank = static_cast<u32>(readLane(warp, inst.op[1], inst.regSize, lane) >> rankShift & 0xff);
    out<u32>(warp, inst.op[0])[lane] = rank ? rank - 1 : warp.block->rank;
  }
}

void getctarank(Build &build) {
  spaceOf(build);
  const Type type = build.type();
  build.expect(2, 2);
  build.inst.regSize = static_cast<u8>(type.bytes());
  build.inst.op[0] = build.result(0, {'u', 32});
  build.inst.op[1] = build.source(1, type);
  build.emit(readRank);
}

void runFence(Warp &warp, const Inst &) { fenceMemory(warp, warp.mask); }
void runProxyFence(Warp &warp, const Inst &) { proxyFence(warp, warp.mask); }

void fence(Build &build) {
  const bool isProxy = build.has("proxy");
  const bool isAsync = isProxy && (build.has("async") || build.has("async::generic"));
  if (isProxy) {
    build.ignore({"global", "shared::cta", "shared::cluster", "alias", "tensormap::generic", "release", "acquire", "cta",
                  "cluster", "gpu", "sys", "sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
    return build.emit(isAsync ? runProxyFence : runFence);
  }
  build.ignore({"sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu", "sys", "gl", "mbarrier_init",
                "sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  build.emit(runFence);
}

void nothing(Build &build) { build.ignoreAll(); }

/// createpolicy gives a value that only caches would look at.
void createpolicy(Build &build) {
  build.ignoreAll();
  build.inst.op[0] = build.result(0, {'b', 64});
  build.inst.op[1] = build.lowering.constant(0, 8);
  build.emit(unary<u64, [](u64 a) { return a; }>);
}
} // namespace

Space memorySpace(Build &build) { return spaceOf(build); }

void addMemoryOps(std::map<std::string_view, Builder> &ops) {
  ops["ld"] = ops["ldu"] = ld;
  ops["st"] = st;
  ops["cvta"] = cvta;
  ops["isspacep"] = isspacep;
  ops["mapa"] = mapa;
  ops["getctarank"] = getctarank;
  ops["fence"] = ops["membar"] = fence;
  ops["prefetch"] = ops["prefetchu"] = ops["discard"] = ops["applypriority"] = nothing;
  ops["createpolicy"] = createpolicy;
}

} // namespace standin
