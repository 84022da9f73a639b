// Warps: groups of lanes at one pc, *.sync and barriers.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "Races.h"

#include <algorithm>

namespace standin {

void fail(Warp &warp, unsigned lane, Code code, const std::string &text) {
  const Block &block = *warp.block;
  const u32 thread = warp.index * warpSize + lane, *dims = warp.launch->threads;
  const Inst &inst = warp.kernel->code[warp.pc ? warp.pc - 1 : 0];
  const Source &source = *warp.kernel->source;
  std::string where = "kernel " + warp.kernel->name + ", PTX line " + std::to_string(inst.line);
  if (inst.statement)
    where += " `" + std::string(inst.statement->text) + "`";
  if (const Location &at = source.locations[inst.loc]; at.line) {
    const auto file = source.files.find(at.file);
    where += " (" + (file == source.files.end() ? "file " + std::to_string(at.file) : file->second) + ":" +
             std::to_string(at.line) + ")";
  }
  char place[128];
  snprintf(place, sizeof place, ", block (%u,%u,%u), thread (%u,%u,%u): ", block.id[0], block.id[1], block.id[2],
           thread % dims[0], thread / dims[0] % dims[1], thread / dims[0] / dims[1]);
  throw Fault{code, where + place + text};
}

namespace {
/// Ends the turn of the active lanes where they stand.
void suspend(Warp &warp) {
  for (u32 lanes = warp.active; lanes; lanes &= lanes - 1)
    warp.lanePc[std::countr_zero(lanes)] = warp.pc;
  warp.active = 0;
}

void select(Warp &warp, u32 candidates, u32 pc) {
  warp.active = 0;
  warp.mergePc = ~0u;
  for (; candidates; candidates &= candidates - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(candidates));
    if (warp.lanePc[lane] == pc)
      warp.active |= 1u << lane;
    else if (warp.lanePc[lane] > pc)
      warp.mergePc = std::min(warp.mergePc, warp.lanePc[lane]);
  }
  warp.pc = pc;
}

/// After a turn without end, lets the lanes run that stand furthest: they may be what the others spin for.
void rotate(Warp &warp) {
  if (warp.mergePc == ~0u || !warp.active)
    return;
  suspend(warp);
  const u32 candidates = warp.live & ~warp.waiting & ~warp.parked;
  u32 last = 0;
  for (u32 lanes = candidates; lanes; lanes &= lanes - 1)
    last = std::max(last, warp.lanePc[std::countr_zero(lanes)]);
  select(warp, candidates, last);
  warp.mergePc = ~0u;
  warp.rotated = true;
}
} // namespace

void regroup(Warp &warp) {
  suspend(warp);
  const u32 candidates = warp.live & ~warp.waiting & ~warp.parked;
  warp.mergePc = ~0u;
  if (!candidates) {
    if (warp.parked && !warp.waiting) {
      const u32 lane = static_cast<u32>(std::countr_zero(warp.parked));
      warp.pc = warp.lanePc[lane] + 1;
      fail(warp, lane, launchFailed, "not all lanes of the member mask come to this instruction");
    }
    return;
  }
  u32 lowest = ~0u;
  for (u32 lanes = candidates; lanes; lanes &= lanes - 1)
    lowest = std::min(lowest, warp.lanePc[std::countr_zero(lanes)]);
  select(warp, candidates, lowest);
}

void exitLanes(Warp &warp, u32 lanes) {
  warp.live &= ~lanes;
  warp.active &= ~lanes;
  ++warp.launch->events;
}

void runWarp(Warp &warp, u64 quota) {
  warp.yielded = warp.polling = false;
  if (warp.rotated) {
    warp.rotated = false;
    regroup(warp);
  }
  const Inst *code = warp.kernel->code.data();
  const bool watches = warp.kernel->usesWgmma;
  u64 lanesDone = 0, left = quota;
  while (true) {
    if (!warp.active) {
      regroup(warp);
      if (!warp.active)
        break;
    }
    const Inst &inst = code[warp.pc++];
    u32 mask = warp.active;
    if (inst.guard != noSlot)
      mask &= *reinterpret_cast<const u32 *>(warp.base[0] + inst.guard) ^ inst.guardFlip;
    if (mask) {
      warp.mask = mask;
      lanesDone += static_cast<u32>(std::popcount(mask));
      if (watches)
        watchRegisters(warp, inst);
      inst.run(warp, inst);
    }
    if (warp.pc >= warp.mergePc)
      regroup(warp);
    --left;
    if (warp.yielded || !left)
      break;
  }
  warp.launch->instructions += quota - left;
  warp.launch->laneInstructions += lanesDone;
  if (!left || warp.yielded)
    rotate(warp);
}

bool gather(Warp &warp, u32 members, const Inst &inst) {
  const u32 own = warp.pc - 1, strangers = warp.mask & ~members;
  if (strangers)
    fail(warp, static_cast<u32>(std::countr_zero(strangers)), launchFailed,
         "the executing lane is not in the member mask " + hex(members));
  if ((inst.flags & aligned) && warp.mask != warp.live)
    fail(warp, static_cast<u32>(std::countr_zero(warp.mask)), launchFailed, ".aligned, but the warp is divergent");
  u32 here = warp.mask;
  for (u32 lanes = warp.parked; lanes; lanes &= lanes - 1)
    if (const int lane = std::countr_zero(lanes); warp.lanePc[lane] == own)
      here |= 1u << lane;
  const u32 missing = members & warp.live & ~here; // only those that have not exited are waited for
  if (missing) {
    const u32 rest = warp.active & ~warp.mask;
    for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1)
      warp.lanePc[std::countr_zero(lanes)] = own;
    warp.parked |= warp.mask;
    warp.active = rest;
    return false;
  }
  const u32 others = here & warp.parked;
  warp.parked &= ~here;
  warp.active |= others;
  warp.mask = here;
  return true;
}

void retryLater(Warp &warp) {
  --warp.pc;
  warp.yielded = warp.polling = true;
}

namespace {
void finishBarrier(Block &block, NamedBarrier &barrier) {
  ++block.launch->events;
  for (const auto &reduction : barrier.reductions) {
    const u32 value = reduction.kind == 0 ? barrier.sum : reduction.kind == 1 ? barrier.all : barrier.any;
    if (reduction.kind == 0) {
      u32 *result = reinterpret_cast<u32 *>(reduction.warp->base[0] + reduction.slot);
      for (u32 lanes = reduction.lanes; lanes; lanes &= lanes - 1)
        result[std::countr_zero(lanes)] = value;
    } else {
      u32 &result = *reinterpret_cast<u32 *>(reduction.warp->base[0] + reduction.slot);
      result = value ? result | reduction.lanes : result & ~reduction.lanes;
    }
  }
  for (size_t i = 0; i < block.warps.size(); ++i) {
    Warp &warp = *block.warps[i];
    const u32 lanes = barrier.waiting[i];
    if (!lanes)
      continue;
    acquireFrom(warp, lanes, barrier.join);
    suspend(warp);
    warp.waiting &= ~lanes;
  }
  barrier = {};
}
} // namespace

void arriveAtBarrier(Warp &warp, const Inst &inst, u32 id, u32 threads, bool waits) {
  Block &block = *warp.block;
  const u32 lanes = warp.mask, lane = static_cast<u32>(std::countr_zero(lanes));
  if (id >= 16)
    fail(warp, lane, launchFailed, "there is no barrier " + std::to_string(id));
  if (threads % warpSize)
    fail(warp, lane, launchFailed, "a barrier's thread count is not a multiple of the warp size: " + std::to_string(threads));
  if ((inst.flags & aligned) && lanes != warp.live)
    fail(warp, lane, launchFailed, "divergent barrier: only lanes " + hex(lanes) + " of " + hex(warp.live) + " execute it");
  NamedBarrier &barrier = block.barriers[id];
  const u32 expected = threads ? threads : static_cast<u32>(block.warps.size()) * warpSize;
  if (!barrier.arrived) {
    barrier.expected = expected;
    barrier.waiting.assign(block.warps.size(), 0);
  }
  if (barrier.expected != expected)
    fail(warp, lane, launchFailed,
         "barrier " + std::to_string(id) + " with " + std::to_string(expected) + " threads, others came with " +
             std::to_string(barrier.expected));
  barrier.arrived += static_cast<u32>(std::popcount(lanes));
  if (!(barrier.seen >> warp.index & 1))
    barrier.arrived += warpSize - static_cast<u32>(std::popcount(warp.lanes)); // a partial warp counts as a whole one
  barrier.seen |= 1u << warp.index;
  if (barrier.arrived > barrier.expected)
    fail(warp, lane, launchFailed, "more threads arrive at barrier " + std::to_string(id) + " than it waits for");
  releaseTo(warp, lanes, barrier.join);
  if (waits) {
    barrier.waiting[warp.index] |= lanes;
    for (u32 rest = lanes; rest; rest &= rest - 1)
      warp.lanePc[std::countr_zero(rest)] = warp.pc;
    warp.waiting |= lanes;
    warp.active &= ~lanes;
  }
  if (barrier.arrived == barrier.expected)
    finishBarrier(block, barrier);
}

} // namespace standin
