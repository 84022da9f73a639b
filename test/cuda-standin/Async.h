// mbarrier objects and copies in flight.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Access.h"

namespace standin {

/// The mbarrier at a shared address; throws if there is none.
MemoryBarrier &memoryBarrier(Warp &warp, u32 lane, u64 address, Block *&block, u32 &offset);
/// The key that copies in flight and synchronisation know a barrier by.
u64 barrierKey(const Block &block, u32 offset);
/// Counts arrivals of a lane, whose accesses those who wait will have seen.
void arrive(Warp &by, u32 lane, MemoryBarrier &barrier, Block &block, u32 offset, u32 count);
/// Only counts them; another function releases the writes.
void countArrivals(Warp &by, u32 lane, MemoryBarrier &barrier, Block &block, u32 count);
void completeBytes(Block &block, MemoryBarrier &barrier, s64 bytes);

/// Makes bytes that async copies will write unreadable, checking that nobody uses them now.
void expectBytes(Warp &warp, u32 lane, Block &block, u32 offset, u32 size, const char *what);
/// They have come: who waits for `barrier` has seen them.
void bytesArrived(Warp &issuer, Block &block, u32 offset, u32 size, MemoryBarrier *barrier);
/// Reads of the async proxy; throws if the bytes are not defined. `isRecorded`: as the lane's.
void readAsync(Warp &warp, u32 lane, bool isRecorded, Block &block, u32 offset, u32 size, const char *what);
/// Fails if a generic write came after `stamp`.
void stillUnwritten(Warp &warp, u32 lane, Block &block, u32 offset, u32 size, u32 stamp, const char *what);

} // namespace standin
