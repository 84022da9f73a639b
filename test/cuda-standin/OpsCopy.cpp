// cp.async and mbarrier.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Async.h"

#include <algorithm>

namespace standin {

namespace {
/// list: destination, source; op[0]: bytes of the source or noSlot; op[1]: a predicate that makes it zeros; size: all bytes.
void copyAsync(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes), size = inst.size;
    u32 taken = inst.op[0] == noSlot ? size : in<u32>(warp, inst.op[0])[lane];
    if (inst.op[1] != noSlot && ((readPredicate(warp, inst.op[1]) ^ (inst.kind ? ~0u : 0)) >> lane & 1))
      taken = 0;
    const u64 to = sharedAddress(warp, lane, listAddress(warp, inst, 0, lane)), from = listAddress(warp, inst, 3, lane);
    if (to % size || from % size)
      fail(warp, lane, misalignedAddress,
           "misaligned addresses " + hex(to) + " and " + hex(from) + " of a copy of " + std::to_string(size) + " bytes");
    if (taken > size)
      fail(warp, lane, launchFailed, "a source of " + std::to_string(taken) + " bytes for a copy of " + std::to_string(size));
    PendingCopy copy{lane, 0, size, {}};
    Block &block = sharedBlock(warp, lane, to, size, copy.destination);
    for (u32 done = 0; done < taken;) {
      const u32 part = std::min(taken - done, done % 4 ? 1u : taken - done >= 4 ? 4u : 1u);
      memcpy(copy.data + done, accessMemory(warp, lane, Space::Global, from + done, part, Access::Read, 0, nullptr), part);
      done += part;
    }
    for (u32 i = 0; i < size; ++i) {
      const u8 state = block.sharedState[copy.destination + i];
      if (state == pendingByte || state == barrierByte)
        failShared(warp, lane, copy.destination + i, state, false);
    }
    // Earlier uses must be over when the copy begins: its bytes may arrive at once.
    stampWrite(warp);
    checkShared(warp, lane, copy.destination, size, Access::Write, false, false);
    memset(block.sharedState.data() + copy.destination, pendingByte, size);
    warp.openCopies.push_back(copy);
  }
}

/// The bytes arrive; `inLane`: the lane that issued the copies has waited for them, and nobody else.
void finishCopies(Warp &warp, const std::vector<PendingCopy> &copies, bool inLane) {
  Block &block = *warp.block;
  for (const PendingCopy &copy : copies) {
    stampWrite(warp);
    memcpy(block.shared.data() + copy.destination, copy.data, copy.size);
    memset(block.sharedState.data() + copy.destination, definedByte, copy.size);
    checkShared(warp, copy.lane, copy.destination, copy.size, Access::Write, false, false);
    if (!inLane)
      writtenAsync(block, copy.destination, copy.size, &warp, block.now);
  }
}

std::vector<PendingCopy> takeOpen(Warp &warp, u32 lane) {
  std::vector<PendingCopy> taken;
  std::erase_if(warp.openCopies, [&](const PendingCopy &copy) {
    if (copy.lane != lane)
      return false;
    taken.push_back(copy);
    return true;
  });
  return taken;
}

void commitCopies(Warp &warp, const Inst &) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1)
    warp.copyGroups[firstLane(lanes)].push_back(takeOpen(warp, firstLane(lanes)));
}

/// kind: how many groups may be left; kind2 1: also what was not committed.
void waitCopies(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    auto &groups = warp.copyGroups[lane];
    for (; groups.size() > inst.kind; groups.erase(groups.begin()))
      finishCopies(warp, groups.front(), true);
    if (inst.kind2)
      finishCopies(warp, takeOpen(warp, lane), true);
  }
}

/// cp.async.mbarrier.arrive: an arrival once all earlier copies of the lane are complete. kind 1: .noinc.
void arriveWhenCopied(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    Block *block;
    u32 offset;
    MemoryBarrier &barrier = memoryBarrier(warp, lane, laneAddress(warp, inst, inst.op[4], lane), block, offset);
    if (!inst.kind)
      ++barrier.pending;
    std::vector<PendingCopy> copies;
    for (const auto &group : warp.copyGroups[lane])
      copies.insert(copies.end(), group.begin(), group.end());
    warp.copyGroups[lane].clear();
    for (const PendingCopy &copy : takeOpen(warp, lane))
      copies.push_back(copy);
    Warp *issuer = &warp;
    auto before = std::make_shared<Clock>(); // not what the lane does meanwhile
    releaseTo(warp, 1u << lane, *before);
    block->cluster->copies.push_back({[=] {
                                        finishCopies(*issuer, copies, false);
                                        MemoryBarrier &to = block->memoryBarriers.at(offset);
                                        to.join.join(*before);
                                        to.join.noteWarp(asyncWarp(*issuer), ++block->now);
                                        countArrivals(*issuer, lane, to, *block, 1);
                                      },
                                      barrierKey(*block, offset)});
  }
}

void initBarrier(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes), count = in<u32>(warp, inst.op[1])[lane];
    const u64 address = sharedAddress(warp, lane, laneAddress(warp, inst, inst.op[4], lane));
    if (address % 8)
      fail(warp, lane, misalignedAddress, "an mbarrier at " + hex(address) + " is not aligned to 8 bytes");
    if (count == 0 || count >= 1u << 20)
      fail(warp, lane, launchFailed, "an mbarrier cannot wait for " + std::to_string(count) + " arrivals");
    u32 offset;
    Block &block = sharedBlock(warp, lane, address, 8, offset);
    if (block.memoryBarriers.count(offset))
      fail(warp, lane, launchFailed, "an mbarrier is there already: it must be invalidated first");
    block.memoryBarriers[offset] = {count, count, 0, 0, {}, {}};
    stampWrite(warp);
    if (&block == warp.block)
      checkShared(warp, lane, offset, 8, Access::Write, false, false);
    memset(block.sharedState.data() + offset, barrierByte, 8);
  }
}

void invalidateBarrier(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    Block *block;
    u32 offset;
    memoryBarrier(warp, firstLane(lanes), laneAddress(warp, inst, inst.op[4], firstLane(lanes)), block, offset);
    block->memoryBarriers.erase(offset);
    memset(block->sharedState.data() + offset, undefinedByte, 8);
  }
}

void seeBarrier(Warp &warp, u32 lane, Block &block, u32 offset) {
  if (&block == warp.block && warp.launch->raceCheck)
    checkInitialised(warp, lane, offset, 8);
}

enum Bytes : u32 { NoBytes, ExpectsBytes, CompletesBytes };

/// op[0]: the state, op[1]: the count or the bytes; kind: whether it arrives; kind2: what it does with bytes; target 1:
/// .arrive_drop.
void arriveAt(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes), operand = inst.op[1] == noSlot ? 1 : in<u32>(warp, inst.op[1])[lane];
    Block *block;
    u32 offset;
    MemoryBarrier &barrier = memoryBarrier(warp, lane, laneAddress(warp, inst, inst.op[4], lane), block, offset);
    seeBarrier(warp, lane, *block, offset);
    if (inst.op[0] != noSlot)
      out<u64>(warp, inst.op[0])[lane] = barrier.phase;
    if (inst.kind2 == ExpectsBytes)
      barrier.bytes += operand;
    if (inst.kind2 == CompletesBytes)
      completeBytes(*block, barrier, operand);
    if (inst.target) // arrive_drop: later phases wait for one less
      --barrier.expected;
    if (inst.kind)
      arrive(warp, lane, barrier, *block, offset, inst.kind2 ? 1 : operand);
  }
}

/// Acquires what the barrier has released, for lanes that find a phase complete.
void acquireAtBarrier(Warp &warp, u32 lanes, const MemoryBarrier &barrier, const Block &block, u32 offset) {
  if (&block == warp.block)
    acquireFrom(warp, lanes, barrier.released);
  if (block.cluster->blocks.size() > 1)
    acquireAt(warp, lanes, barrierKey(block, offset), true);
}

/// test_wait and try_wait: op[0] the result, op[1] the state or, with kind 1, the parity.
void waitFor(Warp &warp, const Inst &inst) {
  u32 finished = 0;
  for (u32 left = warp.mask; left;) { // lanes that wait for the same barrier, as most do, acquire together
    const u64 address = laneAddress(warp, inst, inst.op[4], firstLane(left));
    Block *block;
    u32 offset, done = 0;
    MemoryBarrier &barrier = memoryBarrier(warp, firstLane(left), address, block, offset);
    for (u32 lanes = left; lanes; lanes &= lanes - 1) {
      const u32 lane = firstLane(lanes);
      if (laneAddress(warp, inst, inst.op[4], lane) != address)
        continue;
      left &= ~(1u << lane);
      seeBarrier(warp, lane, *block, offset);
      const bool isDone = inst.kind ? (barrier.phase & 1) != (in<u32>(warp, inst.op[1])[lane] & 1)
                                    : barrier.phase > in<u64>(warp, inst.op[1])[lane];
      done |= static_cast<u32>(isDone) << lane;
    }
    if (done)
      acquireAtBarrier(warp, done, barrier, *block, offset);
    finished |= done;
  }
  writePredicate(warp, inst.op[0], finished);
  if (finished != warp.mask)
    warp.yielded = warp.polling = true;
}

void pendingCount(Warp &warp, const Inst &) {
  fail(warp, firstLane(warp.mask), launchFailed, "mbarrier.pending_count: the stand-in's states hold no counts");
}

void mbarrier(Build &build) {
  Inst &inst = build.inst;
  static constexpr std::string_view names[] = {"init",        "inval",     "arrive",   "arrive_drop",  "expect_tx",
                                               "complete_tx", "test_wait", "try_wait", "pending_count"};
  int what = -1;
  for (int i = 0; i < 9; ++i)
    if (what < 0 && build.statement.words.size() > 1 && build.statement.words[1] == names[i])
      what = i;
  if (what < 0)
    build.unknown();
  build.has(names[what]);
  build.types();
  build.ignore({"shared", "shared::cta", "shared::cluster", "release", "acquire", "relaxed", "cta", "cluster", "noComplete"});
  if (what == 8)
    return build.emit(pendingCount);
  if (what < 2) {
    build.address(build.operand(0), 4);
    if (what == 0)
      inst.op[1] = build.source(1, {'u', 32});
    return build.emit(what == 0 ? initBarrier : invalidateBarrier);
  }
  if (what >= 6) {
    bool ignored;
    inst.kind = build.has("parity");
    build.expect(3, 4);
    inst.op[0] = build.predicate(build.operand(0), ignored);
    build.address(build.operand(1), 4);
    inst.op[1] = build.source(2, inst.kind ? Type{'u', 32} : Type{'b', 64});
    return build.emit(waitFor);
  }
  inst.kind = what <= 3;
  inst.target = what == 3;
  inst.kind2 = what == 4 || build.has("expect_tx") ? ExpectsBytes : what == 5 ? CompletesBytes : NoBytes;
  size_t at = 0;
  if (build.operand(0).kind != Operand::Address) {
    if (build.operand(0).kind == Operand::Register)
      inst.op[0] = build.result(0, {'b', 64});
    at = 1;
  }
  build.address(build.operand(at), 4);
  if (build.count() > at + 1)
    inst.op[1] = build.source(at + 1, {'u', 32});
  build.emit(arriveAt);
}
} // namespace

void buildBulk(Build &build);

void cp(Build &build) {
  Inst &inst = build.inst;
  if (build.has("bulk"))
    return buildBulk(build);
  if (!build.has("async"))
    build.unknown();
  if (build.has("commit_group"))
    return build.emit(commitCopies);
  const bool all = build.has("wait_all");
  if (all || build.has("wait_group")) {
    inst.kind = all ? 0 : static_cast<u32>(build.immediate(0));
    inst.kind2 = all;
    return build.emit(waitCopies);
  }
  if (build.has("mbarrier")) {
    if (!build.has("arrive"))
      build.unknown();
    inst.kind = build.has("noinc");
    build.types();
    build.ignore({"shared", "shared::cta"});
    build.address(build.operand(0), 4);
    return build.emit(arriveWhenCopied);
  }
  const bool onlyL2 = build.pick({"ca", "cg"}, 0) == 1;
  const bool hint = build.has("L2::cache_hint");
  build.ignore({"shared", "shared::cta", "global", "L2::64B", "L2::128B", "L2::256B"});
  build.expect(3, 5);
  std::vector<Slot> list;
  build.listAddress(build.operand(0), list);
  build.listAddress(build.operand(1), list);
  const u64 size = build.immediate(2);
  if (size != 16 && (onlyL2 || (size != 4 && size != 8)))
    build.fail("cp.async of " + std::to_string(size) + " bytes");
  inst.size = static_cast<u8>(size);
  if (build.count() > 3u + hint) {
    const Operand &source = build.operand(3);
    bool negated = false;
    if (source.kind == Operand::Register && build.registerType(source).kind == 'p') {
      inst.op[1] = build.predicate(source, negated);
      inst.kind = negated;
    } else {
      inst.op[0] = build.source(source, {'u', 32});
    }
  }
  inst.list = build.lowering.keep(std::move(list));
  build.emit(copyAsync);
}

void addCopyOps(std::map<std::string_view, Builder> &ops) { ops["cp"] = cp; }
void addBarrierOps(std::map<std::string_view, Builder> &ops) { ops["mbarrier"] = mbarrier; }

} // namespace standin
