// Race checks of shared and global memory.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Order.h"

namespace standin {

enum class Access : u8 { Read, Write, Atomic };

/// Records an access and fails if it races with another.
void checkGlobal(Warp &warp, unsigned lane, u64 address, u32 size, Access access, bool strong, bool readOnly);
/// sameValue: a write leaves the bytes as they are, which lanes of one instruction may do together, and all warps if the
/// launch says so.
void checkShared(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, bool strong, bool sameValue);
/// The same for an access that the async proxy makes for a lane: what the generic proxy wrote must have been fenced. A read is
/// checked, and recorded elsewhere if it is not the lane that ends it.
void checkSharedAsync(Warp &warp, unsigned lane, u32 offset, u32 size, Access access, bool isRecorded, const char *what);
/// wgmma of the warp has read 16 bytes: who writes them must have heard so.
void recordProductRead(Warp &warp, u32 offset);
/// Who uses an mbarrier must have seen its initialisation.
void checkInitialised(Warp &warp, unsigned lane, u32 offset, u32 size);
/// Bytes have come from the async proxy for `warp`, whose earlier uses were checked; `warp` is null for another block's.
void writtenAsync(Block &block, u32 offset, u32 size, const Warp *warp, u32 stamp);

/// A stamp for an access that writes.
inline u32 stampWrite(Warp &warp) { return ++warp.block->now; }

} // namespace standin
