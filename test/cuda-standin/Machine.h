// The machine that executes kernels: warps of 32 lanes, blocks, clusters and a launch.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Clock.h"
#include "Memory.h"
#include "Program.h"

#include <cstdlib>
#include <functional>
#include <set>
#include <unordered_map>

namespace standin {

struct Block;
struct Cluster;
struct Launch;

// The generic address windows. Shared addresses hold the block's rank in its cluster plus one in their fourth byte; 0 is the
// own.
constexpr u64 sharedWindow = u64(1) << 48, localWindow = u64(1) << 49, paramWindow = u64(1) << 50;
constexpr u32 rankShift = 24;

struct FreeBytes {
  void operator()(u8 *bytes) const { free(bytes); }
};

struct PendingCopy { // a cp.async of one lane
  u32 lane, destination, size;
  u8 data[16];
};

/// A bulk copy out of shared memory: its source is read, then its destination written.
struct BulkStore {
  std::function<void()> read, write;
  bool hasRead = false;
};
using BulkGroup = std::vector<BulkStore>;

struct Wgmma; // Wgmma.cpp

/// The knowledge of a lane when it executed a fence.
struct Fence {
  std::shared_ptr<const Clock> seen; // null: there was none
  u32 stamp = 0;
};

/// A location that lanes read strongly, for a fence that follows.
struct StrongRead {
  u64 address;
  u32 lanes;
};

struct Warp {
  Block *block = nullptr;
  Launch *launch = nullptr;
  const Kernel *kernel = nullptr;
  u8 *base[2] = {nullptr, nullptr}; // registers, constants
  u32 mask = 0;                     // the lanes that execute the present instruction
  u32 active = 0;                   // the lanes at pc
  u32 live = 0, lanes = 0;          // not exited; existing
  u32 waiting = 0, parked = 0;      // at a barrier; at a *.sync whose other lanes are not there yet
  u32 pc = 0, mergePc = ~0u;        // mergePc: where other lanes of the warp stand
  u32 index = 0, faultLane = 0;
  bool yielded = false, polling = false, rotated = false, clusterArrived = false;
  u64 clusterPhase = 0; // of its arrival at barrier.cluster
  u32 lanePc[warpSize] = {};
  u32 published[warpSize] = {}; // when a lane last let others know what it did
  u8 carry[warpSize] = {};
  std::unique_ptr<u8[], FreeBytes> registers;
  std::vector<u8> local;
  // The events that all lanes have seen, and for each lane in `alone` the events that it has seen beyond these.
  Clock common;
  u32 alone = 0;
  std::unique_ptr<Clock> own[warpSize];
  Fence fences[warpSize], proxyFences[warpSize];
  std::vector<StrongRead> strongReads;
  // Groups in the order of their commits; vectors, because empty deques allocate and each block makes many warps.
  std::vector<PendingCopy> openCopies;
  std::vector<std::vector<PendingCopy>> copyGroups[warpSize];
  BulkGroup openBulk;
  std::vector<BulkGroup> bulkGroups;
  std::vector<std::shared_ptr<Wgmma>> openWgmma;
  std::vector<std::vector<std::shared_ptr<Wgmma>>> wgmmaGroups;
  std::unordered_map<Slot, u32> pendingRegisters; // of unfinished wgmma: how many of those use them
  std::vector<u32> touched;                       // by slot / 4: after which wgmma.fence other instructions used a register
  u32 wgmmaFences = 0;

  bool done() const { return live == 0; }
  bool ready() const { return (live & ~waiting & ~parked) != 0 || (parked && !(live & ~parked)); }
};

/// Reads by lanes of one warp at one time. `next`: others that do not precede these, in Block::moreReads, or 0.
struct Reads {
  u32 stamp = 0, lanes = 0, next = 0;
  u16 warp = 0;
  bool strong = false;
};

struct SharedCell {
  u32 writeStamp = 0;
  u16 writer = 0; // warp * 32 + lane
  bool writeStrong = false, generic = false;
  Reads reads;
};

struct NamedBarrier {
  u32 expected = 0, arrived = 0, seen = 0; // seen: warps of which lanes have arrived
  Clock join;
  std::vector<u32> waiting; // lanes by warp
  u32 sum = 0, all = 1, any = 0;
  struct Reduction {
    Warp *warp;
    u32 lanes;
    Slot slot;
    u32 kind;
  };
  std::vector<Reduction> reductions;
};

struct MemoryBarrier { // mbarrier
  u32 expected = 0, pending = 0;
  s64 bytes = 0; // tx-count
  u64 phase = 0;
  Clock join, released; // of the present phase; of those completed
};

struct SyncObject;

/// The knowledge of a block from a synchronising location: everything that was released there before.
struct Acquired {
  std::shared_ptr<SyncObject> object;
  size_t released;        // how many of its releases had happened
  u32 warp, lanes, stamp; // who acquired, and when: others of the block see it once they have seen that
};

struct Block {
  Launch *launch = nullptr;
  Cluster *cluster = nullptr;
  u32 id[3] = {}, rank = 0, number = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<u8> shared, sharedState;
  std::vector<SharedCell> cells;
  std::vector<Reads> moreReads{1}; // of which 0 stands for none
  u32 freeReads = 0;
  std::vector<u32> productReads; // stamps of wgmma's reads, by 16 bytes and warp; empty before the first
  u32 cellShift = 2;
  u32 now = 1;                    // stamps accesses
  Clock clusterJoin, clusterSeen; // of the present and of past phases of barrier.cluster
  NamedBarrier barriers[16];
  std::map<u32, MemoryBarrier> memoryBarriers;
  std::vector<Acquired> acquired;
};

/// A copy in flight: run() makes its bytes arrive.
struct AsyncCopy {
  std::function<void()> run;
  u64 barrier = 0; // shared address with rank, or 0
};

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  std::deque<AsyncCopy> copies;
  u32 arrived = 0; // threads at barrier.cluster
  u64 barrierPhase = 0;
  u32 id[3] = {};
};

struct Launch {
  Arena *arena = nullptr;
  const Kernel *kernel = nullptr;
  u32 grid[3] = {1, 1, 1}, threads[3] = {1, 1, 1}, clusterDims[3] = {1, 1, 1};
  u32 dynamicShared = 0, sharedBytes = 0;
  std::vector<u8> parameters;
  u32 firstId = 0; // of the launch's warps in global cells
  u32 warpsPerBlock = 1;
  u64 instructions = 0, laneInstructions = 0, events = 0;
  bool initCheck = true, raceCheck = true;
  bool equalWrites = false; // of the same value to shared memory: no race
  u64 shuffle = 0;
  u32 smCount = 16;
  std::unordered_map<u64, std::shared_ptr<SyncObject>> syncObjects;
  /// Host memory that the device may access; null where there is none.
  std::function<u8 *(u64 address, u64 size)> hostBytes;

  /// Executes the launch; throws a Fault that tells where.
  void run();
};

[[noreturn]] void fail(Warp &warp, unsigned lane, Code code, const std::string &text);

/// Ends the present group's turn: it goes on with the lanes that stand at the lowest pc.
void regroup(Warp &warp);
/// Makes lanes leave for good.
void exitLanes(Warp &warp, u32 lanes);
/// Executes `warp` until it blocks, yields or has used `quota` instructions.
void runWarp(Warp &warp, u64 quota);
/// For *.sync: brings the member lanes together. False if the warp must wait for some, and the instruction not be executed.
bool gather(Warp &warp, u32 members, const Inst &inst);

/// bar.sync, bar.arrive and bar.red of warp.mask; threads: how many the barrier waits for, 0 for all.
/// Finishes bulk copies until no more than `left` groups are unfinished, or only reads their sources.
void finishBulk(Warp &warp, size_t left, bool onlyRead);
/// In kernels with wgmma: what `inst` does to registers that wgmma uses.
void watchRegisters(Warp &warp, const Inst &inst);

void arriveAtBarrier(Warp &warp, const Inst &inst, u32 id, u32 threads, bool waits);
/// Gives the turn to other warps, to execute the present instruction again later.
void retryLater(Warp &warp);
/// Makes one copy in flight arrive, one that signals `barrier` if there is one. False if there was none.
bool completeCopy(Cluster &cluster, u64 barrier);

} // namespace standin
