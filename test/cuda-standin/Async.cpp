// mbarrier objects and copies in flight: see Async.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Async.h"

#include <algorithm>

namespace standin {

u64 barrierKey(const Block &block, u32 offset) { return u64(1) << 63 | static_cast<u64>(block.number) << 24 | offset; }

MemoryBarrier &memoryBarrier(Warp &warp, u32 lane, u64 address, Block *&block, u32 &offset) {
  address = sharedAddress(warp, lane, address);
  if (address % 8)
    fail(warp, lane, misalignedAddress, "an mbarrier at " + hex(address) + " is not aligned to 8 bytes");
  block = &sharedBlock(warp, lane, address, 8, offset);
  const auto found = block->memoryBarriers.find(offset);
  if (found == block->memoryBarriers.end())
    fail(warp, lane, launchFailed,
         "there is no mbarrier at shared offset " + std::to_string(offset) + ": not initialised, or invalidated");
  return found->second;
}

namespace {
void finishPhase(Block &block, MemoryBarrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  ++barrier.phase;
  ++block.launch->events;
  barrier.pending = barrier.expected;
  barrier.released.join(barrier.join);
  barrier.join.clear();
}
} // namespace

void countArrivals(Warp &by, u32 lane, MemoryBarrier &barrier, Block &block, u32 count) {
  if (count > barrier.pending)
    fail(by, lane, launchFailed,
         std::to_string(count) + " arrivals at an mbarrier that waits for " + std::to_string(barrier.pending) +
             " more in this phase");
  barrier.pending -= count;
  ++block.launch->events;
  finishPhase(block, barrier);
}

void arrive(Warp &by, u32 lane, MemoryBarrier &barrier, Block &block, u32 offset, u32 count) {
  if (by.block == &block)
    releaseTo(by, 1u << lane, barrier.join);
  if (block.cluster->blocks.size() > 1)
    releaseAt(by, 1u << lane, barrierKey(block, offset), true);
  countArrivals(by, lane, barrier, block, count);
}

void completeBytes(Block &block, MemoryBarrier &barrier, s64 bytes) {
  barrier.bytes -= bytes;
  ++block.launch->events;
  finishPhase(block, barrier);
}

void expectBytes(Warp &warp, u32 lane, Block &block, u32 offset, u32 size, const char *what) {
  for (u32 i = 0; i < size; ++i) {
    u8 &state = block.sharedState[offset + i];
    if (state == pendingByte)
      fail(warp, lane, launchFailed,
           std::string(what) + " into shared memory at offset " + std::to_string(offset + i) +
               " into which another unfinished copy writes");
    if (state == barrierByte)
      failShared(warp, lane, offset + i, state, false);
    state = pendingByte;
  }
  if (&block == warp.block && warp.launch->raceCheck) {
    stampWrite(warp);
    checkSharedAsync(warp, lane, offset, size, Access::Write, true, what);
  }
}

void bytesArrived(Warp &issuer, Block &block, u32 offset, u32 size, MemoryBarrier *barrier) {
  memset(block.sharedState.data() + offset, definedByte, size);
  const bool own = issuer.block == &block; // another block's threads are not among this one's warps: not followed
  const u32 stamp = ++block.now;
  writtenAsync(block, offset, size, own ? &issuer : nullptr, stamp);
  if (barrier && own)
    barrier->join.noteWarp(asyncWarp(issuer), stamp + 1);
  ++block.now;
}

void readAsync(Warp &warp, u32 lane, bool isRecorded, Block &block, u32 offset, u32 size, const char *what) {
  for (u32 i = 0; i < size; ++i)
    if (const u8 state = block.sharedState[offset + i]; state != definedByte) {
      if (state == undefinedByte && !warp.launch->initCheck)
        continue;
      if (state == pendingByte || state == barrierByte)
        failShared(warp, lane, offset + i, state, true);
      fail(warp, lane, launchFailed,
           std::string(what) + " reads uninitialised shared memory at offset " + std::to_string(offset + i));
    }
  if (&block == warp.block && warp.launch->raceCheck)
    checkSharedAsync(warp, lane, offset, size, Access::Read, isRecorded, what);
}

void stillUnwritten(Warp &warp, u32 lane, Block &block, u32 offset, u32 size, u32 stamp, const char *what) {
  if (&block != warp.block || !warp.launch->raceCheck)
    return;
  for (u32 at = offset; at < offset + size; at += 1u << block.cellShift)
    if (const SharedCell &cell = block.cells[at >> block.cellShift]; cell.writeStamp > stamp)
      fail(warp, lane, launchFailed,
           "shared memory at offset " + std::to_string(at) + " was written by thread " + std::to_string(cell.writer) +
               " before " + what + " that reads it was waited for");
}

} // namespace standin
