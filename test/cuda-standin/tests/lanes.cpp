// The order of accesses of lanes of one warp, and the effect of one lane's arrival or wait on the others: each form without its
// barrier, at which the checks must speak, and with it.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

using namespace test;

namespace {
const Shape oneWarp{}, twoWarps{{1, 1, 1}, {64, 1, 1}};
const char *shared = ".shared .align 1024 .b8 s[1024];\n.shared .align 8 .b64 bars[2];\n";

/// %r6, %d6: the lane's word in shared and global memory; %r7, %d7: its neighbour's; %r8, %d8: that of sixteen lanes on; %p1:
/// whether it is lane 0, %p2: whether its warp is the first.
const std::string begin = [] {
  std::string made = "ld.param.u64 %d1, [a];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\n"
                     "setp.eq.u32 %p1, %r2, 0;\nsetp.lt.u32 %p2, %r1, 32;\nmov.u32 %r5, s;\nmov.u32 %r50, bars;\n";
  for (const char *place : {"6;0", "7;1", "8;16"}) {
    const std::string number(1, place[0]);
    made += "xor.b32 %r3, %r1, " + std::string(place + 2) + ";\nshl.b32 %r3, %r3, 2;\nadd.u32 %r" + number +
            ", %r5, %r3;\ncvt.u64.u32 %d2, %r3;\nadd.s64 %d" + number + ", %d1, %d2;\n";
  }
  return made;
}();

const std::string sync = "bar.warp.sync 0xffffffff;\n", write = "st.shared.b32 [%r6], %r1;\n",
                  readNext = "ld.shared.b32 %r9, [%r7];\n", raceWords = "data race on shared memory";

void run(const std::string &body, const std::string &words = "", const Shape &shape = oneWarp) {
  const Scope scope;
  Buffer<uint32_t> a(std::vector<uint32_t>(256));
  const std::string text = kernelText(".param .u64 a", begin + body, "sm_90a", shared);
  if (words.empty())
    SILENT(text, shape, {a});
  else
    FAULT(text, shape, {a}, failed, words.c_str());
}

/// The body needs a barrier of the warp between: nothing else will do that brings lanes together.
void needsSync(const std::string &before, const std::string &after, const std::string &words = raceWords) {
  run(before + sync + after);
  run(before + "bar.sync 0;\n" + after);
  for (const char *other :
       {"", "shfl.sync.bfly.b32 %r20, %r1, 1, 31, 0xffffffff;\n", "vote.sync.any.pred %p3, %p1, 0xffffffff;\n",
        "match.any.sync.b32 %r20, %r1, 0xffffffff;\n", "redux.sync.add.u32 %r20, %r1, 0xffffffff;\n",
        "elect.sync %r20|%p3, 0xffffffff;\n", "membar.cta;\n"})
    run(before + other + after, words);
}

void sharedMemory() {
  needsSync(write, readNext, "a read here, a write by");
  needsSync(write + sync + readNext, "st.shared.b32 [%r6], %r9;\n", "a write here, a read by");
  needsSync(write, "st.shared.b32 [%r7], %r1;\n", "a write here, a write by");
  // A word that all lanes read, and one writes.
  const std::string all = "@%p1 st.shared.b32 [%r5], %r1;\n" + sync + "ld.shared.b32 %r9, [%r5];\n";
  needsSync(all, "@%p1 st.shared.b32 [%r5], %r9;\n", "a write here, a read by thread 1,");
  needsSync(all + "st.shared.b32 [%r6+512], %r1;\nld.shared.b32 %r9, [%r5];\n", "@%p1 st.shared.b32 [%r5], %r9;\n",
            "a write here, a read by thread 1,");
  // A lane's own accesses are in order.
  run(write + "ld.shared.b32 %r9, [%r6];\nst.shared.b32 [%r6], %r9;\n");
  // A part of a word that was read as a whole.
  needsSync(write + sync + readNext, "st.shared.b8 [%r6], %r9;\n", "a write here, a read by");
}

void masks() {
  const std::string halves = "setp.lt.u32 %p3, %r2, 16;\nselp.b32 %r10, 0xffff, 0xffff0000, %p3;\nbar.warp.sync %r10;\n";
  run(write + halves + readNext);
  run(write + halves + "ld.shared.b32 %r9, [%r8];\n", raceWords);
  run(write + halves + sync + "ld.shared.b32 %r9, [%r8];\n");
  // Pairs, then every other lane of four: what a lane has heard it passes on.
  const auto pairs = [](const std::string &first, const std::string &second) {
    return "and.b32 %r10, %r2, " + first + ";\nmov.u32 %r11, " + second + ";\nshl.b32 %r11, %r11, %r10;\nbar.warp.sync %r11;\n";
  };
  const std::string across =
      "xor.b32 %r12, %r1, 3;\nshl.b32 %r12, %r12, 2;\nadd.u32 %r12, %r5, %r12;\nld.shared.b32 %r9, [%r12];\n";
  run(write + pairs("30", "3") + pairs("29", "5") + across);
  run(write + pairs("30", "3") + across, raceWords);
  run(write + pairs("29", "5") + pairs("29", "5") + across, raceWords);
}

void globalMemory() {
  const std::string words = "data race on global memory", put = "st.global.b32 [%d6], %r1;\n";
  needsSync(put, "ld.global.b32 %r9, [%d7];\n", words);
  needsSync("ld.global.b32 %r9, [%d7];\n", put, words);
  needsSync("ld.global.b32 %r9, [%d1];\n", "@%p1 st.global.b32 [%d1], %r9;\n", words);
  needsSync("ld.global.b32 %r9, [%d1];\nst.global.b32 [%d6+512], %r9;\nld.global.b32 %r9, [%d1];\n",
            "@%p1 st.global.b32 [%d1], %r9;\n", words);
  run("ld.global.b32 %r9, [%d6];\n" + put + "ld.global.b32 %r9, [%d6];\n");
}

/// Lanes of the first warp read, the second warp overwrites.
void arrivals() {
  const auto ring = [](const std::string &count, const std::string &arrive, const std::string &wait) {
    return "@%p1 mov.u32 %r10, " + count +
           ";\nsetp.eq.u32 %p4, %r1, 0;\n@%p4 mbarrier.init.shared.b64 [%r50], %r10;\n@%p2 st.shared.b32 [%r6], %r1;\n"
           "bar.sync 0;\n@!%p2 bra second;\nld.shared.b32 %r9, [%r7];\n" +
           arrive + "ret;\nsecond:\n" + wait + "st.shared.b32 [%r6+-128], %r1;\n";
  };
  const auto waitBy = [](const std::string &who, const std::string &label) {
    return label + ":\n" + who + "mbarrier.try_wait.parity.shared.b64 %p5, [%r50], 0;\n" + who + "selp.b32 %r13, 1, 0, %p5;\n" +
           "setp.eq.u32 %p6, %r13, 0;\n" + (who.empty() ? "" : "and.pred %p6, %p6, %p1;\n") + "@%p6 bra " + label + ";\n";
  };
  const std::string one = "@%p1 mbarrier.arrive.shared.b64 %d9, [%r50];\n", all = "mbarrier.arrive.shared.b64 %d9, [%r50];\n";
  const std::string wait = waitBy("", "again"), waitAlone = waitBy("@%p1 ", "again");
  run(ring("1", sync + one, wait), "", twoWarps);
  run(ring("1", one, wait), "a read by thread", twoWarps);
  run(ring("1", one + sync, wait), "a read by thread", twoWarps);
  run(ring("1", "shfl.sync.bfly.b32 %r20, %r9, 1, 31, 0xffffffff;\n" + one, wait), "a read by thread", twoWarps);
  run(ring("32", all, wait), "", twoWarps);
  run(ring("1", sync + one, waitAlone + sync), "", twoWarps);
  run(ring("1", sync + one, waitAlone), "a read by thread", twoWarps);
}

void flags() {
  const std::string flag = "@%p1 st.volatile.shared.b32 [%r5+512], %r1;\n",
                    look = "@!%p1 ld.volatile.shared.b32 %r9, [%r5+512];\n";
  const std::string first = "@%p1 st.shared.b32 [%r5+512], %r1;\n" + sync + "@%p1 st.shared.b32 [%r5], %r1;\n",
                    second = "@!%p1 ld.shared.b32 %r9, [%r5];\n";
  run(first + flag + look);
  run(first + flag + look + second, raceWords);
  run(first + "membar.cta;\n" + flag + look + "membar.cta;\n" + second);
  run(first + "@!%p1 membar.cta;\n" + flag + look + "membar.cta;\n" + second, raceWords);
  run(first + flag + "membar.cta;\n" + look + "@%p1 membar.cta;\n" + second, raceWords);
  // A strong read does not go with a plain write.
  needsSync(first + look, "@%p1 st.shared.b32 [%r5+512], %r1;\n", "a write here, a read by");
}

void copies() {
  const std::string copy = "cp.async.ca.shared.global [%r6], [%d6], 4;\n";
  needsSync(copy + "cp.async.wait_all;\n", readNext);
  // Arrivals of copies tell of them and of what was before, not of what their lanes do later.
  const std::string init = "mov.u32 %r10, 32;\n@%p1 mbarrier.init.shared.b64 [%r50], %r10;\n" + sync;
  const std::string wait = "again:\nmbarrier.try_wait.parity.shared.b64 %p5, [%r50], 0;\n@!%p5 bra again;\n";
  const std::string arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r50];\n", later = "st.shared.b32 [%r6+256], %r1;\n";
  run(init + later + copy + arrive + wait + readNext + "ld.shared.b32 %r9, [%r7+256];\n");
  run(init + copy + arrive + later + wait + readNext);
  run(init + copy + arrive + later + wait + "ld.shared.b32 %r9, [%r7+256];\n", raceWords);
}

void proxies() {
  const std::string fence = "fence.proxy.async.shared::cta;\n",
                    store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r5], 128;\n"
                            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";
  run(write + fence + sync + store);
  run(write + sync + "@%p1 " + fence + store);
  run(write + "@%p1 " + fence + sync + store, "without fence.proxy.async");
  run(write + fence + store, raceWords);
}
} // namespace

int main() {
  sharedMemory();
  masks();
  globalMemory();
  arrivals();
  flags();
  copies();
  proxies();
  return report();
}
