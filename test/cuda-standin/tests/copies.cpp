// cp.async as pipelines use it: sizes, zeros for what is not taken, rings of stages; and what happens without a wait or a
// barrier.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

using namespace test;

namespace {

const char *shared = ".shared .align 1024 .b8 s[4096];\n";
const char *two = ".param .u64 a, .param .u64 b";
const std::string load = "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\ncvta.to.global.u64 %d1, %d1;\n"
                         "cvta.to.global.u64 %d2, %d2;\nmov.u32 %r1, %tid.x;\nmov.u32 %r50, s;\n";

std::string text(const std::string &body) { return kernelText(two, load + body, "sm_80", shared); }

std::vector<uint32_t> randomWords(size_t count) {
  std::vector<uint32_t> made(count);
  for (auto &value : made)
    value = random32();
  return made;
}

/// Thread t copies `size` bytes, of which it takes as many as it has the number, and all memory has is what the first take.
void zeros(unsigned size) {
  const Scope scope;
  const std::string bytes = std::to_string(size), words = std::to_string(size / 4);
  const auto copy = [&](const std::string &taken) {
    return "min.u32 %r2, %r1, " + bytes + ";\nmul.lo.u32 %r3, %r1, " + bytes +
           ";\ncvt.u64.u32 %d3, %r3;\nadd.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\nadd.u32 %r4, %r50, %r3;\n"
           "setp.ge.u32 %p1, %r1, 20;\nselp.u32 %r2, 0, %r2, %p1;\n" +
           taken + "cp.async.ca.shared.global [%r4], [%d4], " + bytes + ", %r2;\ncp.async.wait_all;\n";
  };
  std::string out;
  for (unsigned word = 0; word < size / 4; ++word) {
    const std::string at = std::to_string(4 * word);
    out += "ld.shared.b32 %r5, [%r4+" + at + "];\nst.global.b32 [%d5+" + at + "], %r5;\n";
  }
  const auto from = randomWords(20 * size / 4);
  Buffer<uint32_t> a(from), b(32 * size / 4);
  SILENT(text(copy("") + out), {}, {a, b});
  auto expected = from;
  expected.resize(32 * size / 4);
  for (unsigned byte = 0; byte < 32 * size; ++byte)
    if (const unsigned thread = byte / size; thread >= 20 || byte % size >= std::min(thread, size))
      reinterpret_cast<uint8_t *>(expected.data())[byte] = 0;
  CHECK(b.read() == expected);
  FAULT(text(copy("add.u32 %r2, %r2, 1;\n") + out), {}, {a, b}, failed, "a source of");
}

void alignment() {
  const auto from = randomWords(256);
  for (const char *moved : {"add.s64 %d1, %d1, 4;\n", "add.u32 %r50, %r50, 8;\n"}) {
    const Scope scope;
    Buffer<uint32_t> a(from), b(1);
    FAULT(text(moved + std::string("cp.async.cg.shared.global [%r50], [%d1], 16;\n")), {}, {a, b}, misaligned,
          "misaligned addresses");
  }
  const std::string move = "shl.b32 %r2, %r1, 4;\nadd.u32 %r3, %r50, %r2;\nmov.u32 %r9, 0;\n"
                           "st.shared.v4.b32 [%r3], {%r9, %r9, %r9, %r9};\nbar.warp.sync 0xffffffff;\n";
  for (const char *turned : {"", ".trans"}) {
    const Scope scope;
    Buffer<uint32_t> a(from), b(1);
    const std::string read = "ldmatrix.sync.aligned.m8n8.x4" + std::string(turned) + ".shared.b16 {%r4, %r5, %r6, %r7}, [%r3";
    SILENT(text(move + read + "];\n"), {}, {a, b});
    FAULT(text(move + read + "+8];\n"), {}, {a, b}, misaligned, "is not aligned to 16 bytes");
  }
}

/// Two warps, each of which reads what the other one copies. Piece p is in stage p % stages; its copy starts two pieces ahead,
/// when the barrier says that the piece before has been read.
std::string ring(unsigned stages, const std::string &wait, const std::string &barrier) {
  constexpr unsigned pieces = 7;
  std::string body = "shl.b32 %r2, %r1, 2;\nadd.u32 %r3, %r50, %r2;\nxor.b32 %r4, %r2, 128;\nadd.u32 %r4, %r50, %r4;\n"
                     "cvt.u64.u32 %d3, %r2;\nadd.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\nmov.u32 %r10, 0;\n";
  const auto at = [&](unsigned piece) { return std::to_string(piece % stages * 256); };
  const auto begin = [&](unsigned piece) {
    if (piece < pieces)
      body += "cp.async.ca.shared.global [%r3+" + at(piece) + "], [%d4+" + std::to_string(piece * 256) + "], 4;\n";
    body += "cp.async.commit_group;\n";
  };
  begin(0);
  begin(1);
  for (unsigned piece = 0; piece < pieces; ++piece) {
    body += wait + barrier;
    begin(piece + 2);
    body += "ld.shared.b32 %r9, [%r4+" + at(piece) + "];\nadd.u32 %r10, %r10, %r9;\n";
  }
  return text(body + "st.global.b32 [%d5], %r10;\n");
}

void rings() {
  const auto from = randomWords(7 * 64);
  const Shape warps{{1, 1, 1}, {64, 1, 1}};
  const std::string wait = "cp.async.wait_group 1;\n", barrier = "bar.sync 0;\n";
  {
    const Scope scope;
    Buffer<uint32_t> a(from), b(64);
    SILENT(ring(3, wait, barrier), warps, {a, b});
    const auto sums = b.read();
    for (size_t thread = 0; thread < 64; ++thread) {
      uint32_t sum = 0;
      for (size_t piece = 0; piece < 7; ++piece)
        sum += from[piece * 64 + (thread ^ 32)];
      CHECK(sums[thread] == sum);
    }
  }
  const auto fault = [&](const std::string &ptx, const char *words) {
    const Scope scope;
    Buffer<uint32_t> a(from), b(64);
    FAULT(ptx, warps, {a, b}, failed, words);
  };
  fault(ring(3, "", barrier), "unfinished cp.async");
  fault(ring(3, "cp.async.wait_group 2;\n", barrier), "unfinished cp.async");
  fault(ring(3, wait, ""), "shared memory");
  fault(ring(3, wait, "bar.warp.sync 0xffffffff;\n"), "shared memory");
  fault(ring(2, wait, barrier), "shared memory"); // the stage is still being read
}
} // namespace

int main() {
  for (unsigned size : {4u, 8u, 16u})
    zeros(size);
  alignment();
  rings();
  return report();
}
