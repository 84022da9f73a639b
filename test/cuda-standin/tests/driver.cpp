// The driver's own behaviour: streams that execute late, events, graphs, memory and misuse.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <thread>

using namespace test;

namespace {
const std::string addOne =
    kernelText(".param .u64 a",
               "ld.param.u64 %d1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\n"
               "ld.global.b32 %r2, [%d1];\nadd.u32 %r2, %r2, 1;\nst.global.b32 [%d1], %r2;",
               "sm_80");

int launch(const Kernel &kernel, void *stream, void *argument) {
  void *arguments[] = {argument};
  return cuLaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
}

void streams() {
  const Scope scope;
  Kernel kernel(addOne);
  Buffer<int> a(std::vector<int>(32, 5));
  void *stream, *other, *event, *pinned;
  CHECK_OK(cuStreamCreate(&stream, 1));
  CHECK_OK(cuStreamCreate(&other, 1));
  CHECK_OK(cuEventCreate(&event, 0));
  CHECK_OK(cuMemHostAlloc(&pinned, 128, 0));
  int *host = static_cast<int *>(pinned);
  host[3] = -1;
  CHECK_OK(launch(kernel, stream, a));
  CHECK_OK(cuEventRecord(event, stream));
  CHECK_OK(cuStreamWaitEvent(other, event, 0));
  CHECK_OK(cuMemcpyDtoHAsync_v2(host, a.address, 128, other));
  CHECK(host[3] == -1); // too early
  CHECK(cuStreamQuery(other) == 600);
  CHECK_OK(cuStreamSynchronize(other));
  CHECK(host[3] == 6);
  CHECK_OK(cuEventQuery(event));
  // The copy transfers later contents of the host's memory.
  int pageable[32] = {1};
  CHECK_OK(cuMemcpyHtoDAsync_v2(a.address, pageable, 128, stream));
  pageable[0] = 2;
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK(a.read()[0] == 2);
  host[0] = 1;
  CHECK_OK(cuMemcpyHtoDAsync_v2(a.address, host, 128, stream));
  host[0] = 3;
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK(a.read()[0] == 3);
  bool called = false;
  CHECK_OK(cuLaunchHostFunc(stream, [](void *data) { *static_cast<bool *>(data) = true; }, &called));
  CHECK(!called);
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK(called);
  CHECK_OK(cuMemFreeHost(pinned));
  CHECK_OK(cuEventDestroy_v2(event));
  CHECK_OK(cuStreamDestroy_v2(stream));
  CHECK_OK(cuStreamDestroy_v2(other));
  CHECK(cuStreamSynchronize(stream) == 400);
}

void graphs() {
  const Scope scope;
  Kernel kernel(addOne);
  Buffer<int> a(std::vector<int>(32));
  void *stream, *other, *event, *back, *graph, *instance;
  int status;
  CHECK_OK(cuStreamCreate(&stream, 1));
  CHECK_OK(cuStreamCreate(&other, 1));
  CHECK_OK(cuEventCreate(&event, 2));
  CHECK_OK(cuEventCreate(&back, 2));
  CHECK_OK(cuStreamBeginCapture_v2(stream, 0));
  CHECK_OK(launch(kernel, stream, a));
  CHECK_OK(cuEventRecord(event, stream));
  CHECK_OK(cuStreamWaitEvent(other, event, 0));
  CHECK_OK(launch(kernel, other, a));
  CHECK_OK(cuEventRecord(back, other));
  CHECK_OK(cuStreamWaitEvent(stream, back, 0));
  CHECK_OK(cuStreamIsCapturing(other, &status));
  CHECK(status == 1);
  CHECK_OK(cuStreamEndCapture(stream, &graph));
  CHECK(a.read()[0] == 0); // nothing ran
  CHECK_OK(cuGraphInstantiateWithFlags(&instance, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK_OK(cuGraphLaunch(instance, stream));
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK(a.read()[0] == 6);
  CHECK_OK(cuGraphExecDestroy(instance));
  CHECK_OK(cuGraphDestroy(graph));
  // A stream that was not joined, and a wait in the middle.
  CHECK_OK(cuStreamBeginCapture_v2(stream, 0));
  CHECK_OK(cuEventRecord(event, stream));
  CHECK_OK(cuStreamWaitEvent(other, event, 0));
  CHECK_OK(launch(kernel, other, a));
  CHECK(cuStreamEndCapture(stream, &graph) == 904);
  CHECK_OK(cuStreamBeginCapture_v2(stream, 0));
  CHECK(cuStreamSynchronize(stream) == 900);
  CHECK(cuStreamEndCapture(stream, &graph) == 901);
}

/// A capture forbids what cannot be recorded: to its own thread, and where it is global to all.
void captures() {
  const Scope scope;
  Kernel kernel(addOne);
  void *stream, *graph;
  uint64_t memory;
  int ofOther = 0, endOfOther = 0, modeOfOther = 0;
  CHECK_OK(cuStreamCreate(&stream, 1));
  const auto inOther = [&] {
    std::thread([&] {
      void *context;
      uint64_t own;
      CHECK_OK(cuCtxCreate_v2(&context, 0, 0));
      CHECK_OK(cuThreadExchangeStreamCaptureMode(&modeOfOther));
      ofOther = cuMemAlloc_v2(&own, 4);
      endOfOther = cuStreamEndCapture(stream, &graph);
      CHECK_OK(cuCtxDestroy_v2(context));
    }).join();
  };
  CHECK_OK(cuStreamBeginCapture_v2(stream, 0));
  inOther();
  CHECK(ofOther == 900 && endOfOther == 908);
  CHECK(cuStreamEndCapture(stream, &graph) == 901);
  CHECK_OK(cuStreamBeginCapture_v2(stream, 0));
  modeOfOther = 1;
  inOther();
  CHECK(ofOther == 0 && modeOfOther == 0);
  CHECK_OK(cuStreamEndCapture(stream, &graph));
  CHECK_OK(cuGraphDestroy(graph));
  CHECK_OK(cuStreamBeginCapture_v2(stream, 1));
  inOther();
  CHECK(ofOther == 0 && endOfOther == 908);
  CHECK_OK(cuStreamEndCapture(stream, &graph));
  CHECK_OK(cuGraphDestroy(graph));
  CHECK_OK(cuStreamBeginCapture_v2(stream, 1));
  void *module;
  CHECK(cuModuleLoadData(&module, addOne.c_str()) == 900);
  CHECK(cuStreamEndCapture(stream, &graph) == 901);
  CHECK_OK(cuStreamBeginCapture_v2(stream, 2));
  CHECK_OK(cuMemAlloc_v2(&memory, 64));
  CHECK_OK(cuStreamEndCapture(stream, &graph));
  CHECK_OK(cuGraphDestroy(graph));
  int mode = 2;
  CHECK_OK(cuThreadExchangeStreamCaptureMode(&mode));
  CHECK_OK(cuStreamBeginCapture_v2(stream, 0));
  CHECK_OK(cuMemAlloc_v2(&memory, 64));
  CHECK_OK(cuStreamEndCapture(stream, &graph));
  CHECK_OK(cuGraphDestroy(graph));
  CHECK_OK(cuThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == 2);
}

void parameters() {
  const Scope scope;
  std::string large = kernelText(".param .b8 a[4400]", "ret;", "sm_80");
  CHECK_OK(Kernel(large).code);
  const Captured captured;
  CHECK(Kernel(large.replace(large.find("8.4"), 3, "8.0")).code == 218);
  CHECK(Kernel(kernelText(".param .b8 a[32768]", "ret;", "sm_80")).code == 218);
}

void memory() {
  const Scope scope;
  uint64_t a, size = 0;
  CHECK_OK(cuMemAlloc_v2(&a, 1000));
  CHECK_OK(cuPointerGetAttribute(&size, 12, a + 500));
  CHECK(size == 1000);
  uint64_t huge;
  CHECK(cuMemAlloc_v2(&huge, uint64_t(1) << 40) == 2);
  CHECK(cuMemAlloc_v2(nullptr, 4) == 1);
  char byte = 0;
  Captured captured;
  CHECK(cuMemcpyHtoD_v2(a + 1000, &byte, 1) == 1);
  CHECK(cuMemcpyDtoH_v2(&byte, a + 999, 2) == 1);
  CHECK(cuMemcpyDtoD_v2(a, a + 4, 8) == 1);
  CHECK_OK(cuMemcpyDtoD_v2(a, a + 8, 8));
  CHECK(cuMemFree_v2(a + 4) == 1);
  CHECK_OK(cuMemFree_v2(a));
  CHECK(cuMemFree_v2(a) == 1);
  void *address = nullptr;
  CHECK_OK(cuGetProcAddress_v2("cuMemAlloc", &address, 12000, 0, nullptr));
  CHECK(address == reinterpret_cast<void *>(&cuMemAlloc_v2));
  CHECK(cuGetProcAddress_v2("cuNothing", &address, 12000, 0, nullptr) == 500);
}

void variables() {
  const Scope scope;
  Kernel kernel(kernelText(
      ".param .u64 a",
      "ld.param.u64 %d1, [a];\nld.global.b32 %r1, [counter+4];\nld.const.b32 %r2, [table+8];\nadd.u32 %r1, %r1, %r2;\n"
      "ld.global.u64 %d2, [where];\nld.global.b32 %r3, [%d2];\nadd.u32 %r1, %r1, %r3;\nst.global.b32 [%d1], %r1;",
      "sm_80",
      ".global .align 4 .b32 counter[2] = {10, 20};\n.const .align 4 .b32 table[3] = {1, 2, 3};\n"
      ".global .align 8 .u64 where = counter;\n"));
  Buffer<int> a(1);
  CHECK_OK(kernel.run({{1, 1, 1}, {1, 1, 1}}, {a}));
  CHECK(a.read()[0] == 33);
  uint64_t address;
  size_t size;
  CHECK_OK(cuModuleGetGlobal_v2(&address, &size, kernel.module, "counter"));
  CHECK(size == 8);
  CHECK(cuModuleGetGlobal_v2(&address, &size, kernel.module, "nothing") == 500);
  void *function;
  CHECK(cuModuleGetFunction(&function, kernel.module, "nothing") == 500);
}

void misuse() {
  int version = 0;
  CHECK_OK(cuDriverGetVersion(&version));
  CHECK(version == 13000);
  CHECK(cuCtxSynchronize() == 201); // no context
  uint64_t a;
  CHECK(cuMemAlloc_v2(&a, 4) == 201);
  const Scope scope;
  CHECK(cuStreamSynchronize(reinterpret_cast<void *>(0x1234)) == 400);
  CHECK(cuEventRecord(nullptr, nullptr) == 400);
  CHECK(cuModuleUnload(nullptr) == 400);
}

void threads() {
  const Scope scope;
  Kernel kernel(addOne);
  std::vector<std::thread> workers;
  std::vector<int> results(4);
  for (size_t i = 0; i < 4; ++i)
    workers.emplace_back([&, i] {
      void *stream, *context = nullptr;
      cuCtxCreate_v2(&context, 0, 0);
      Kernel own(addOne);
      cuStreamCreate(&stream, 1);
      Buffer<int> a(std::vector<int>(32, static_cast<int>(i)));
      for (int j = 0; j < 10; ++j)
        launch(own, stream, a);
      cuStreamSynchronize(stream);
      results[i] = a.read()[7];
    });
  for (auto &worker : workers)
    worker.join();
  for (size_t i = 0; i < 4; ++i)
    CHECK(results[i] == static_cast<int>(i) + 10);
}
} // namespace

int main() {
  int before;
  CHECK(cuDeviceGetCount(&before) == 3); // not initialised
  CHECK_OK(cuInit(0));
  misuse();
  streams();
  graphs();
  captures();
  parameters();
  memory();
  variables();
  threads();
  return report();
}
