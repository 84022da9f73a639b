// cp.async.bulk and its tensor forms.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Async.h"
#include "Formats.h"
#include "TensorMap.h"

#include <algorithm>

namespace standin {

namespace {
constexpr const char *name = "cp.async.bulk";

/// A run of bytes on both sides of a tensor copy; outside of the tensor there is no global side.
struct Run {
  u32 offset; // in the box's image in shared memory
  u64 address;
  u32 size;
  bool inside;
};

TensorMap readMap(Warp &warp, u32 lane, u64 address) {
  if (address % 64)
    fail(warp, lane, misalignedAddress, "a tensor map at " + hex(address) + " is not aligned to 64 bytes");
  TensorMap map;
  memcpy(&map, accessMemory(warp, lane, Space::Generic, address, 128, Access::Read, readOnlyAccess, nullptr), sizeof map);
  if (map.magic != tensorMapMagic)
    fail(warp, lane, launchFailed, "no tensor map at " + hex(address));
  return map;
}

/// The elements of the box at `at`, 16-byte units at most together because swizzles part them.
std::vector<Run> boxRuns(const TensorMap &map, const s32 (&at)[5]) {
  std::vector<Run> runs;
  u32 count[5] = {1, 1, 1, 1, 1};
  for (u32 i = 0; i < map.rank; ++i)
    count[i] = (map.box[i] + map.strides[i] - 1) / map.strides[i];
  u32 offset = 0;
  u32 step[5] = {};
  for (step[4] = 0; step[4] < count[4]; ++step[4])
    for (step[3] = 0; step[3] < count[3]; ++step[3])
      for (step[2] = 0; step[2] < count[2]; ++step[2])
        for (step[1] = 0; step[1] < count[1]; ++step[1])
          for (step[0] = 0; step[0] < count[0]; ++step[0], offset += map.elementBytes) {
            bool inside = true;
            u64 address = map.address;
            for (u32 i = 0; i < map.rank; ++i) {
              const s64 place = static_cast<s64>(at[i]) + step[i] * map.strides[i];
              inside &= place >= 0 && place < map.dims[i];
              address += static_cast<u64>(place) * (i ? map.byteStrides[i - 1] : map.elementBytes);
            }
            if (!runs.empty() && offset % 16 && runs.back().inside == inside &&
                (!inside || runs.back().address + runs.back().size == address))
              runs.back().size += map.elementBytes;
            else
              runs.push_back({offset, address, map.elementBytes, inside});
          }
  return runs;
}

u32 boxBytes(const std::vector<Run> &runs) { return runs.empty() ? 0 : runs.back().offset + runs.back().size; }

u64 nanOf(const TensorMap &map) {
  return map.kind == 6 ? 0x7fff : map.kind == 9 ? 0x7fff : map.kind == 8 ? 0x7fffffffffffffff : 0x7fffffff;
}

/// Global memory that the async proxy reads or writes: as the issuing lane would, in words at most.
void globalBytes(Warp &warp, u32 lane, u64 address, u8 *bytes, u32 size, bool writes) {
  for (u32 done = 0; done < size;) {
    const u64 here = address + done;
    const u32 part = std::min(size - done, here % 4 ? 1u : size - done >= 4 ? 4u : 1u);
    u8 *at = accessMemory(warp, lane, Space::Global, here, part, writes ? Access::Write : Access::Read, 0, nullptr);
    if (writes)
      memcpy(at, bytes + done, part);
    else
      memcpy(bytes + done, at, part);
    done += part;
  }
}

struct Target {
  Block *block;
  u32 offset, barrier;
};

/// Starts a copy into shared memory of one or more blocks. `image` is what arrives, already in its place.
void launchLoad(Warp &warp, u32 lane, const std::vector<Target> &targets, std::shared_ptr<std::vector<u8>> image) {
  const u32 size = static_cast<u32>(image->size());
  for (const Target &target : targets) {
    Block *block = target.block;
    if (!block->memoryBarriers.count(target.barrier))
      fail(warp, lane, launchFailed, "there is no mbarrier at shared offset " + std::to_string(target.barrier));
    expectBytes(warp, lane, *block, target.offset, size, name);
    Warp *issuer = &warp;
    block->cluster->copies.push_back({[=] {
                                        memcpy(block->shared.data() + target.offset, image->data(), size);
                                        const auto found = block->memoryBarriers.find(target.barrier);
                                        MemoryBarrier *barrier =
                                            found == block->memoryBarriers.end() ? nullptr : &found->second;
                                        bytesArrived(*issuer, *block, target.offset, size, barrier);
                                        if (barrier)
                                          completeBytes(*block, *barrier, size);
                                      },
                                      barrierKey(*block, target.barrier)});
  }
}

std::vector<Target> targetsOf(Warp &warp, u32 lane, u64 to, u64 barrier, u32 size, u32 blocks, bool multicast) {
  std::vector<Target> targets;
  to = sharedAddress(warp, lane, to);
  barrier = sharedAddress(warp, lane, barrier);
  if (!multicast) {
    Target target;
    target.block = &sharedBlock(warp, lane, to, size, target.offset);
    if (&sharedBlock(warp, lane, barrier, 8, target.barrier) != target.block)
      fail(warp, lane, launchFailed, std::string(name) + ": the mbarrier is not in the destination's block");
    return {target};
  }
  constexpr u64 within = (u64(1) << rankShift) - 1;
  for (u32 rank = 0; rank < 16; ++rank)
    if (blocks >> rank & 1) {
      Target target;
      target.block = &sharedBlock(warp, lane, (to & within) | u64(rank + 1) << rankShift, size, target.offset);
      target.barrier = static_cast<u32>(barrier & within);
      targets.push_back(target);
    }
  return targets;
}

enum Form : u32 { Load, SharedToShared, Store, TensorLoad, TensorStore };

/// The operands that the builder found: list holds the addresses (destination, source, barrier), then the coordinates.
struct Layout {
  u32 form, rank, multicast, reduction; // reduction: 0 none, else the Type's kind, its bits << 8
};

Layout layoutOf(const Inst &inst) { return {inst.kind & 0xf, inst.kind >> 4 & 0xf, inst.kind >> 8 & 1, inst.kind2}; }

void coordinates(const Warp &warp, const Inst &inst, u32 rank, u32 lane, s32 (&at)[5]) {
  for (u32 i = 0; i < 5; ++i)
    at[i] = i < rank ? in<s32>(warp, inst.list[9 + i])[lane] : 0;
}

void bulkLoad(Warp &warp, const Inst &inst, u32 lane, const Layout &layout) {
  const u64 to = listAddress(warp, inst, 0, lane), from = listAddress(warp, inst, 3, lane),
            barrier = listAddress(warp, inst, 6, lane);
  const u32 size = in<u32>(warp, inst.op[1])[lane], blocks = layout.multicast ? in<u16>(warp, inst.op[2])[lane] : 0;
  if (to % 16 || from % 16 || size % 16 || !size)
    fail(warp, lane, misalignedAddress,
         std::string(name) + " of " + std::to_string(size) + " bytes from " + hex(from) + " to " + hex(to) +
             ": not multiples of 16");
  auto image = std::make_shared<std::vector<u8>>(size);
  if (layout.form == SharedToShared) {
    u32 offset;
    Block &source = sharedBlock(warp, lane, sharedAddress(warp, lane, from), size, offset);
    readAsync(warp, lane, true, source, offset, size, name);
    memcpy(image->data(), source.shared.data() + offset, size);
  } else {
    globalBytes(warp, lane, from, image->data(), size, false);
  }
  launchLoad(warp, lane, targetsOf(warp, lane, to, barrier, size, blocks, layout.multicast), image);
}

void tensorLoad(Warp &warp, const Inst &inst, u32 lane, const Layout &layout) {
  const u64 to = listAddress(warp, inst, 0, lane), barrier = listAddress(warp, inst, 6, lane);
  const u32 blocks = layout.multicast ? in<u16>(warp, inst.op[2])[lane] : 0;
  const TensorMap map = readMap(warp, lane, listAddress(warp, inst, 3, lane));
  if (map.rank != layout.rank)
    fail(warp, lane, launchFailed,
         "a tensor map of rank " + std::to_string(map.rank) + " where the copy has " + std::to_string(layout.rank));
  if (to % 128)
    fail(warp, lane, misalignedAddress, "a tensor copy's shared address " + hex(to) + " is not aligned to 128 bytes");
  s32 at[5];
  coordinates(warp, inst, map.rank, lane, at);
  const auto runs = boxRuns(map, at);
  if (map.swizzle && boxBytes(runs) % 128)
    fail(warp, lane, launchFailed,
         "a swizzled box of " + std::to_string(boxBytes(runs)) + " bytes, not a multiple of 128, is not known");
  auto image = std::make_shared<std::vector<u8>>(boxBytes(runs));
  const u32 base = static_cast<u32>(to & ((1u << rankShift) - 1));
  for (const Run &run : runs) {
    // The swizzle goes by the address, not by the place in the box.
    u8 *bytes = image->data() + (swizzled(base + run.offset, map.swizzle) - base);
    if (run.inside)
      globalBytes(warp, lane, run.address, bytes, run.size, false);
    else if (map.fillsNan)
      for (u32 i = 0; i < run.size; i += map.elementBytes) {
        const u64 nan = nanOf(map);
        memcpy(bytes + i, &nan, map.elementBytes);
      }
  }
  launchLoad(warp, lane, targetsOf(warp, lane, to, barrier, static_cast<u32>(image->size()), blocks, layout.multicast), image);
}

u64 reducedElement(char kind, u32 bits, u64 old, u64 value) {
  if (kind == 'f' && bits == 32)
    return floatToBits(bitsToFloat(static_cast<u32>(old)) + bitsToFloat(static_cast<u32>(value)));
  if (kind == 'f' && bits == 64)
    return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
  if (kind == 'f')
    return roundTo(half, static_cast<double>(halfToFloat(static_cast<u16>(old))) + halfToFloat(static_cast<u16>(value)));
  if (kind == 'h')
    return roundTo(bfloat, static_cast<double>(bfloatToFloat(static_cast<u16>(old))) + bfloatToFloat(static_cast<u16>(value)));
  return old + value;
}

void writeRun(Warp &warp, u32 lane, u64 address, u8 *bytes, u32 size, u32 reduction) {
  if (!reduction)
    return globalBytes(warp, lane, address, bytes, size, true);
  const char kind = static_cast<char>(reduction & 0xff);
  const u32 bits = reduction >> 8;
  for (u32 i = 0; i < size; i += bits / 8) {
    u8 *at = accessMemory(warp, lane, Space::Global, address + i, bits / 8, Access::Atomic, strongAccess, nullptr);
    u64 old = 0, value = 0;
    memcpy(&old, at, bits / 8);
    memcpy(&value, bytes + i, bits / 8);
    const u64 made = reducedElement(kind, bits, old, value);
    memcpy(at, &made, bits / 8);
  }
}

/// Out of shared memory: the bytes are read and written when the group is waited for, or at the end.
void store(Warp &warp, const Inst &inst, u32 lane, const Layout &layout) {
  const bool isTensor = layout.form == TensorStore;
  const u64 to = listAddress(warp, inst, 0, lane), from = sharedAddress(warp, lane, listAddress(warp, inst, 3, lane));
  std::vector<Run> runs;
  u32 swizzle = 0, reduction = layout.reduction;
  if (isTensor) {
    const TensorMap map = readMap(warp, lane, to);
    if (map.rank != layout.rank)
      fail(warp, lane, launchFailed,
           "a tensor map of rank " + std::to_string(map.rank) + " where the copy has " + std::to_string(layout.rank));
    s32 at[5];
    coordinates(warp, inst, map.rank, lane, at);
    runs = boxRuns(map, at);
    swizzle = map.swizzle;
    static constexpr char kinds[] = {'u', 'u', 'u', 's', 'u', 's', 'f', 'f', 'f', 'h', 'f', 'f', 'f'};
    if (reduction)
      reduction = static_cast<u32>(kinds[map.kind]) | map.elementBytes * 8u << 8;
  } else {
    runs.push_back({0, to, in<u32>(warp, inst.op[1])[lane], true});
  }
  const u32 size = boxBytes(runs), alignment = isTensor ? 128 : 16;
  if (from % alignment || (!isTensor && (to % 16 || size % 16)))
    fail(warp, lane, misalignedAddress,
         std::string(name) + " of " + std::to_string(size) + " bytes from shared " + hex(from) + " is misaligned");
  u32 offset;
  Block *block = &sharedBlock(warp, lane, from, size, offset);
  readAsync(warp, lane, true, *block, offset, size, name);
  const u32 stamp = block->now;
  auto image = std::make_shared<std::vector<u8>>(size);
  Warp *issuer = &warp;
  const u32 pc = warp.pc;
  BulkStore made;
  made.read = [=] {
    issuer->pc = pc;
    stillUnwritten(*issuer, lane, *block, offset, size, stamp, name);
    memcpy(image->data(), block->shared.data() + offset, size);
  };
  made.write = [=] {
    issuer->pc = pc;
    stampWrite(*issuer);
    for (const Run &run : runs)
      if (run.inside)
        writeRun(*issuer, lane, run.address, image->data() + (swizzled(offset + run.offset, swizzle) - offset), run.size,
                 reduction);
  };
  warp.openBulk.push_back(std::move(made));
}

void runBulk(Warp &warp, const Inst &inst) {
  const Layout layout = layoutOf(inst);
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    if (layout.form == TensorLoad)
      tensorLoad(warp, inst, lane, layout);
    else if (layout.form == Store || layout.form == TensorStore)
      store(warp, inst, lane, layout);
    else
      bulkLoad(warp, inst, lane, layout);
  }
}

void commitBulk(Warp &warp, const Inst &) {
  warp.bulkGroups.push_back(std::move(warp.openBulk));
  warp.openBulk.clear();
}

void waitBulk(Warp &warp, const Inst &inst) { finishBulk(warp, inst.kind, inst.kind2); }

/// The words that choose the form; their order tells whether `shared` is the source or the destination.
Form formOf(Build &build, bool isTensor) {
  size_t global = 0, shared = 0;
  for (size_t i = 0; i < build.statement.words.size(); ++i) {
    if (build.statement.words[i] == "global")
      global = i;
    if (build.statement.words[i].substr(0, 6) == "shared" && !shared)
      shared = i;
  }
  build.ignore({"global", "shared::cluster", "shared::cta", "shared", "shared::cta"});
  if (!global)
    return SharedToShared;
  if (global < shared)
    return isTensor ? TensorStore : Store;
  return isTensor ? TensorLoad : Load;
}
} // namespace

void finishBulk(Warp &warp, size_t left, bool onlyRead) {
  const u32 pc = warp.pc;
  for (size_t i = 0; i + left < warp.bulkGroups.size(); ++i)
    for (BulkStore &store : warp.bulkGroups[i]) {
      if (!store.hasRead)
        store.read();
      store.hasRead = true;
      if (!onlyRead)
        store.write();
    }
  while (!onlyRead && warp.bulkGroups.size() > left)
    warp.bulkGroups.erase(warp.bulkGroups.begin());
  warp.pc = pc;
}

void buildBulk(Build &build) {
  Inst &inst = build.inst;
  const bool reduces = build.has("reduce");
  build.has("async");
  build.has("bulk");
  if (build.has("commit_group"))
    return build.emit(commitBulk);
  if (build.has("wait_group")) {
    inst.kind2 = build.has("read");
    inst.kind = static_cast<u32>(build.immediate(0));
    return build.emit(waitBulk);
  }
  if (build.has("prefetch"))
    return build.ignoreAll();
  const bool isTensor = build.has("tensor");
  const u32 rank = static_cast<u32>(build.pick({"1d", "2d", "3d", "4d", "5d"}, -1) + 1);
  const Form form = formOf(build, isTensor);
  const bool multicast = build.has("multicast::cluster");
  const bool loads = form == Load || form == SharedToShared || form == TensorLoad;
  if (loads ? !build.has("mbarrier::complete_tx::bytes") : !build.has("bulk_group"))
    build.unknown();
  build.ignore({"L2::cache_hint", "tile", "noftz"});
  if (reduces && (!build.has("add") || loads))
    build.unknown();
  if (reduces && !isTensor) {
    const Type type = build.type();
    inst.kind2 = static_cast<u32>(type.kind) | type.bits << 8;
  } else if (reduces) {
    inst.kind2 = 1; // the tensor map has the type
  }
  const size_t from = 1, sizeAt = 2;
  std::vector<Slot> list;
  build.listAddress(build.operand(0), list);
  build.listAddress(build.operand(from), list);
  size_t next = isTensor ? 2 : 3;
  if (loads)
    build.listAddress(build.operand(next++), list);
  else
    list.resize(9);
  if (!isTensor)
    inst.op[1] = build.source(sizeAt, {'u', 32});
  if (multicast)
    inst.op[2] = build.source(next++, {'u', 16});
  if (isTensor) {
    const Operand &place = build.operand(form == TensorLoad ? from : 0);
    if (place.parts.size() != 2 || place.parts[1].parts.size() != rank)
      build.fail("a tensor's coordinates are not as many as its rank");
    for (const Operand &coordinate : place.parts[1].parts)
      list.push_back(build.source(coordinate, {'s', 32}));
  }
  inst.kind = form | rank << 4 | multicast << 8;
  inst.list = build.lowering.keep(std::move(list));
  build.emit(runBulk);
}

} // namespace standin
