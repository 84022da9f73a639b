// Which accesses are ordered: race checks of shared and global memory, and what synchronisation teaches warps.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Machine.h"

namespace standin {

/// Of a global location through which blocks synchronise.
struct SyncObject {
  struct Release {
    u32 firstId, stampOf; // the releasing block's first warp; unused
    Clock clock;          // of the releasing warp
    std::vector<Acquired> knows;
  };
  std::vector<Release> releases;
};

enum class Access : u8 { Read, Write, Atomic };

/// A barrier's two halves: what `warp` did so far goes to `join`; `warp` learns what is in `join`.
void releaseTo(Warp &warp, Clock &join);
void acquireFrom(Warp &warp, const Clock &join);
/// Orders the accesses of `lanes` of one warp.
void syncLanes(Warp &warp, u32 lanes);

void fenceMemory(Warp &warp);
void proxyFence(Warp &warp);
/// Synchronisation through an atomic or strong access of global memory.
void releaseAt(Warp &warp, u64 address, bool releases);
void acquireAt(Warp &warp, u64 address, bool acquires);

/// Records an access and fails if it races with another.
void checkGlobal(Warp &warp, unsigned lane, u64 address, u32 size, Access access, bool strong, bool readOnly);
/// sameValue: a write leaves the bytes as they are, which lanes of one instruction may do together, and all warps if the
/// launch says so.
void checkShared(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, bool strong, bool sameValue);
/// The same for an access that the async proxy makes for `warp`: what the generic proxy wrote must have been fenced.
void checkSharedAsync(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, const char *what);

/// A stamp for an access that writes.
inline u32 stampWrite(Warp &warp) { return ++warp.block->now; }

} // namespace standin
