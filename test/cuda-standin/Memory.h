// Device memory: allocations with red zones, and what is known of each byte.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace standin {

/// The state of a byte for the checks.
enum ByteState : u8 {
  unallocated = 0,
  undefinedByte = 1,
  definedByte = 2,
  freedByte = 3,
  pendingByte = 4,
  barrierByte = 5,
  readOnlyByte = 6
};

/// One word's last write and reads of a launch; see Races.h.
struct GlobalCell {
  u32 writer = 0, writeInfo = 0, reader = 0, readInfo = 0, readLanes = 0;
};

constexpr u64 cellPageBytes = 4096;

/// The cells of 4096 bytes, one for each 1 << shift bytes: finer once an access was narrower.
struct CellPage {
  u32 shift = 2;
  std::unique_ptr<GlobalCell[]> cells;
};

/// One device's memory. Device addresses are reserved, not mapped: a host that follows one dies as it does with a device.
class Arena {
public:
  explicit Arena(u64 capacity, unsigned device);
  ~Arena();
  Arena(const Arena &) = delete;

  /// The address of new undefined bytes, 0 if they do not fit.
  u64 allocate(u64 size);
  /// False if `address` begins no allocation.
  bool release(u64 address);
  /// The bounds of the allocation that holds `address`; false if none does.
  bool find(u64 address, u64 &start, u64 &size) const;
  bool holds(u64 address) const { return address - base < size; }
  u8 *bytesAt(u64 address) const { return bytes + (address - base); }
  u8 *stateAt(u64 address) const { return state + (address - base); }
  /// Returns the fault of an access in words, with the nearest allocation.
  std::string describe(u64 address, u64 size) const;

  GlobalCell *cellsOf(u64 address, u64 size, u32 &shift) {
    CellPage &page = pages[(address - base) / cellPageBytes];
    const bool fine =
        page.cells && (page.shift == 0 || (page.shift == 2 ? size >= 4 && address % 4 == 0 : size >= 2 && address % 2 == 0));
    if (!fine)
      refine(page, address, size);
    shift = page.shift;
    return page.cells.get() + ((address - base) % cellPageBytes >> shift);
  }

  u64 freeBytes() const { return capacity - used; }
  u64 total() const { return capacity; }

  u64 base = 0, size = 0;

private:
  void flush(u64 keep);
  void refine(CellPage &page, u64 address, u64 size);

  u8 *bytes = nullptr, *state = nullptr;
  u64 capacity, used = 0, quarantined = 0;
  std::map<u64, u64> live;    // start -> size
  std::map<u64, u64> extents; // free: start -> size
  std::deque<std::pair<u64, u64>> quarantine;
  std::vector<CellPage> pages;
};

} // namespace standin
