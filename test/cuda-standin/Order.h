// The order of accesses: barriers, fences, acquire and release, lane by lane.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Machine.h"

namespace standin {

/// The state of a location through which threads synchronise.
struct SyncObject {
  struct Release {
    u32 firstId; // of the releasing block's warps
    Clock clock; // of the releasing lanes
    std::vector<Acquired> knows;
  };
  std::vector<Release> releases;
};

inline u32 threadOf(const Warp &warp, u32 lane) { return warp.index * warpSize + lane; }
/// In clocks and cells the async proxy that works for a warp counts as a warp of one thread behind the block's own.
inline u32 asyncWarp(const Warp &warp) { return warp.launch->warpsPerBlock + warp.index; }
inline u32 asyncThread(const Warp &warp) { return asyncWarp(warp) * warpSize; }
/// The number of the block's first warp in global cells.
inline u32 firstIdOf(const Warp &warp) { return warp.launch->firstId + warp.block->number * warp.launch->warpsPerBlock; }

/// True if an access of a thread of the block at `stamp` happened before the lane's present one.
inline bool hasSeen(const Warp &warp, u32 lane, u32 thread, u32 stamp) {
  return warp.common.saw(thread, stamp) || thread == threadOf(warp, lane) ||
         (warp.alone >> lane & 1 && warp.own[lane]->saw(thread, stamp));
}
/// The same for a thread of any block, told by its warp's number in the launch.
bool hasSeenGlobal(const Warp &warp, u32 lane, u32 id, u32 otherLane, u32 stamp);
/// Returns those of a warp's lanes `others`, which acted at `stamp`, with which the lane has not synchronised since.
u32 unseenOf(const Warp &warp, u32 lane, u32 otherWarp, u32 others, u32 stamp);

/// A barrier's two halves: what `lanes` did and have seen so far goes to `join`; they learn what is in `join`.
void releaseTo(Warp &warp, u32 lanes, Clock &join);
void acquireFrom(Warp &warp, u32 lanes, const Clock &join);
/// bar.warp.sync. Of the instructions that bring lanes together it alone orders their accesses (PTX ISA, "bar.warp.sync").
void syncLanes(Warp &warp, u32 lanes);

void fenceMemory(Warp &warp, u32 lanes);
void proxyFence(Warp &warp, u32 lanes);
/// Synchronisation through atomic or strong accesses.
void releaseAt(Warp &warp, u32 lanes, u64 address, bool releases);
void acquireAt(Warp &warp, u32 lanes, u64 address, bool acquires);

} // namespace standin
