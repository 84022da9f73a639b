// Race checks: see Races.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Races.h"

#include <algorithm>

namespace standin {

namespace {
// GlobalCell's info: stamp << 7 | flags | lane.
constexpr u32 manyReaders = 64, special = 32, laneBits = 31, stampShift = 7; // special: a strong write, a .nc read

bool lanesOrdered(const Warp &warp, unsigned earlier, unsigned later, u32 stamp) {
  return earlier == later || std::min(warp.syncStamp[earlier], warp.syncStamp[later]) > stamp;
}

/// Whether a barrier, a fence or the like came after a lane's access at `stamp`.
bool publishedSince(const Warp &warp, unsigned lane, u32 stamp) {
  return warp.syncStamp[lane] > stamp || (warp.fenced && warp.fenceClock[warp.index] > stamp);
}

bool released(const SyncObject &object, size_t count, u32 id, u32 stamp, u32 warpsPerBlock, int depth) {
  for (size_t i = count; i-- > 0;) {
    const SyncObject::Release &release = object.releases[i];
    if (id - release.firstId < warpsPerBlock && release.clock[id - release.firstId] > stamp)
      return true;
    if (depth < 64)
      for (const Acquired &known : release.knows)
        if (released(*known.object, known.released, id, stamp, warpsPerBlock, depth + 1))
          return true;
  }
  return false;
}

/// Whether an access of the warp with `id` at `stamp` happened before what `warp` does now.
bool warpOrdered(const Warp &warp, unsigned lane, u32 id, u32 stamp, unsigned otherLane) {
  const u32 first = warp.launch->firstId + warp.block->number * warp.launch->warpsPerBlock;
  if (id == first + warp.index)
    return lanesOrdered(warp, otherLane, lane, stamp);
  if (id - first < warp.launch->warpsPerBlock)
    return warp.clock[id - first] > stamp;
  for (const Acquired &known : warp.block->acquired) {
    const bool seen = known.warp == warp.index || warp.clock[known.warp] > known.stamp;
    if (seen && released(*known.object, known.released, id, stamp, warp.launch->warpsPerBlock, 0))
      return true;
  }
  return false;
}

std::string who(const Warp &warp, u32 id, unsigned lane) {
  const u32 index = id - warp.launch->firstId, block = index / warp.launch->warpsPerBlock;
  return "block " + std::to_string(block) + ", thread " + std::to_string(index % warp.launch->warpsPerBlock * warpSize + lane);
}

[[noreturn]] void globalRace(Warp &warp, unsigned lane, u64 address, const char *mine, const char *theirs, u32 id, u32 info) {
  fail(warp, lane, launchFailed,
       std::string("data race on global memory at ") + hex(address) + ": " + mine + " here, " + theirs + " by " +
           who(warp, id, info & laneBits) + ", not ordered");
}

[[noreturn]] void sharedRace(Warp &warp, unsigned lane, u32 offset, const char *mine, const char *theirs, u32 thread) {
  fail(warp, lane, launchFailed,
       "data race on shared memory at offset " + std::to_string(offset) + ": " + mine + " here, " + theirs + " by thread " +
           std::to_string(thread) + ", no barrier between");
}

inline void globalRead(Warp &warp, unsigned lane, u64 address, GlobalCell &cell, u32 id, bool strong, bool readOnly) {
  const u32 now = warp.block->now, launch = warp.launch->firstId;
  const bool written = cell.writer >= launch;
  if (written && readOnly)
    globalRace(warp, lane, address, "a read as read-only (.nc)", "a write", cell.writer, cell.writeInfo);
  if (written && !(strong && (cell.writeInfo & special)) &&
      !warpOrdered(warp, lane, cell.writer, cell.writeInfo >> stampShift, cell.writeInfo & laneBits))
    globalRace(warp, lane, address, "a read", "a write", cell.writer, cell.writeInfo);
  if (strong)
    return;
  const u32 info = now << stampShift | (readOnly ? special : 0) | lane;
  if (cell.reader < launch) {
    cell.reader = id;
    cell.readInfo = info;
    return;
  }
  if (cell.reader == id && (cell.readInfo & laneBits) == lane) {
    cell.readInfo = info | (cell.readInfo & (manyReaders | special));
    return;
  }
  if (cell.reader == id && cell.readInfo >> stampShift == now)
    return;
  if (warpOrdered(warp, lane, cell.reader, cell.readInfo >> stampShift, cell.readInfo & laneBits)) {
    cell.reader = id;
    cell.readInfo = info | (cell.readInfo & (manyReaders | special));
  } else {
    const u32 first = launch + warp.block->number * warp.launch->warpsPerBlock;
    cell.readInfo |= (readOnly ? special : 0) | (cell.reader - first < warp.launch->warpsPerBlock ? 0 : manyReaders);
  }
}

inline void globalWrite(Warp &warp, unsigned lane, u64 address, GlobalCell &cell, u32 id, bool strong) {
  const u32 now = warp.block->now, launch = warp.launch->firstId;
  if (cell.writer >= launch && !(strong && (cell.writeInfo & special))) {
    const u32 stamp = cell.writeInfo >> stampShift;
    if (!warpOrdered(warp, lane, cell.writer, stamp, cell.writeInfo & laneBits))
      globalRace(warp, lane, address, "a write", "a write", cell.writer, cell.writeInfo);
  }
  if (cell.reader >= launch) {
    if (cell.readInfo & special)
      globalRace(warp, lane, address, "a write", "a read as read-only (.nc)", cell.reader, cell.readInfo);
    const u32 first = launch + warp.block->number * warp.launch->warpsPerBlock;
    const bool others =
        (cell.readInfo & manyReaders) && cell.reader - first < warp.launch->warpsPerBlock && warp.block->acquired.empty();
    if (others || !warpOrdered(warp, lane, cell.reader, cell.readInfo >> stampShift, cell.readInfo & laneBits))
      globalRace(warp, lane, address, "a write", "a read", cell.reader, cell.readInfo);
    cell.reader = 0;
  }
  // A strong write does not make an own plain one known that nothing has ordered since.
  const u32 before = cell.writeInfo >> stampShift;
  const bool hidesPlain = cell.writer == id && cell.writer >= launch && !(cell.writeInfo & special) &&
                          (cell.writeInfo & laneBits) == lane && !publishedSince(warp, lane, before);
  cell.writer = id;
  cell.writeInfo = now << stampShift | (strong && !hidesPlain ? special : 0) | lane;
}

void sharedRead(Warp &warp, unsigned lane, u32 offset, SharedCell &cell, bool strong) {
  const u32 now = warp.block->now, writer = cell.writer / warpSize;
  if (cell.writeStamp && !(strong && cell.writeStrong)) {
    const bool ordered = writer == warp.index ? lanesOrdered(warp, cell.writer % warpSize, lane, cell.writeStamp)
                                              : warp.clock[writer] > cell.writeStamp;
    if (!ordered)
      sharedRace(warp, lane, offset, "a read", "a write", cell.writer);
  }
  if (strong)
    return;
  bool replaces = true;
  for (u32 readers = cell.readers; readers && replaces; readers &= readers - 1) {
    const u32 reader = static_cast<u32>(std::countr_zero(readers));
    replaces = reader == warp.index ? lanesOrdered(warp, cell.reader % warpSize, lane, cell.readStamp)
                                    : warp.clock[reader] > cell.readStamp;
  }
  if (replaces) {
    cell.readers = 1u << warp.index;
    cell.readStamp = now;
    cell.reader = static_cast<u16>(warp.index * warpSize + lane);
    cell.manyLanes = 0;
  } else {
    cell.readers |= 1u << warp.index;
    cell.manyLanes |= cell.reader / warpSize == warp.index && cell.reader % warpSize != lane;
  }
}

void sharedWrite(Warp &warp, unsigned lane, u32 offset, SharedCell &cell, bool strong, bool sameInstruction,
                 bool isHarmless = false) {
  const u32 now = warp.block->now, writer = cell.writer / warpSize;
  if (cell.writeStamp && !(strong && cell.writeStrong) && !isHarmless) {
    const bool ordered = writer != warp.index ? warp.clock[writer] > cell.writeStamp
                                              : lanesOrdered(warp, cell.writer % warpSize, lane, cell.writeStamp) ||
                                                    (sameInstruction && cell.writeStamp == now);
    if (!ordered)
      sharedRace(warp, lane, offset, "a write", "a write", cell.writer);
  }
  for (u32 readers = cell.readers; readers; readers &= readers - 1) {
    const u32 reader = static_cast<u32>(std::countr_zero(readers));
    bool ordered = warp.clock[reader] > cell.readStamp;
    if (reader == warp.index)
      ordered = cell.reader / warpSize != warp.index || lanesOrdered(warp, cell.reader % warpSize, lane, cell.readStamp);
    if (reader == warp.index && cell.manyLanes)
      ordered = warp.syncStamp[lane] > cell.readStamp;
    if (!ordered)
      sharedRace(warp, lane, offset, "a write", "a read", reader * warpSize + cell.reader % warpSize);
  }
  const u32 me = warp.index * warpSize + lane;
  const bool hidesPlain =
      cell.writeStamp && !cell.writeStrong && cell.writer == me && !publishedSince(warp, lane, cell.writeStamp);
  cell.readers = 0;
  cell.manyLanes = 0;
  cell.writer = static_cast<u16>(warp.index * warpSize + lane);
  cell.writeStamp = now;
  cell.writeStrong = strong && !hidesPlain;
  cell.generic = 1;
}

/// The cells of a block's shared memory become finer when an access is narrower than they are.
u32 cellShiftFor(Block &block, u32 offset, u32 size) {
  const u32 wanted = size >= 4 && offset % 4 == 0 ? 2 : size == 2 && offset % 2 == 0 ? 1 : 0;
  if (wanted < block.cellShift) {
    const u32 factor = 1u << (block.cellShift - wanted);
    std::vector<SharedCell> finer(block.cells.size() * factor);
    for (size_t i = 0; i < block.cells.size(); ++i)
      std::fill_n(finer.begin() + static_cast<s64>(i * factor), factor, block.cells[i]);
    block.cells = std::move(finer);
    block.cellShift = wanted;
  }
  return block.cellShift;
}
} // namespace

void releaseTo(Warp &warp, Clock &join) {
  if (join.empty())
    join.resize(warp.clock.size());
  for (size_t i = 0; i < join.size(); ++i)
    join[i] = std::max(join[i], warp.clock[i]);
  join[warp.index] = warp.block->now + 1;
  warp.block->now += 2;
}

void acquireFrom(Warp &warp, const Clock &join) {
  for (size_t i = 0; i < join.size(); ++i)
    warp.clock[i] = std::max(warp.clock[i], join[i]);
}

void syncLanes(Warp &warp, u32 lanes) {
  const u32 now = ++warp.block->now;
  for (; lanes; lanes &= lanes - 1)
    warp.syncStamp[std::countr_zero(lanes)] = now;
}

void fenceMemory(Warp &warp) {
  warp.fenceClock = warp.clock;
  warp.fenceClock[warp.index] = warp.block->now + 1;
  warp.block->now += 2;
  warp.fenced = true;
  std::vector<u64> reads;
  reads.swap(warp.strongReads);
  for (const u64 address : reads)
    acquireAt(warp, address, true);
}

void proxyFence(Warp &warp) {
  warp.proxyClock = warp.clock;
  warp.proxyFence = warp.proxyClock[warp.index] = ++warp.block->now;
}

void releaseAt(Warp &warp, u64 address, bool releases) {
  if (!releases && !warp.fenced)
    return;
  auto &object = warp.launch->syncObjects[address];
  if (!object)
    object = std::make_shared<SyncObject>();
  SyncObject::Release release{
      warp.launch->firstId + warp.block->number * warp.launch->warpsPerBlock, 0, releases ? warp.clock : warp.fenceClock, {}};
  if (releases) {
    release.clock[warp.index] = warp.block->now + 1;
    warp.block->now += 2;
  }
  for (const Acquired &known : warp.block->acquired)
    if (known.warp == warp.index || warp.clock[known.warp] > known.stamp)
      if (known.object != object) // what is in this object precedes the new release there anyway
        release.knows.push_back(known);
  object->releases.push_back(std::move(release));
}

void acquireAt(Warp &warp, u64 address, bool acquires) {
  if (!acquires) {
    if (std::find(warp.strongReads.begin(), warp.strongReads.end(), address) == warp.strongReads.end()) {
      if (warp.strongReads.size() == 64) // a fence long after a read that many followed is not what one waits with
        warp.strongReads.erase(warp.strongReads.begin());
      warp.strongReads.push_back(address);
    }
    return;
  }
  const auto found = warp.launch->syncObjects.find(address);
  if (found == warp.launch->syncObjects.end())
    return;
  const auto &object = found->second;
  const u32 first = warp.launch->firstId + warp.block->number * warp.launch->warpsPerBlock;
  for (const SyncObject::Release &release : object->releases)
    if (release.firstId == first)
      acquireFrom(warp, release.clock);
  for (Acquired &known : warp.block->acquired)
    if (known.object == object && known.warp == warp.index) {
      known.released = object->releases.size();
      return;
    }
  warp.block->acquired.push_back({object, object->releases.size(), warp.index, ++warp.block->now});
}

void checkGlobal(Warp &warp, unsigned lane, u64 address, u32 size, Access access, bool strong, bool readOnly) {
  const u32 id = warp.launch->firstId + warp.block->number * warp.launch->warpsPerBlock + warp.index;
  for (u32 done = 0; done < size;) {
    u32 shift;
    const u32 chunk = std::min(size - done, 4u);
    GlobalCell *cell = warp.launch->arena->cellsOf(address + done, chunk, shift);
    for (u32 at = 0; at < chunk; at += 1u << shift, ++cell) {
      if (access == Access::Read)
        globalRead(warp, lane, address + done + at, *cell, id, strong, readOnly);
      else
        globalWrite(warp, lane, address + done + at, *cell, id, strong);
    }
    done += chunk;
  }
}

void checkShared(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, bool strong, bool sameValue) {
  const u32 shift = cellShiftFor(*warp.block, offset, size);
  for (u32 at = offset; at < offset + size; at += 1u << shift) {
    SharedCell &cell = warp.block->cells[at >> shift];
    if (access == Access::Read)
      sharedRead(warp, lane, at, cell, strong);
    else
      sharedWrite(warp, lane, at, cell, strong, sameValue, sameValue && warp.launch->equalWrites);
  }
}

void checkSharedAsync(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, const char *what) {
  const u32 shift = cellShiftFor(*warp.block, offset, size);
  for (u32 at = offset; at < offset + size; at += 1u << shift) {
    SharedCell &cell = warp.block->cells[at >> shift];
    const u32 writer = cell.writer / warpSize;
    const Warp &other = *warp.block->warps[writer];
    // PTX ISA, "Causality order": the two must be related by a proxy fence along the path, the writer's or the reader's.
    const bool fenced =
        other.proxyFence > cell.writeStamp || (!warp.proxyClock.empty() && warp.proxyClock[writer] > cell.writeStamp);
    if (access == Access::Read && cell.writeStamp && cell.generic && !fenced)
      fail(warp, lane, launchFailed,
           std::string(what) + " reads shared memory at offset " + std::to_string(at) + " that thread " +
               std::to_string(cell.writer) + " wrote, without fence.proxy.async between");
    if (access == Access::Read)
      sharedRead(warp, lane, at, cell, false);
    else
      sharedWrite(warp, lane, at, cell, false, true);
    if (access != Access::Read)
      cell.generic = 0;
  }
}

} // namespace standin
