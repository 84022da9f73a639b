// The knowledge of one thread about others' progress.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

#include <vector>

namespace standin {

/// What has been seen of a block's threads: all that the lanes of warp w did with a stamp below warps[w], and of single lanes
/// what is in `lanes`. Most clocks have no such lanes: barriers teach whole warps.
class Clock {
public:
  bool saw(u32 thread, u32 stamp) const {
    return sawWarp(thread / warpSize, stamp) || (!lanes.empty() && sawAlone(thread, stamp));
  }
  bool sawWarp(u32 warp, u32 stamp) const { return warp < warps.size() && warps[warp] > stamp; }
  bool hasLanes() const { return !lanes.empty(); }

  void join(const Clock &other);
  void noteWarp(u32 warp, u32 stamp);
  void noteLane(u32 thread, u32 stamp);
  void clear();

private:
  struct Lane {
    u32 thread, stamp;
  };

  bool sawAlone(u32 thread, u32 stamp) const;
  /// What lanes have in common becomes their warp's, and what their warp has is not said again.
  void shorten();

  std::vector<u32> warps;
  std::vector<Lane> lanes; // by thread
};

} // namespace standin
