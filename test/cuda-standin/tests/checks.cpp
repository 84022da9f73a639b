// Each check with a planted fault that it must notice and a right twin at which it must be silent.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

using namespace test;

namespace {
const char *pointer = ".param .u64 a";
const char *two = ".param .u64 a, .param .u64 b";
const std::string loadA = "ld.param.u64 %d1, [a];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %tid.x;\n"
                          "mov.u32 %r2, %ctaid.x;\n";
const std::string ownWord = "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n";

void bounds() {
  { // one element too many
    const Scope scope;
    Buffer<float> a(std::vector<float>(32));
    SILENT(kernelText(pointer, loadA + ownWord + "ld.global.f32 %f1, [%d3];\nst.global.f32 [%d3], %f1;"), {}, {a});
    FAULT(kernelText(pointer, loadA + ownWord + "ld.global.f32 %f1, [%d3+4];"), {}, {a}, illegalAddress,
          "byte 128 of an allocation of 128");
  }
  {
    const Scope scope;
    Buffer<float> a(std::vector<float>(32));
    FAULT(kernelText(pointer, loadA + "st.global.b32 [%d1+-4], %r1;"), {{1, 1, 1}, {1, 1, 1}}, {a}, illegalAddress,
          "thread (0,0,0)");
  }
  {
    const Scope scope;
    uint64_t gone;
    CHECK_OK(cuMemAlloc_v2(&gone, 128));
    CHECK_OK(cuMemFree_v2(gone));
    FAULT(kernelText(pointer, loadA + ownWord + "st.global.b32 [%d3], %r1;"), {}, {&gone}, illegalAddress, "use after free");
    int code = cuCtxSynchronize();
    CHECK(code == illegalAddress); // it stays
  }
  {
    const Scope scope;
    uint64_t host = reinterpret_cast<uint64_t>(&host);
    FAULT(kernelText(pointer, loadA + "ld.global.b32 %r3, [%d1];"), {}, {&host}, illegalAddress,
          "not an address of device memory");
  }
  {
    const Scope scope;
    Buffer<float> a(std::vector<float>(64));
    SILENT(kernelText(pointer, loadA + "ld.global.v2.f32 {%f1, %f2}, [%d1+8];"), {}, {a});
    FAULT(kernelText(pointer, loadA + "ld.global.v2.f32 {%f1, %f2}, [%d1+4];"), {}, {a}, misaligned, "misaligned");
  }
}

void initialised() {
  {
    const Scope scope;
    Buffer<float> a(32);
    const std::string use = loadA + ownWord + "ld.global.f32 %f1, [%d3];";
    FAULT(kernelText(pointer, use), {}, {a}, failed, "uninitialised global memory");
  }
  { // copies carry it on, and stores end it
    const Scope scope;
    Buffer<float> a(32), b(32);
    CHECK_OK(cuMemcpyDtoD_v2(b.address, a.address, 128));
    SILENT(kernelText(pointer, loadA + ownWord + "st.global.b32 [%d3], %r1;\nld.global.b32 %r3, [%d3];"), {}, {a});
    FAULT(kernelText(pointer, loadA + ownWord + "ld.global.f32 %f1, [%d3];"), {}, {b}, failed, "uninitialised");
  }
  const char *shared = ".shared .align 16 .b8 s[256];\n";
  const std::string ownShared = loadA + "mov.u32 %r5, s;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r5, %r5, %r6;\n";
  {
    const Scope scope;
    Buffer<float> a(std::vector<float>(32));
    SILENT(kernelText(pointer, ownShared + "st.shared.b32 [%r5], %r1;\nld.shared.b32 %r7, [%r5];", "sm_80", shared), {}, {a});
    FAULT(kernelText(pointer, ownShared + "ld.shared.b32 %r7, [%r5];", "sm_80", shared), {}, {a}, failed,
          "uninitialised shared");
  }
  {
    const Scope scope;
    Buffer<float> a(std::vector<float>(32));
    FAULT(kernelText(pointer, ownShared + "st.shared.b32 [%r5+132], %r1;", "sm_80", shared), {}, {a}, illegalAddress,
          "shared memory out of bounds");
  }
}

void sharedRaces() {
  const char *shared = ".shared .align 16 .b8 s[512];\n";
  const std::string start = loadA + "mov.u32 %r5, s;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r6, %r5, %r6;\nxor.b32 %r7, %r1, 32;\n"
                                    "shl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r5, %r7;\nxor.b32 %r8, %r1, 1;\nshl.b32 %r8, %r8, 2;\n"
                                    "add.u32 %r8, %r5, %r8;\nst.shared.b32 [%r6], %r1;\n";
  const Shape twoWarps{{1, 1, 1}, {64, 1, 1}};
  const auto text = [&](const char *rest) { return kernelText(pointer, start + rest, "sm_80", shared); };
  Scope *scope = new Scope;
  const auto renew = [&] {
    delete scope;
    scope = new Scope;
  };
  uint64_t none = 0;
  SILENT(text("bar.sync 0;\nld.shared.b32 %r9, [%r7];"), twoWarps, {&none});
  FAULT(text("st.shared.b32 [%r7], %r1;"), twoWarps, {&none}, failed, "race on shared memory");
  renew();
  SILENT(text("bar.sync 0;\nld.shared.b32 %r9, [%r7];\nbar.sync 0;\nst.shared.b32 [%r6], %r9;"), twoWarps, {&none});
  FAULT(text("bar.sync 0;\nld.shared.b32 %r9, [%r7];\nst.shared.b32 [%r6], %r9;"), twoWarps, {&none}, failed,
        "race on shared memory");
  renew();
  SILENT(text("bar.warp.sync 0xffffffff;\nld.shared.b32 %r9, [%r8];"), {}, {&none});
  FAULT(text("ld.shared.b32 %r9, [%r8];"), {}, {&none}, failed, "race on shared memory");
  renew();
  SILENT(text("bar.sync 0;\nmov.u32 %r9, 7;\nst.shared.b32 [%r5], %r9;"), {}, {&none}); // the same value
  FAULT(text("bar.sync 0;\nst.shared.b32 [%r5], %r1;"), {}, {&none}, failed, "a write here, a write by");
  renew();
  SILENT(text("bar.sync 0;\natom.shared.add.u32 %r9, [%r5], 1;"), twoWarps, {&none});
  FAULT(text("atom.shared.add.u32 %r9, [%r5], 1;"), twoWarps, {&none}, failed, "race on shared memory");
  renew();
  // Bytes of one word are apart.
  const std::string bytes = loadA + "mov.u32 %r5, s;\nadd.u32 %r6, %r5, %r1;\nst.shared.b8 [%r6], %r1;\n";
  SILENT(kernelText(pointer, bytes, "sm_80", shared), twoWarps, {&none});
  // Named barriers order those who take part.
  const std::string named = start + "bar.sync 1, 64;\nld.shared.b32 %r9, [%r7];";
  SILENT(kernelText(pointer, named, "sm_80", shared), twoWarps, {&none});
  renew();
  // Warps that write the same: a fault, unless the test allows it.
  const std::string equal = text("bar.sync 0;\nmov.u32 %r9, 7;\nst.shared.b32 [%r5], %r9;");
  if (getenv("LATHE_STANDIN_EQUAL_WRITES"))
    SILENT(equal, twoWarps, {&none});
  else
    FAULT(equal, twoWarps, {&none}, failed, "race on shared memory");
  renew();
  FAULT(text("bar.sync 0;\nst.shared.b32 [%r5], %r1;"), twoWarps, {&none}, failed, "race on shared memory");
  delete scope;
}

void globalRaces() {
  const Shape twoBlocks{{2, 1, 1}, {32, 1, 1}}, twoWarps{{1, 1, 1}, {64, 1, 1}};
  const auto run = [&](bool bad, const Shape &shape, const std::string &body,
                       const char *words = "data race on global memory") {
    const Scope scope;
    Buffer<int> a(std::vector<int>(128)), b(std::vector<int>(128));
    if (bad)
      FAULT(kernelText(two, "ld.param.u64 %d9, [b];\n" + loadA + ownWord + body), shape, {a, b}, failed, words);
    else
      SILENT(kernelText(two, "ld.param.u64 %d9, [b];\n" + loadA + ownWord + body), shape, {a, b});
  };
  run(true, twoBlocks, "st.global.b32 [%d3], %r1;");
  run(false, twoBlocks,
      "mad.lo.u32 %r3, %r2, 32, %r1;\nmul.wide.u32 %d2, %r3, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.b32 [%d3], %r1;");
  run(true, {}, "mov.u32 %r4, 5;\nst.global.b32 [%d1], %r4;"); // the same value by one instruction
  run(false, twoBlocks, "red.global.add.u32 [%d1], 1;");
  run(true, twoBlocks, "setp.eq.u32 %p1, %r2, 0;\n@%p1 st.global.b32 [%d3], %r1;\n@!%p1 ld.global.b32 %r4, [%d3];");
  const std::string swap = "st.global.b32 [%d3], %r1;\n";
  const std::string other =
      "xor.b32 %r5, %r1, 32;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d4, %d1, %d4;\nld.global.b32 %r6, [%d4];";
  run(false, twoWarps, swap + "bar.sync 0;\n" + other);
  run(true, twoWarps, swap + other);
  // The last block to come reads what the others wrote: after a barrier one thread has a fence, counts, and has a fence.
  const auto last = [&](const std::string &early, const std::string &fence) {
    return std::string("mad.lo.u32 %r3, %r2, 32, %r1;\nmul.wide.u32 %d2, %r3, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.b32 [%d3], "
                       "%r1;\n") +
           early + "bar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n" + fence + "@%p1 atom.global.add.u32 %r5, [%d9], 1;\n" + fence +
           "bar.sync 0;\nshfl.sync.idx.b32 %r5, %r5, 0, 31, 0xffffffff;\nsetp.eq.u32 %p2, %r5, 1;\nxor.b32 %r3, %r3, "
           "32;\nmul.wide.u32 %d2, %r3, 4;\n"
           "add.s64 %d3, %d1, %d2;\n@%p2 ld.global.b32 %r6, [%d3];";
  };
  run(false, twoBlocks, last("", "@%p1 membar.gl;\n"));
  run(true, twoBlocks, last("", ""));
  run(true, twoBlocks, last("membar.gl;\n", "")); // what others wrote and fenced, their fences alone do not pass on
  // Acquire and release between blocks, the second of which waits.
  const auto flag = [&](const char *store, const char *load) {
    return std::string("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra first;\nwait:\n") + load +
           " %r4, [%d9];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra wait;\n"
           "ld.global.b32 %r6, [%d1];\nret;\nfirst:\nsetp.eq.u32 %p3, %r1, 0;\nmov.u32 %r7, 1;\n@%p3 st.global.b32 [%d1], "
           "%r7;\n@%p3 " +
           store + " [%d9], %r7;";
  };
  run(false, twoBlocks, flag("st.release.gpu.global.b32", "ld.acquire.gpu.global.b32"));
  run(true, twoBlocks, flag("st.relaxed.gpu.global.b32", "ld.relaxed.gpu.global.b32"));
  run(false, {}, "ld.global.nc.b32 %r4, [%d3];\nadd.s64 %d9, %d9, %d2;\nst.global.b32 [%d9], %r4;\n", "");
  run(true, {}, "ld.global.nc.b32 %r4, [%d3];\nst.global.b32 [%d3], %r4;\n", "read-only (.nc)");
}

void synchronisation() {
  const Shape twoWarps{{1, 1, 1}, {64, 1, 1}};
  const auto run = [&](const char *words, const Shape &shape, const std::string &body) {
    const Scope scope;
    uint64_t none = 0;
    if (words)
      FAULT(kernelText(pointer, loadA + body), shape, {&none}, failed, words);
    else
      SILENT(kernelText(pointer, loadA + body), shape, {&none});
  };
  run("divergent barrier", {}, "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.sync 0;");
  run(nullptr, {}, "setp.lt.u32 %p1, %r1, 64;\n@%p1 bar.sync 0;");
  run("deadlock", twoWarps, "setp.lt.u32 %p1, %r1, 32;\n@!%p1 exit;\nbar.sync 0;");
  run(nullptr, twoWarps, "setp.lt.u32 %p1, %r1, 32;\n@!%p1 exit;\nbar.sync 1, 32;");
  run("deadlock", twoWarps, "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra two;\nbar.sync 1;\ntwo:\nbar.sync 2;");
  run("not in the member mask", {}, "shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xffff;");
  run(nullptr, {}, "shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xffffffff;");
  run("does not take part", {}, "setp.lt.u32 %p1, %r1, 16;\n@%p1 shfl.sync.down.b32 %r3, %r1, 8, 31, 0xffff;");
  run(nullptr, {}, "setp.lt.u32 %p1, %r1, 16;\n@%p1 shfl.sync.down.b32 %r3, %r1, 8, 0x100f, 0xffff;");
  run("not all lanes", {},
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xffffffff;\n@!%p1 nanosleep.u32 1;\n"
      "@!%p1 bra skip;\nmov.u32 %r4, 0;\nskip:\n");
  run("not all lanes", {}, "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.warp.sync 0xffffffff;\n@!%p1 bra after;\nafter:");
  run("trap", {}, "trap;");
}

void limits() {
  const Scope scope;
  uint64_t none = 0;
  SILENT(kernelText(pointer, loadA), {{1, 1, 1}, {1024, 1, 1}}, {&none});
  FAULT(kernelText(pointer, loadA), {{1, 1, 1}, {1025, 1, 1}}, {&none}, 1, "more than 1024");
  SILENT(kernelText(pointer, loadA), {{1, 1, 1}, {32, 1, 1}, 200 * 1024}, {&none});
  FAULT(kernelText(pointer, loadA), {{1, 1, 1}, {32, 1, 1}, 300 * 1024}, {&none}, 1, "shared memory");
  Kernel kernel(kernelText(pointer, loadA));
  void *arguments[] = {&none};
  Captured captured;
  CHECK(cuLaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 49 * 1024, nullptr, arguments, nullptr) == 1);
}

void loading() {
  const Scope scope;
  void *module;
  const auto load = [&](const std::string &text) {
    Captured captured;
    return cuModuleLoadData(&module, text.c_str());
  };
  CHECK(load(kernelText(pointer, "frobnicate.b32 %r1, %r2;")) == 218);
  CHECK(load(kernelText(pointer, "add.u32.odd %r1, %r2, %r3;")) == 218);
  CHECK(load(kernelText(pointer, "add.u32 %r1, %r2, %d3;")) == 218);
  CHECK(load(kernelText(pointer, "bra nowhere;")) == 218);
  CHECK(load(kernelText(pointer, "", "sm_100")) == 209);
  CHECK(load(kernelText(pointer, "", "sm_90a")) == 0);
  CHECK(load(kernelText(pointer, "", "sm_80a")) == 209);
  CHECK(load("\x7f"
             "ELF and so on") == 209);
  CHECK(load("no text of any kind") == 200);
  char log[256] = "";
  int options[] = {5, 6};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  Captured captured;
  CHECK(cuModuleLoadDataEx(&module, kernelText(pointer, "frobnicate.b32 %r1, %r2;").c_str(), 2, options, values) == 218);
  CHECK(strstr(log, "PTX line 12") && strstr(log, "frobnicate"));
}
} // namespace

int main() {
  bounds();
  initialised();
  sharedRaces();
  globalRaces();
  synchronisation();
  limits();
  loading();
  return report();
}
