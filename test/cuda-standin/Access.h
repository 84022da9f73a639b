// One lane's access of memory: where it goes, and whether it is allowed.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lanes.h"
#include "Races.h"

namespace standin {

/// Splits an address of `space` into the space that it is in and the address there.
inline Space resolveSpace(Space space, u64 &address) {
  if (space != Space::Generic)
    return space;
  const u64 window = address >> 48;
  if (window == 1 || window == 2 || window == 4) {
    address &= (u64(1) << 48) - 1;
    return window == 1 ? Space::Cluster : window == 2 ? Space::Local : Space::Param;
  }
  return Space::Global;
}

inline u64 laneAddress(const Warp &warp, const Inst &inst, Slot slot, u32 lane) {
  if (inst.addressSize == 4)
    return static_cast<u32>(in<u32>(warp, slot)[lane] + static_cast<u32>(inst.imm));
  return in<u64>(warp, slot)[lane] + static_cast<u64>(inst.imm);
}

/// The address whose three words begin at inst.list[at].
inline u64 listAddress(const Warp &warp, const Inst &inst, u32 at, u32 lane) {
  const s64 offset = static_cast<s32>(inst.list[at + 2]);
  if (inst.list[at + 1] == 4)
    return static_cast<u32>(in<u32>(warp, inst.list[at])[lane] + static_cast<u32>(offset));
  return in<u64>(warp, inst.list[at])[lane] + static_cast<u64>(offset);
}

/// The host's bytes of an access that all checks allow; throws otherwise. `value`: what a write will store, or null.
u8 *accessGlobal(Warp &warp, u32 lane, u64 address, u32 size, Access access, u32 flags);
u8 *accessShared(Warp &warp, u32 lane, u64 address, u32 size, Access access, u32 flags, const void *value);
u8 *accessMemory(Warp &warp, u32 lane, Space space, u64 address, u32 size, Access access, u32 flags, const void *value);

/// The block of a cluster that a shared address means, and the offset there; throws if it is outside.
Block &sharedBlock(Warp &warp, u32 lane, u64 address, u64 size, u32 &offset);
/// The key of a location for synchronisation.
u64 syncKey(Warp &warp, u32 lane, Space space, u64 address);

/// A shared address from a generic one or one of the shared window.
u64 sharedAddress(Warp &warp, u32 lane, u64 address);

[[noreturn]] void failShared(Warp &warp, u32 lane, u32 offset, u8 state, bool isRead);

} // namespace standin
