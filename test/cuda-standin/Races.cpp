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

/// True if a barrier, a fence or the like came after a lane's access at `stamp`.
bool publishedSince(const Warp &warp, unsigned lane, u32 stamp) { return warp.published[lane] > stamp; }

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
  const u32 threads = warp.launch->warpsPerBlock * warpSize;
  const std::string who = thread < threads
                              ? "thread " + std::to_string(thread)
                              : "the async proxy for warp " + std::to_string(thread / warpSize - warp.launch->warpsPerBlock);
  fail(warp, lane, launchFailed,
       "data race on shared memory at offset " + std::to_string(offset) + ": " + mine + " here, " + theirs + " by " + who +
           ", no barrier between");
}

/// Global reads by lanes of one warp are stored as one stamp and a mask of the lanes.
inline u32 unseenReaders(const Warp &warp, unsigned lane, const GlobalCell &cell) {
  const u32 stamp = cell.readInfo >> stampShift, index = cell.reader - firstIdOf(warp);
  if (index < warp.launch->warpsPerBlock)
    return unseenOf(warp, lane, index, cell.readLanes, stamp);
  u32 unseen = cell.readLanes;
  for (u32 rest = unseen; rest; rest &= rest - 1)
    if (const u32 other = static_cast<u32>(std::countr_zero(rest)); hasSeenGlobal(warp, lane, cell.reader, other, stamp))
      unseen &= ~(1u << other);
  return unseen;
}

inline void globalRead(Warp &warp, unsigned lane, u64 address, GlobalCell &cell, u32 id, bool strong, bool readOnly) {
  const u32 now = warp.block->now, launch = warp.launch->firstId, bit = 1u << lane;
  const bool written = cell.writer >= launch;
  if (written && readOnly)
    globalRace(warp, lane, address, "a read as read-only (.nc)", "a write", cell.writer, cell.writeInfo);
  if (written && !(strong && (cell.writeInfo & special)) &&
      !hasSeenGlobal(warp, lane, cell.writer, cell.writeInfo & laneBits, cell.writeInfo >> stampShift))
    globalRace(warp, lane, address, "a read", "a write", cell.writer, cell.writeInfo);
  if (strong)
    return;
  const u32 info = now << stampShift | (readOnly ? special : 0), kept = cell.readInfo & (manyReaders | special);
  if (cell.reader < launch) {
    cell.reader = id;
    cell.readInfo = info;
    cell.readLanes = bit;
    return;
  }
  if (cell.reader == id && cell.readInfo >> stampShift == now) {
    cell.readLanes |= bit;
    return;
  }
  const u32 unseen = unseenReaders(warp, lane, cell);
  if (cell.reader == id || !unseen) {
    cell.reader = id;
    cell.readInfo = info | kept;
    cell.readLanes = unseen | bit;
  } else {
    const bool isOwnBlock = cell.reader - firstIdOf(warp) < warp.launch->warpsPerBlock;
    cell.readInfo |= (readOnly ? special : 0) | (isOwnBlock ? 0 : manyReaders);
  }
}

inline void globalWrite(Warp &warp, unsigned lane, u64 address, GlobalCell &cell, u32 id, bool strong) {
  const u32 now = warp.block->now, launch = warp.launch->firstId, before = cell.writeInfo >> stampShift;
  if (cell.writer >= launch && !(strong && (cell.writeInfo & special)) &&
      !hasSeenGlobal(warp, lane, cell.writer, cell.writeInfo & laneBits, before))
    globalRace(warp, lane, address, "a write", "a write", cell.writer, cell.writeInfo);
  if (cell.reader >= launch) {
    const u32 unseen = unseenReaders(warp, lane, cell);
    const u32 reader = static_cast<u32>(std::countr_zero(unseen ? unseen : cell.readLanes));
    if (cell.readInfo & special)
      globalRace(warp, lane, address, "a write", "a read as read-only (.nc)", cell.reader, reader);
    const bool isOwnBlock = cell.reader - firstIdOf(warp) < warp.launch->warpsPerBlock;
    const bool others = (cell.readInfo & manyReaders) && isOwnBlock && warp.block->acquired.empty();
    if (others || unseen)
      globalRace(warp, lane, address, "a write", "a read", cell.reader, reader);
    cell.reader = 0;
  }
  // A strong write does not make an own plain one known that nothing has ordered since.
  const bool hidesPlain = cell.writer == id && cell.writer >= launch && !(cell.writeInfo & special) &&
                          (cell.writeInfo & laneBits) == lane && !publishedSince(warp, lane, before);
  cell.writer = id;
  cell.writeInfo = now << stampShift | (strong && !hidesPlain ? special : 0) | lane;
}

/// Forgets what follows `first` in a cell's list of reads.
void dropReads(Block &block, Reads &first) {
  while (const u32 gone = first.next) {
    Reads &node = block.moreReads[gone];
    first.next = node.next;
    node.next = block.freeReads;
    block.freeReads = gone;
  }
}

void addReads(Block &block, Reads &first, Reads added) {
  if (!first.lanes) {
    first = added;
    return;
  }
  u32 at = block.freeReads;
  if (at) {
    block.freeReads = block.moreReads[at].next;
  } else {
    at = static_cast<u32>(block.moreReads.size());
    block.moreReads.emplace_back();
  }
  added.next = first.next;
  block.moreReads[at] = added;
  first.next = at;
}

/// Leaves in a cell's list the reads that do not precede the lane's, which is added. Whoever has heard of that one has
/// heard of those before it.
void recordRead(Warp &warp, unsigned lane, Reads &first, bool strong) {
  Block &block = *warp.block;
  const Reads mine{block.now, 1u << lane, 0, static_cast<u16>(warp.index), strong};
  const auto isSame = [&](const Reads &reads) {
    return reads.stamp == mine.stamp && reads.warp == mine.warp && reads.strong == strong;
  };
  if (first.lanes && !first.next && isSame(first)) {
    first.lanes |= mine.lanes;
    return;
  }
  // A strong read does not replace a plain one: strong writes must be ordered after both.
  const auto rest = [&](const Reads &reads) {
    if (strong && !reads.strong)
      return reads.lanes;
    const u32 others = reads.warp == mine.warp ? reads.lanes & ~mine.lanes : reads.lanes;
    return unseenOf(warp, lane, reads.warp, others, reads.stamp);
  };
  bool isIn = false;
  for (u32 *link = &first.next; *link;) {
    Reads &node = block.moreReads[*link];
    if (isSame(node)) {
      node.lanes |= mine.lanes;
      isIn = true;
    } else {
      node.lanes = rest(node);
    }
    if (node.lanes) {
      link = &node.next;
      continue;
    }
    const u32 gone = *link;
    *link = node.next;
    node.next = block.freeReads;
    block.freeReads = gone;
  }
  if (first.lanes && isSame(first)) {
    first.lanes |= mine.lanes;
    return;
  }
  if (first.lanes)
    first.lanes = rest(first);
  if (!first.lanes && first.next) {
    const u32 gone = first.next;
    first = block.moreReads[gone];
    block.moreReads[gone].next = block.freeReads;
    block.freeReads = gone;
  }
  if (!isIn)
    addReads(block, first, mine);
}

void checkRead(Warp &warp, unsigned lane, u32 offset, const SharedCell &cell, bool strong) {
  if (cell.writeStamp && !(strong && cell.writeStrong) && !hasSeen(warp, lane, cell.writer, cell.writeStamp))
    sharedRace(warp, lane, offset, "a read", "a write", cell.writer);
}

u32 *productReads(Block &block, u32 offset) { return &block.productReads[offset / 16 * block.launch->warpsPerBlock]; }

void checkProductReads(Warp &warp, unsigned lane, u32 offset) {
  const u32 *stamps = productReads(*warp.block, offset);
  for (const auto &other : warp.block->warps)
    if (const u32 stamp = stamps[other->index]; stamp && !hasSeen(warp, lane, asyncThread(*other), stamp))
      sharedRace(warp, lane, offset, "a write", "a read", asyncThread(*other));
}

void sharedWrite(Warp &warp, unsigned lane, u32 offset, SharedCell &cell, bool strong, bool sameInstruction,
                 bool isHarmless = false) {
  Block &block = *warp.block;
  const u32 me = threadOf(warp, lane);
  if (cell.writeStamp && !(strong && cell.writeStrong) && !isHarmless &&
      !(sameInstruction && cell.writeStamp == block.now && cell.writer / warpSize == warp.index) &&
      !hasSeen(warp, lane, cell.writer, cell.writeStamp))
    sharedRace(warp, lane, offset, "a write", "a write", cell.writer);
  if (!block.productReads.empty())
    checkProductReads(warp, lane, offset);
  for (const Reads *reads = &cell.reads; reads->lanes;) {
    const u32 unseen = strong && reads->strong ? 0 : unseenOf(warp, lane, reads->warp, reads->lanes, reads->stamp);
    if (unseen)
      sharedRace(warp, lane, offset, "a write", "a read", reads->warp * warpSize + static_cast<u32>(std::countr_zero(unseen)));
    if (!reads->next)
      break;
    reads = &block.moreReads[reads->next];
  }
  const bool hidesPlain =
      cell.writeStamp && !cell.writeStrong && cell.writer == me && !publishedSince(warp, lane, cell.writeStamp);
  dropReads(block, cell.reads);
  cell = {block.now, static_cast<u16>(me), strong && !hidesPlain, true, {}};
}

/// The cells of a block's shared memory become finer when an access is narrower than they are.
u32 cellShiftFor(Block &block, u32 offset, u32 size) {
  const u32 wanted = size >= 4 && offset % 4 == 0 ? 2 : size == 2 && offset % 2 == 0 ? 1 : 0;
  if (wanted < block.cellShift) {
    const u32 factor = 1u << (block.cellShift - wanted);
    std::vector<SharedCell> finer(block.cells.size() * factor);
    for (size_t i = 0; i < finer.size(); ++i) {
      const SharedCell &whole = block.cells[i / factor];
      finer[i] = whole;
      finer[i].reads.next = 0;
      for (u32 at = whole.reads.next; at; at = block.moreReads[at].next)
        addReads(block, finer[i].reads, block.moreReads[at]);
    }
    for (SharedCell &whole : block.cells)
      dropReads(block, whole.reads);
    block.cells = std::move(finer);
    block.cellShift = wanted;
  }
  return block.cellShift;
}
} // namespace

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
    if (access == Access::Read) {
      checkRead(warp, lane, at, cell, strong);
      recordRead(warp, lane, cell.reads, strong);
    } else {
      sharedWrite(warp, lane, at, cell, strong, sameValue, sameValue && warp.launch->equalWrites);
    }
  }
}

void checkInitialised(Warp &warp, unsigned lane, u32 offset, u32 size) {
  const u32 shift = cellShiftFor(*warp.block, offset, size);
  for (u32 at = offset; at < offset + size; at += 1u << shift)
    if (const SharedCell &cell = warp.block->cells[at >> shift];
        cell.writeStamp && !hasSeen(warp, lane, cell.writer, cell.writeStamp))
      sharedRace(warp, lane, at, "a use of an mbarrier", "its initialisation", cell.writer);
}

void checkSharedAsync(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, bool isRecorded, const char *what) {
  const u32 shift = cellShiftFor(*warp.block, offset, size);
  for (u32 at = offset; at < offset + size; at += 1u << shift) {
    SharedCell &cell = warp.block->cells[at >> shift];
    if (access != Access::Read) {
      sharedWrite(warp, lane, at, cell, false, true);
      cell.generic = false;
      continue;
    }
    if (cell.writeStamp && cell.generic) {
      // PTX ISA, "Causality order": the two must be related by a proxy fence along the path, the writer's or the reader's.
      const Fence &writers = warp.block->warps[cell.writer / warpSize]->proxyFences[cell.writer % warpSize];
      const Fence &own = warp.proxyFences[lane];
      if (writers.stamp <= cell.writeStamp && !(own.seen && own.seen->saw(cell.writer, cell.writeStamp)))
        fail(warp, lane, launchFailed,
             std::string(what) + " reads shared memory at offset " + std::to_string(at) + " that thread " +
                 std::to_string(cell.writer) + " wrote, without fence.proxy.async between");
    }
    checkRead(warp, lane, at, cell, false);
    if (isRecorded)
      recordRead(warp, lane, cell.reads, false);
  }
}

void recordProductRead(Warp &warp, u32 offset) {
  Block &block = *warp.block;
  if (block.productReads.empty())
    block.productReads.resize((block.shared.size() / 16 + 1) * warp.launch->warpsPerBlock);
  productReads(block, offset)[warp.index] = block.now;
}

void writtenAsync(Block &block, u32 offset, u32 size, const Warp *warp, u32 stamp) {
  for (u32 at = offset; at < offset + size; at += 1u << block.cellShift) {
    SharedCell &cell = block.cells[at >> block.cellShift];
    dropReads(block, cell.reads);
    cell = {};
    if (warp) {
      cell.writeStamp = stamp;
      cell.writer = static_cast<u16>(asyncThread(*warp));
    }
  }
  if (!block.productReads.empty())
    std::fill(productReads(block, offset), productReads(block, offset + size), 0);
}

} // namespace standin
