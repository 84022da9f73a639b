// Launches: which blocks and warps have their turn, and when none can go on.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <algorithm>
#include <random>

namespace standin {

namespace {
constexpr u64 turn = 20000;           // instructions of a warp before another has its turn
constexpr u64 patience = 400'000'000; // instructions without an event before a launch counts as hung
constexpr size_t mostResident = 256;  // clusters

class Scheduler {
public:
  explicit Scheduler(Launch &launch) : launch(launch), random(launch.shuffle) {}
  void run();

private:
  std::unique_ptr<Cluster> start(u64 number);
  std::unique_ptr<Block> block(Cluster &cluster, u32 rank, const u32 (&id)[3]);
  std::unique_ptr<Warp> warp(Block &block, u32 index, u32 threads);
  /// Gives each warp a turn; false once all have exited.
  bool step(Cluster &cluster);
  bool finishCopies(Cluster &cluster);
  [[noreturn]] void deadlock(Cluster &cluster);

  Launch &launch;
  std::mt19937_64 random;
  std::vector<std::unique_ptr<Cluster>> resident;
};

std::unique_ptr<Warp> Scheduler::warp(Block &block, u32 index, u32 threads) {
  auto made = std::make_unique<Warp>();
  made->block = &block;
  made->launch = &launch;
  made->kernel = launch.kernel;
  made->index = index;
  const u32 count = std::min(threads - index * warpSize, warpSize);
  made->lanes = made->live = count == warpSize ? allLanes : (1u << count) - 1;
  made->registers.reset(static_cast<u8 *>(aligned_alloc(64, roundUp(launch.kernel->registerBytes + 64, 64))));
  made->base[0] = made->registers.get();
  made->base[1] = const_cast<u8 *>(launch.kernel->constants.data());
  made->local.resize(launch.kernel->localBytes * warpSize);
  return made;
}

std::unique_ptr<Block> Scheduler::block(Cluster &cluster, u32 rank, const u32 (&id)[3]) {
  auto made = std::make_unique<Block>();
  made->launch = &launch;
  made->cluster = &cluster;
  made->rank = rank;
  std::copy(id, id + 3, made->id);
  made->number = id[0] + launch.grid[0] * (id[1] + launch.grid[1] * id[2]);
  made->shared.resize(launch.sharedBytes);
  made->sharedState.resize(launch.sharedBytes, undefinedByte);
  made->cells.resize(launch.sharedBytes / 4 + 1);
  const u32 threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
  for (u32 i = 0; i * warpSize < threads; ++i)
    made->warps.push_back(warp(*made, i, threads));
  return made;
}

std::unique_ptr<Cluster> Scheduler::start(u64 number) {
  auto made = std::make_unique<Cluster>();
  const u32 *dims = launch.clusterDims;
  const u64 across = launch.grid[0] / dims[0], down = launch.grid[1] / dims[1];
  made->id[0] = static_cast<u32>(number % across);
  made->id[1] = static_cast<u32>(number / across % down);
  made->id[2] = static_cast<u32>(number / across / down);
  for (u32 rank = 0; rank < dims[0] * dims[1] * dims[2]; ++rank) {
    const u32 id[3] = {made->id[0] * dims[0] + rank % dims[0], made->id[1] * dims[1] + rank / dims[0] % dims[1],
                       made->id[2] * dims[2] + rank / dims[0] / dims[1]};
    made->blocks.push_back(block(*made, rank, id));
  }
  return made;
}

bool Scheduler::step(Cluster &cluster) {
  std::vector<Warp *> order;
  for (const auto &block : cluster.blocks)
    for (const auto &warp : block->warps)
      if (!warp->done())
        order.push_back(warp.get());
  if (launch.shuffle)
    std::shuffle(order.begin(), order.end(), random);
  for (Warp *warp : order)
    if (warp->ready())
      runWarp(*warp, launch.shuffle ? 1 + random() % 400 : turn);
  return std::any_of(order.begin(), order.end(), [](const Warp *warp) { return !warp->done(); });
}

bool Scheduler::finishCopies(Cluster &cluster) {
  if (!completeCopy(cluster, 0))
    return false;
  ++launch.events;
  return true;
}

void Scheduler::deadlock(Cluster &cluster) {
  for (const auto &block : cluster.blocks) {
    for (u32 id = 0; id < 16; ++id) {
      const NamedBarrier &barrier = block->barriers[id];
      for (size_t i = 0; i < barrier.waiting.size(); ++i)
        if (const u32 lanes = barrier.waiting[i]) {
          Warp &warp = *block->warps[i];
          const u32 lane = static_cast<u32>(std::countr_zero(lanes));
          warp.pc = warp.lanePc[lane];
          const bool left = std::any_of(block->warps.begin(), block->warps.end(), [](auto &w) { return w->live != w->lanes; });
          fail(warp, lane, launchFailed,
               "deadlock: barrier " + std::to_string(id) + " has " + std::to_string(barrier.arrived) + " of " +
                   std::to_string(barrier.expected) + " threads" + (left ? ", others have exited" : ""));
        }
    }
    for (const auto &warp : block->warps)
      if (!warp->done()) {
        if (!warp->active)
          regroup(*warp);
        const u32 lane = static_cast<u32>(std::countr_zero(warp->active ? warp->active : warp->live));
        ++warp->pc;
        fail(*warp, lane, launchFailed, "deadlock: what this thread waits for never comes");
      }
  }
  throw Fault{launchFailed, "deadlock"};
}

void Scheduler::run() {
  const u64 count = u64(launch.grid[0] / launch.clusterDims[0]) * (launch.grid[1] / launch.clusterDims[1]) *
                    (launch.grid[2] / launch.clusterDims[2]);
  std::vector<u32> order(count);
  for (u64 i = 0; i < count; ++i)
    order[i] = static_cast<u32>(i);
  if (launch.shuffle)
    std::shuffle(order.begin(), order.end(), random);
  u64 next = 0, seenEvents = 0, since = 0, idleRounds = 0;
  const size_t together = launch.shuffle ? 2 : 1;
  while (next < count || !resident.empty()) {
    while (resident.size() < together && next < count)
      resident.push_back(start(order[next++]));
    bool allPoll = true;
    for (auto &cluster : resident) {
      if (!step(*cluster)) {
        while (finishCopies(*cluster)) {
        }
        for (const auto &block : cluster->blocks)
          for (const auto &warp : block->warps) {
            warp->bulkGroups.push_back(std::move(warp->openBulk));
            finishBulk(*warp, 0, false);
          }
        cluster.reset();
        allPoll = false;
        continue;
      }
      for (const auto &block : cluster->blocks)
        for (const auto &warp : block->warps)
          allPoll &= warp->done() || !warp->ready() || warp->polling;
    }
    std::erase(resident, nullptr);
    if (resident.empty())
      continue;
    if (launch.events != seenEvents) {
      seenEvents = launch.events;
      since = launch.instructions;
      idleRounds = 0;
    } else {
      ++idleRounds;
    }
    bool arrived = false;
    for (auto &cluster : resident)
      if (allPoll)
        arrived |= finishCopies(*cluster);
    if (arrived)
      continue;
    const bool stuck = (allPoll && idleRounds > 2) || idleRounds > 200;
    if (stuck && next < count && resident.size() < mostResident) {
      resident.push_back(start(order[next++]));
      idleRounds = 0;
    } else if ((allPoll && idleRounds > 8) || launch.instructions - since > patience) {
      deadlock(*resident.front());
    }
  }
}
} // namespace

bool completeCopy(Cluster &cluster, u64 barrier) {
  for (auto at = cluster.copies.begin(); at != cluster.copies.end(); ++at) {
    if (barrier && at->barrier != barrier)
      continue;
    const AsyncCopy copy = std::move(*at);
    cluster.copies.erase(at);
    copy.run();
    return true;
  }
  return false;
}

void Launch::run() { Scheduler(*this).run(); }

} // namespace standin
