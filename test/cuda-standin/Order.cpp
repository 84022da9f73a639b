// The order of accesses: see Order.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Order.h"

#include <algorithm>

namespace standin {

namespace {
constexpr size_t mostStrongReads = 64; // a fence long after a read that many followed is not what one waits with
constexpr int deepest = 64;            // releases one after another that are followed back

template <class F>
void eachOf(u32 lanes, F call) {
  for (; lanes; lanes &= lanes - 1)
    call(static_cast<u32>(std::countr_zero(lanes)));
}

/// True if `lanes` are all lanes of the warp that have not exited.
bool areRest(const Warp &warp, u32 lanes) { return (warp.live & ~lanes) == 0; }

/// Makes the accesses of `lanes` before `stamp` known. No lane reports the accesses of a lane that has exited.
void note(const Warp &warp, u32 lanes, u32 stamp, Clock &in) {
  if (lanes == warp.lanes)
    in.noteWarp(warp.index, stamp);
  else
    eachOf(lanes, [&](u32 lane) { in.noteLane(threadOf(warp, lane), stamp); });
}

Clock &ownClock(Warp &warp, u32 lane) {
  if (!warp.own[lane])
    warp.own[lane] = std::make_unique<Clock>();
  else if (!(warp.alone >> lane & 1))
    warp.own[lane]->clear();
  warp.alone |= 1u << lane;
  return *warp.own[lane];
}

bool released(const SyncObject &object, size_t count, u32 id, u32 lane, u32 stamp, u32 warpsPerBlock, int depth) {
  for (size_t i = count; i-- > 0;) {
    const SyncObject::Release &release = object.releases[i];
    if (id - release.firstId < warpsPerBlock && release.clock.saw((id - release.firstId) * warpSize + lane, stamp))
      return true;
    if (depth < deepest)
      for (const Acquired &known : release.knows)
        if (released(*known.object, known.released, id, lane, stamp, warpsPerBlock, depth + 1))
          return true;
  }
  return false;
}

/// True if a lane knows what others of its block acquired.
bool knows(const Warp &warp, u32 lane, const Acquired &known) {
  const u32 own = known.warp == warp.index ? known.lanes >> lane & 1 : 0;
  return own || unseenOf(warp, lane, known.warp, known.lanes, known.stamp) != known.lanes;
}

/// The knowledge of each of the lanes, for a fence: most know the same.
template <class F>
void snapshot(Warp &warp, u32 lanes, F keep) {
  const auto common = std::make_shared<const Clock>(warp.common);
  eachOf(lanes, [&](u32 lane) {
    if (!(warp.alone >> lane & 1))
      return keep(lane, common);
    auto more = std::make_shared<Clock>(*common);
    more->join(*warp.own[lane]);
    keep(lane, std::shared_ptr<const Clock>(std::move(more)));
  });
}
} // namespace

bool hasSeenGlobal(const Warp &warp, u32 lane, u32 id, u32 otherLane, u32 stamp) {
  const u32 index = id - firstIdOf(warp);
  if (index < warp.launch->warpsPerBlock)
    return hasSeen(warp, lane, index * warpSize + otherLane, stamp);
  for (const Acquired &known : warp.block->acquired)
    if (knows(warp, lane, known) &&
        released(*known.object, known.released, id, otherLane, stamp, warp.launch->warpsPerBlock, 0))
      return true;
  return false;
}

u32 unseenOf(const Warp &warp, u32 lane, u32 otherWarp, u32 others, u32 stamp) {
  if (warp.common.sawWarp(otherWarp, stamp))
    return 0;
  if (otherWarp == warp.index)
    others &= ~(1u << lane);
  if (warp.common.hasLanes() || warp.alone >> lane & 1)
    eachOf(others, [&](u32 other) {
      if (hasSeen(warp, lane, otherWarp * warpSize + other, stamp))
        others &= ~(1u << other);
    });
  return others;
}

void releaseTo(Warp &warp, u32 lanes, Clock &join) {
  const u32 stamp = warp.block->now + 1;
  warp.block->now += 2;
  join.join(warp.common);
  eachOf(lanes & warp.alone, [&](u32 lane) { join.join(*warp.own[lane]); });
  note(warp, lanes, stamp, join);
  eachOf(lanes, [&](u32 lane) { warp.published[lane] = stamp; });
}

void acquireFrom(Warp &warp, u32 lanes, const Clock &join) {
  if (areRest(warp, lanes))
    return warp.common.join(join);
  eachOf(lanes, [&](u32 lane) { ownClock(warp, lane).join(join); });
}

void syncLanes(Warp &warp, u32 lanes) {
  const bool isAll = areRest(warp, lanes);
  Clock together;
  Clock &join = isAll ? warp.common : together;
  eachOf(lanes & warp.alone, [&](u32 lane) { join.join(*warp.own[lane]); });
  const u32 stamp = ++warp.block->now;
  note(warp, lanes, stamp, join);
  if (isAll)
    warp.alone = 0;
  else
    eachOf(lanes, [&](u32 lane) { ownClock(warp, lane).join(join); });
  eachOf(lanes, [&](u32 lane) { warp.published[lane] = stamp; });
}

void fenceMemory(Warp &warp, u32 lanes) {
  const u32 stamp = warp.block->now + 1;
  warp.block->now += 2;
  snapshot(warp, lanes, [&](u32 lane, std::shared_ptr<const Clock> seen) {
    warp.fences[lane] = {std::move(seen), stamp};
    warp.published[lane] = stamp;
  });
  for (StrongRead &read : warp.strongReads) {
    if (read.lanes & lanes)
      acquireAt(warp, read.lanes & lanes, read.address, true);
    read.lanes &= ~lanes;
  }
  std::erase_if(warp.strongReads, [](const StrongRead &read) { return !read.lanes; });
}

void proxyFence(Warp &warp, u32 lanes) {
  const u32 stamp = ++warp.block->now;
  snapshot(warp, lanes,
           [&](u32 lane, std::shared_ptr<const Clock> seen) { warp.proxyFences[lane] = {std::move(seen), stamp}; });
}

void releaseAt(Warp &warp, u32 lanes, u64 address, bool releases) {
  SyncObject::Release release{firstIdOf(warp), {}, {}};
  if (releases)
    releaseTo(warp, lanes, release.clock);
  else
    eachOf(lanes, [&](u32 lane) {
      const Fence &fence = warp.fences[lane];
      if (!fence.seen)
        lanes &= ~(1u << lane);
      else
        release.clock.join(*fence.seen), release.clock.noteLane(threadOf(warp, lane), fence.stamp);
    });
  if (!lanes)
    return;
  auto &object = warp.launch->syncObjects[address];
  if (!object)
    object = std::make_shared<SyncObject>();
  for (const Acquired &known : warp.block->acquired) {
    if (known.object == object) // what is in this object precedes the new release there anyway
      continue;
    bool isKnown = false;
    eachOf(lanes, [&](u32 lane) { isKnown |= knows(warp, lane, known); });
    if (isKnown)
      release.knows.push_back(known);
  }
  object->releases.push_back(std::move(release));
}

void acquireAt(Warp &warp, u32 lanes, u64 address, bool acquires) {
  if (!acquires) {
    for (StrongRead &read : warp.strongReads)
      if (read.address == address) {
        read.lanes |= lanes;
        return;
      }
    if (warp.strongReads.size() == mostStrongReads)
      warp.strongReads.erase(warp.strongReads.begin());
    warp.strongReads.push_back({address, lanes});
    return;
  }
  const auto found = warp.launch->syncObjects.find(address);
  if (found == warp.launch->syncObjects.end())
    return;
  const auto &object = found->second;
  const u32 first = firstIdOf(warp);
  for (const SyncObject::Release &release : object->releases)
    if (release.firstId == first)
      acquireFrom(warp, lanes, release.clock);
  for (Acquired &known : warp.block->acquired)
    if (known.object == object && known.warp == warp.index && known.lanes == lanes) {
      known.released = object->releases.size();
      return;
    }
  warp.block->acquired.push_back({object, object->releases.size(), warp.index, lanes, ++warp.block->now});
}

} // namespace standin
