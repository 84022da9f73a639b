// Device memory: see Memory.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

#include <algorithm>
#include <sys/mman.h>

namespace standin {

namespace {
constexpr u64 redZone = 256;

u8 *reserve(u64 wanted, u64 size, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *at = mmap(reinterpret_cast<void *>(wanted), size, protection, flags, -1, 0);
  if (at == MAP_FAILED)
    throw Fault{outOfMemory, "cannot reserve address space"};
  return static_cast<u8 *>(at);
}
} // namespace

Arena::Arena(u64 capacity, unsigned device) : capacity(capacity) {
  // Twice the capacity, so that freed memory can lie idle for a while and its use be noticed.
  size = roundUp(capacity * 2 + (u64(64) << 20), u64(1) << 21);
  base = reinterpret_cast<u64>(reserve((u64(0x30) << 40) + (u64(device) << 38), size, PROT_NONE));
  bytes = reserve(0, size, PROT_READ | PROT_WRITE);
  state = reserve(0, size, PROT_READ | PROT_WRITE);
  extents[redZone] = size - redZone;
  pages.resize(size / cellPageBytes);
}

Arena::~Arena() {
  munmap(reinterpret_cast<void *>(base), size);
  munmap(bytes, size);
  munmap(state, size);
}

u64 Arena::allocate(u64 wanted) {
  if (wanted > capacity - used)
    return 0;
  const u64 need = roundUp(std::max<u64>(wanted, 1), 256) + redZone;
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (auto at = extents.begin(); at != extents.end(); ++at) {
      if (at->second < need)
        continue;
      const u64 start = at->first, rest = at->second - need;
      extents.erase(at);
      if (rest)
        extents[start + need] = rest;
      live[start] = wanted;
      used += wanted;
      memset(state + start, undefinedByte, wanted);
      memset(state + start + wanted, unallocated, need - wanted);
      // An unchecked read of undefined bytes sees this pattern; not all of a large allocation, whose pages would cost memory.
      memset(bytes + start, 0xa5, std::min<u64>(wanted, u64(16) << 20));
      return base + start;
    }
    flush(0);
  }
  return 0;
}

bool Arena::release(u64 address) {
  const auto at = live.find(address - base);
  if (at == live.end())
    return false;
  const auto [start, length] = *at;
  live.erase(at);
  used -= length;
  memset(state + start, freedByte, length);
  quarantine.emplace_back(start, length);
  quarantined += length;
  flush(size / 4);
  return true;
}

/// Returns the oldest freed memory to the free extents until no more than `keep` bytes lie idle.
void Arena::flush(u64 keep) {
  while (quarantined > keep && !quarantine.empty()) {
    const auto [start, length] = quarantine.front();
    quarantine.pop_front();
    quarantined -= length;
    memset(state + start, unallocated, length);
    u64 from = start, extent = roundUp(std::max<u64>(length, 1), 256) + redZone;
    auto next = extents.lower_bound(from);
    if (next != extents.end() && from + extent == next->first) {
      extent += next->second;
      next = extents.erase(next);
    }
    if (next != extents.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == from) {
        before->second += extent;
        continue;
      }
    }
    extents[from] = extent;
  }
}

bool Arena::find(u64 address, u64 &start, u64 &length) const {
  auto at = live.upper_bound(address - base);
  if (address < base || at == live.begin())
    return false;
  --at;
  if (address - base - at->first >= std::max<u64>(at->second, 1))
    return false;
  start = base + at->first;
  length = at->second;
  return true;
}

std::string Arena::describe(u64 address, u64 length) const {
  if (!holds(address))
    return "not an address of device memory";
  const u64 offset = address - base;
  for (u64 i = 0; i < length && offset + i < size; ++i)
    if (state[offset + i] == freedByte)
      for (const auto &[start, extent] : quarantine)
        if (offset + i - start < extent)
          return "use after free: " + std::to_string(offset + i - start) + " bytes into a freed allocation of " +
                 std::to_string(extent) + " bytes";
  auto after = live.upper_bound(offset);
  if (after != live.begin()) {
    const auto before = std::prev(after);
    return "out of bounds: byte " + std::to_string(offset - before->first) + " of an allocation of " +
           std::to_string(before->second) + " bytes";
  }
  if (after != live.end())
    return "out of bounds: " + std::to_string(after->first - offset) + " bytes before an allocation";
  return "no allocation is near";
}

/// Makes a page's cells, or makes them finer for a narrow access.
void Arena::refine(CellPage &page, u64 address, u64 length) {
  const u32 wanted = length >= 4 && address % 4 == 0 ? 2 : length >= 2 && address % 2 == 0 ? 1 : 0;
  if (!page.cells) {
    page.shift = wanted;
    page.cells = std::make_unique<GlobalCell[]>(cellPageBytes >> wanted);
    return;
  }
  const u32 factor = 1u << (page.shift - wanted), old = cellPageBytes >> page.shift;
  auto finer = std::make_unique<GlobalCell[]>(cellPageBytes >> wanted);
  for (u32 i = 0; i < old; ++i)
    std::fill_n(finer.get() + i * factor, factor, page.cells[i]);
  page.cells = std::move(finer);
  page.shift = wanted;
}

} // namespace standin
