// The driver's objects: devices, contexts, streams, events, graphs and modules.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Machine.h"

#include <mutex>
#include <thread>
#include <unordered_set>

namespace standin {

struct Context;
struct Stream;
struct Graph;

struct Device {
  u32 index = 0, arch = 90;
  std::unique_ptr<Arena> arena;
  std::unique_ptr<Context> primary;
  u32 retained = 0;
};

struct Context {
  Device *device = nullptr;
  Code sticky = success; // after a kernel's fault all calls return it
  std::set<u32> peers;
  std::unique_ptr<Stream> legacy, perThread;
  bool isPrimary = false;
};

/// A point of a stream that an event marks.
struct Mark {
  bool done = false;
  double milliseconds = 0;
  Stream *stream = nullptr;
  u64 sequence = 0;
  Graph *graph = nullptr; // recorded while capturing
  size_t captured = 0;    // the stream's captured operations by then
};

struct Operation {
  enum Kind : u8 { Kernel, Copy, Set, Host, Record, Wait, Free, GraphLaunch } kind;
  std::function<void(Context &)> run;
  std::shared_ptr<Mark> mark; // Record, Wait
  u64 sequence = 0;
};

struct Stream {
  Context *context = nullptr;
  bool nonBlocking = false, draining = false, invalidated = false;
  int priority = 0;
  std::deque<Operation> queue;
  Graph *capture = nullptr; // being captured into
  bool origin = false;      // that began the capture
  size_t captured = 0, joined = 0;
};

struct Event {
  Context *context = nullptr;
  bool timing = true;
  std::shared_ptr<Mark> mark;
};

struct Graph {
  enum Mode { Global, ThreadLocal, Relaxed } mode = Global; // of its capture
  std::thread::id thread;                                   // that began it
  std::vector<Operation> operations;
  std::set<Stream *> streams;
};

/// The mode that cuThreadExchangeStreamCaptureMode has set.
int &captureModeOfThread();

struct LoadedModule {
  Context *context = nullptr;
  std::unique_ptr<Module> module;
};

struct FunctionHandle {
  LoadedModule *module = nullptr;
  Kernel *kernel = nullptr;
};

struct HostRange {
  u64 size;
  bool owned;
};

class Driver {
public:
  static Driver &get();

  Context &current(); // throws Fault when there is none or it is lost
  Context &currentEvenIfLost();
  Stream &stream(void *handle);
  Event &event(void *handle);
  template <class T>
  T &live(void *handle) {
    if (!handle || !handles.count(handle))
      throw Fault{invalidHandle, ""};
    return *static_cast<T *>(handle);
  }

  /// Appends to a stream, or to the graph that it is captured into.
  void enqueue(Stream &stream, Operation::Kind kind, std::function<void(Context &)> run, std::shared_ptr<Mark> mark = nullptr);
  /// Executes what is in the stream up to `sequence`.
  void drain(Stream &stream, u64 sequence = ~u64(0));
  void drainContext(Context &context);
  void finish(const std::shared_ptr<Mark> &mark);
  void execute(Operation &operation, Context &context);
  /// For calls that captures forbid: those of this thread, and global ones of others.
  void refuseCapture();
  void log(const char *format, ...) __attribute__((format(printf, 2, 3)));
  void report(const Fault &fault);
  Device *deviceOf(u64 address);
  u8 *hostRange(u64 address, u64 size);

  std::recursive_mutex mutex;
  bool initialized = false;
  std::vector<std::unique_ptr<Device>> devices;
  std::unordered_set<void *> handles; // streams, events, graphs, modules, functions
  std::unordered_set<void *> contexts;
  std::vector<std::unique_ptr<FunctionHandle>> functions;
  std::unordered_set<Stream *> streams;
  std::map<u64, HostRange> hostRanges;
  u64 sequence = 0;
  u32 nextWarpId = 1;
  int driverVersion = 13000;
  bool initCheck = true, equalWrites = false;
  u64 shuffle = 0;
  u32 resident = 0; // blocks that the device says run at once; 0: as many as one of its kind
  u64 launches = 0, instructions = 0;

private:
  Driver();
  FILE *logFile = nullptr;
};

std::vector<Context *> &contextStack(); // of the calling thread

/// Runs the body of an entry point: one at a time, with planted failures, its faults as codes.
int enter(const char *name, bool needsInit, const std::function<int()> &body);

/// The parameters of a kernel launch, from either entry point.
struct LaunchRequest {
  FunctionHandle *function;
  u32 grid[3], threads[3], cluster[3];
  u32 dynamicShared;
  void *stream;
  void **parameters, **extra;
};
void launchKernel(const LaunchRequest &request);

struct Limits {
  u32 sharedOptIn, sharedPerProcessor, reserved, threadsPerProcessor, processors;
};
Limits limitsOf(u32 arch);

#define STANDIN_API extern "C" __attribute__((visibility("default"))) int

} // namespace standin
