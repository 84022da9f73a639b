// Accesses of memory: see Access.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Access.h"

namespace standin {

namespace {
template <class T>
bool allAre(const u8 *state, T pattern) {
  return loadBytes<T>(state) == pattern;
}

/// True if all bytes are plainly defined: the quick answer for most accesses.
inline bool plainlyDefined(const u8 *state, u32 size) {
  static_assert(definedByte == 2);
  switch (size) {
  case 1:
    return *state == definedByte;
  case 2:
    return allAre<u16>(state, 0x0202);
  case 4:
    return allAre<u32>(state, 0x02020202);
  case 8:
    return allAre<u64>(state, 0x0202020202020202);
  default:
    for (u32 i = 0; i < size; i += 8)
      if (!plainlyDefined(state + i, std::min(size - i, 8u)))
        return false;
    return true;
  }
}

void checkGlobalState(Warp &warp, u32 lane, u64 address, u32 size, Access access) {
  Arena &arena = *warp.launch->arena;
  u8 *state = arena.stateAt(address);
  if (plainlyDefined(state, size))
    return;
  for (u32 i = 0; i < size; ++i) {
    const char *verb = access == Access::Read    ? "a read of "
                       : access == Access::Write ? "a write of "
                                                 : "an atomic operation on ";
    if (state[i] == unallocated || state[i] == freedByte)
      fail(warp, lane, illegalAddress,
           verb + std::to_string(size) + " bytes of global memory at " + hex(address) + ": " + arena.describe(address, size));
    if (state[i] == readOnlyByte && access != Access::Read)
      fail(warp, lane, illegalAddress, std::string(verb) + "constant memory at " + hex(address));
    if (state[i] == undefinedByte && access != Access::Write && warp.launch->initCheck)
      fail(warp, lane, launchFailed, verb + std::to_string(size) + " bytes of uninitialised global memory at " + hex(address));
  }
  if (access != Access::Read)
    memset(state, definedByte, size);
}
} // namespace

u8 *accessGlobal(Warp &warp, u32 lane, u64 address, u32 size, Access access, u32 flags) {
  Arena &arena = *warp.launch->arena;
  if (!arena.holds(address) || !arena.holds(address + size - 1)) {
    if (u8 *bytes = warp.launch->hostBytes ? warp.launch->hostBytes(address, size) : nullptr)
      return bytes;
    fail(warp, lane, illegalAddress,
         (access == Access::Read ? "a read at " : "a write at ") + hex(address) + ": " + arena.describe(address, size));
  }
  checkGlobalState(warp, lane, address, size, access);
  if (warp.launch->raceCheck)
    checkGlobal(warp, lane, address, size, access, flags & strongAccess, flags & readOnlyAccess);
  return arena.bytesAt(address);
}

Block &sharedBlock(Warp &warp, u32 lane, u64 address, u64 size, u32 &offset) {
  const u32 rank = static_cast<u32>(address >> rankShift & 0xff);
  offset = static_cast<u32>(address & ((1u << rankShift) - 1));
  Block *block = warp.block;
  if (rank) {
    if (rank > block->cluster->blocks.size())
      fail(warp, lane, illegalAddress,
           "a shared address of block " + std::to_string(rank - 1) + " that the cluster does not have");
    block = block->cluster->blocks[rank - 1].get();
  }
  if (address >> 32 || offset + size > block->shared.size())
    fail(warp, lane, illegalAddress,
         "shared memory out of bounds: offset " + std::to_string(offset) + ", " + std::to_string(size) + " bytes of " +
             std::to_string(block->shared.size()));
  return *block;
}

void failShared(Warp &warp, u32 lane, u32 offset, u8 state, bool isRead) {
  const std::string at = " of shared memory at offset " + std::to_string(offset);
  if (state == pendingByte)
    fail(warp, lane, launchFailed,
         std::string(isRead ? "a read" : "a write") + at + " into which an unfinished cp.async copies");
  if (state == barrierByte)
    fail(warp, lane, launchFailed, std::string(isRead ? "a read" : "a write") + at + " that holds an mbarrier");
  fail(warp, lane, launchFailed, "a read of uninitialised shared memory at offset " + std::to_string(offset));
}

u8 *accessShared(Warp &warp, u32 lane, u64 address, u32 size, Access access, u32 flags, const void *value) {
  u32 offset;
  Block &block = sharedBlock(warp, lane, address, size, offset);
  u8 *state = block.sharedState.data() + offset, *bytes = block.shared.data() + offset;
  if (!plainlyDefined(state, size)) {
    for (u32 i = 0; i < size; ++i)
      if (state[i] == pendingByte || state[i] == barrierByte ||
          (state[i] == undefinedByte && access != Access::Write && warp.launch->initCheck))
        failShared(warp, lane, offset + i, state[i], access == Access::Read);
    if (access != Access::Read)
      memset(state, definedByte, size);
  }
  // Accesses of another block's shared memory are not in this block's cells, whose warps are its own.
  if (&block == warp.block && warp.launch->raceCheck)
    checkShared(warp, lane, offset, size, access, flags & strongAccess, value && !memcmp(bytes, value, size));
  return bytes;
}

u8 *accessMemory(Warp &warp, u32 lane, Space space, u64 address, u32 size, Access access, u32 flags, const void *value) {
  space = resolveSpace(space, address);
  switch (space) {
  case Space::Global:
    return accessGlobal(warp, lane, address, size, access, flags);
  case Space::Shared:
  case Space::Cluster:
    return accessShared(warp, lane, address, size, access, flags, value);
  case Space::Local: {
    const u64 bytes = warp.kernel->localBytes;
    if (address + size > bytes)
      fail(warp, lane, illegalAddress,
           "local memory out of bounds: offset " + std::to_string(address) + " of " + std::to_string(bytes));
    return warp.local.data() + lane * bytes + address;
  }
  case Space::Const:
    if (access != Access::Read)
      fail(warp, lane, illegalAddress, "a write of constant memory at " + hex(address));
    return accessGlobal(warp, lane, address, size, access, flags);
  default:
    if (access != Access::Read)
      fail(warp, lane, illegalAddress, "a write of a kernel's parameter");
    if (address + size > warp.launch->parameters.size())
      fail(warp, lane, illegalAddress, "parameters out of bounds: offset " + std::to_string(address));
    return warp.launch->parameters.data() + address;
  }
}

u64 sharedAddress(Warp &warp, u32 lane, u64 address) {
  if (!(address >> 32))
    return address;
  if (resolveSpace(Space::Generic, address) != Space::Cluster)
    fail(warp, lane, invalidAddressSpace, "not an address of shared memory: " + hex(address));
  return address;
}

u64 syncKey(Warp &warp, u32 lane, Space space, u64 address) {
  space = resolveSpace(space, address);
  if (space != Space::Shared && space != Space::Cluster)
    return address;
  u32 offset;
  const Block &block = sharedBlock(warp, lane, address, 1, offset);
  return u64(1) << 63 | static_cast<u64>(block.number) << 24 | offset;
}

} // namespace standin
