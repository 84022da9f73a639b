// Branches, calls, exits and named barriers.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lanes.h"
#include "Races.h"

namespace standin {

/// Sends the lanes of the mask to `target`; the others of the group go on behind the branch.
static void jump(Warp &warp, u32 target) {
  if (warp.mask == warp.active) {
    warp.pc = target;
    return;
  }
  for (u32 lanes = warp.active; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    warp.lanePc[lane] = warp.mask >> lane & 1 ? target : warp.pc;
  }
  // regroup() stores the group's pc; with no group left it takes the lanes' own.
  warp.active = 0;
  regroup(warp);
}

void runJump(Warp &warp, const Inst &inst) { jump(warp, inst.target); }

void runExit(Warp &warp, const Inst &) { exitLanes(warp, warp.mask); }

void runTable(Warp &warp, const Inst &inst) {
  const std::vector<u32> &table = warp.kernel->tables[inst.kind];
  const u32 *index = in<u32>(warp, inst.op[1]), mask = warp.mask;
  for (u32 lanes = warp.active; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    if (mask >> lane & 1 && index[lane] >= table.size())
      fail(warp, lane, illegalInstruction,
           "index " + std::to_string(index[lane]) + " of " + std::to_string(table.size()) + " branch targets");
    warp.lanePc[lane] = mask >> lane & 1 ? table[index[lane]] : warp.pc;
  }
  warp.active = 0;
  regroup(warp);
}

namespace {
void bra(Build &build) {
  build.ignore({"uni"});
  build.expect(1, 1);
  build.lowering.noteBranch(build.branchTarget(build.operand(0)));
  build.emit(runJump);
}

void brx(Build &build) {
  build.ignore({"idx", "uni"});
  build.branchTable();
  build.emit(runTable);
}

void ret(Build &build) {
  build.ignore({"uni"});
  build.returnFrom();
  build.emit(runJump);
}

void exitOp(Build &build) { build.emit(runExit); }

void call(Build &build) {
  build.ignore({"uni"});
  build.call();
}

void runTrap(Warp &warp, const Inst &) { fail(warp, firstLane(warp.mask), launchFailed, "trap"); }
void trap(Build &build) { build.emit(runTrap); }
void nothing(Build &build) { build.ignoreAll(); }

void runPause(Warp &warp, const Inst &) { warp.yielded = true; }
void nanosleep(Build &build) {
  build.type();
  build.emit(runPause);
}

/// op[1]: the barrier; op[2]: the thread count, if given. kind 1: does not wait.
void runBarrier(Warp &warp, const Inst &inst) {
  const u32 lane = firstLane(warp.mask), id = in<u32>(warp, inst.op[1])[lane];
  const u32 threads = inst.op[2] == noSlot ? 0 : in<u32>(warp, inst.op[2])[lane];
  arriveAtBarrier(warp, inst, id, threads, !inst.kind);
}

/// bar.red: op[0] the result, op[3] the predicate, kind2 the operation.
void runReduction(Warp &warp, const Inst &inst) {
  const u32 lane = firstLane(warp.mask), id = in<u32>(warp, inst.op[1])[lane];
  const u32 threads = inst.op[2] == noSlot ? 0 : in<u32>(warp, inst.op[2])[lane];
  const u32 bits = (readPredicate(warp, inst.op[3]) ^ (inst.kind ? ~0u : 0)) & warp.mask;
  if (id < 16) {
    NamedBarrier &barrier = warp.block->barriers[id];
    barrier.sum += static_cast<u32>(std::popcount(bits));
    barrier.any |= bits != 0;
    barrier.all &= bits == warp.mask;
    barrier.reductions.push_back({&warp, warp.mask, inst.op[0], inst.kind2});
  }
  arriveAtBarrier(warp, inst, id, threads, true);
}

/// barrier.cluster.arrive and wait: of all threads of the cluster's blocks that have not exited.
void clusterArrive(Warp &warp, const Inst &inst) {
  Cluster &cluster = *warp.block->cluster;
  if ((inst.flags & aligned) && warp.mask != warp.live)
    fail(warp, firstLane(warp.mask), launchFailed, "divergent barrier.cluster");
  if (!(warp.active & ~warp.mask) && warp.clusterArrived)
    fail(warp, firstLane(warp.mask), launchFailed, "barrier.cluster.arrive twice without a wait between");
  warp.clusterArrived = true;
  warp.clusterPhase = cluster.barrierPhase;
  releaseAt(warp, warp.mask,
            (u64(1) << 62) + warp.block->cluster->id[0] + (u64(cluster.id[1]) << 20) + (u64(cluster.id[2]) << 40), true);
  releaseTo(warp, warp.mask, warp.block->clusterJoin);
  ++warp.launch->events;
  cluster.arrived += static_cast<u32>(std::popcount(warp.mask));
}

void clusterWait(Warp &warp, const Inst &) {
  Cluster &cluster = *warp.block->cluster;
  if (!warp.clusterArrived)
    fail(warp, firstLane(warp.mask), launchFailed, "barrier.cluster.wait without an arrive before");
  if (cluster.barrierPhase == warp.clusterPhase) {
    u32 threads = 0;
    for (const auto &block : cluster.blocks)
      for (const auto &other : block->warps)
        threads += static_cast<u32>(std::popcount(other->live));
    if (cluster.arrived < threads)
      return retryLater(warp);
    cluster.arrived = 0;
    ++cluster.barrierPhase;
    for (const auto &block : cluster.blocks) { // all of a block's warps have met
      block->clusterSeen.join(block->clusterJoin);
      block->clusterJoin.clear();
    }
    ++warp.launch->events;
  }
  warp.clusterArrived = false;
  acquireFrom(warp, warp.mask, warp.block->clusterSeen);
  acquireAt(warp, warp.mask,
            (u64(1) << 62) + warp.block->cluster->id[0] + (u64(cluster.id[1]) << 20) + (u64(cluster.id[2]) << 40), true);
}

void clusterBarrier(Build &build) {
  const int half = build.pick({"arrive", "wait"}, -1);
  build.ignore({"release", "acquire", "relaxed"});
  if (half < 0)
    build.unknown();
  if (build.has("aligned"))
    build.inst.flags |= aligned;
  build.expect(0, 0);
  build.emit(half == 0 ? clusterArrive : clusterWait);
}

void barrier(Build &build) {
  if (build.has("cluster"))
    return clusterBarrier(build);
  if (build.has("warp")) // bar.warp.sync
    return buildWarpSync(build);
  build.ignore({"cta"});
  const int what = build.pick({"sync", "arrive", "red"}, -1);
  Inst &inst = build.inst;
  if (what < 0)
    build.unknown();
  if (build.has("aligned") || build.statement.words[0] == "bar")
    inst.flags |= aligned;
  const Type word{'u', 32};
  if (what < 2) {
    build.expect(1, 2);
    inst.kind = what == 1;
    inst.op[1] = build.source(0, word);
    if (build.count() == 2)
      inst.op[2] = build.source(1, word);
    else if (what == 1)
      build.fail("bar.arrive needs a thread count");
    return build.emit(runBarrier);
  }
  const int operation = build.pick({"popc", "and", "or"}, -1);
  const Type type = build.type();
  bool negated = false, ignored;
  if (operation < 0)
    build.unknown();
  build.expect(3, 4);
  inst.kind2 = static_cast<u32>(operation);
  inst.op[0] = operation == 0 ? build.result(0, type) : build.predicate(build.operand(0), ignored);
  inst.op[1] = build.source(1, word);
  if (build.count() == 4)
    inst.op[2] = build.source(2, word);
  inst.op[3] = build.predicate(build.operand(build.count() - 1), negated);
  inst.kind = negated;
  build.emit(runReduction);
}
} // namespace

void addControlOps(std::map<std::string_view, Builder> &ops) {
  ops["bra"] = bra;
  ops["brx"] = brx;
  ops["ret"] = ret;
  ops["exit"] = exitOp;
  ops["call"] = call;
  ops["trap"] = trap;
  ops["brkpt"] = ops["griddepcontrol"] = ops["setmaxnreg"] = ops["pmevent"] = nothing;
  ops["nanosleep"] = nanosleep;
  ops["bar"] = ops["barrier"] = barrier;
}

} // namespace standin
