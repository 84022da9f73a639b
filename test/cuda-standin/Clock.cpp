// The knowledge of one thread about others' progress: see Clock.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Clock.h"

#include <algorithm>

namespace standin {

bool Clock::sawAlone(u32 thread, u32 stamp) const {
  const auto at = std::lower_bound(lanes.begin(), lanes.end(), thread, [](const Lane &lane, u32 t) { return lane.thread < t; });
  return at != lanes.end() && at->thread == thread && at->stamp > stamp;
}

void Clock::join(const Clock &other) {
  if (warps.size() < other.warps.size())
    warps.resize(other.warps.size());
  for (size_t i = 0; i < other.warps.size(); ++i)
    warps[i] = std::max(warps[i], other.warps[i]);
  if (!other.lanes.empty()) {
    std::vector<Lane> both;
    both.reserve(lanes.size() + other.lanes.size());
    auto a = lanes.begin();
    for (const Lane &b : other.lanes) {
      for (; a != lanes.end() && a->thread < b.thread; ++a)
        both.push_back(*a);
      both.push_back(b);
      if (a != lanes.end() && a->thread == b.thread)
        both.back().stamp = std::max(b.stamp, a++->stamp);
    }
    both.insert(both.end(), a, lanes.end());
    lanes = std::move(both);
  }
  if (!lanes.empty())
    shorten();
}

void Clock::noteWarp(u32 warp, u32 stamp) {
  if (warps.size() <= warp)
    warps.resize(warp + 1);
  warps[warp] = std::max(warps[warp], stamp);
  if (!lanes.empty())
    shorten();
}

void Clock::noteLane(u32 thread, u32 stamp) {
  if (sawWarp(thread / warpSize, stamp - 1))
    return;
  const auto at = std::lower_bound(lanes.begin(), lanes.end(), thread, [](const Lane &lane, u32 t) { return lane.thread < t; });
  if (at != lanes.end() && at->thread == thread) {
    at->stamp = std::max(at->stamp, stamp);
    return;
  }
  lanes.insert(at, {thread, stamp});
  shorten();
}

void Clock::clear() {
  warps.clear();
  lanes.clear();
}

void Clock::shorten() {
  auto kept = lanes.begin();
  for (auto at = lanes.begin(); at != lanes.end();) {
    const u32 warp = at->thread / warpSize;
    u32 least = ~0u, count = 0;
    auto end = at;
    for (; end != lanes.end() && end->thread / warpSize == warp; ++end, ++count)
      least = std::min(least, end->stamp);
    if (warps.size() <= warp)
      warps.resize(warp + 1);
    if (count == warpSize)
      warps[warp] = std::max(warps[warp], least);
    for (; at != end; ++at)
      if (at->stamp > warps[warp])
        *kept++ = *at;
  }
  lanes.erase(kept, lanes.end());
}

} // namespace standin
