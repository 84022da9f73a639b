// The driver's state: settings, planted failures, and streams that execute late.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include <chrono>
#include <cstdarg>

namespace standin {

namespace {
const char *setting(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? value : otherwise;
}

/// LATHE_STANDIN_FAIL: call:number:code, several after semicolons.
struct PlantedFailure {
  std::string call;
  long left;
  int code;
};
std::vector<PlantedFailure> &plantedFailures() {
  static std::vector<PlantedFailure> planted = [] {
    std::vector<PlantedFailure> made;
    const std::string text = std::string(setting("LATHE_STANDIN_FAIL", "")) + ";";
    for (size_t at = 0, end; (end = text.find(';', at)) != text.npos; at = end + 1) {
      char call[64];
      long number;
      int code;
      if (sscanf(text.substr(at, end - at).c_str(), "%63[^:]:%ld:%d", call, &number, &code) == 3)
        made.push_back({call, number, code});
    }
    return made;
  }();
  return planted;
}

int plantedFailure(const char *name) {
  for (PlantedFailure &planted : plantedFailures())
    if (planted.call == name && planted.left > 0 && --planted.left == 0)
      return planted.code;
  return success;
}

double milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}
} // namespace

Driver::Driver() {
  const int count = atoi(setting("LATHE_STANDIN_DEVICES", "1"));
  const u64 memory = strtoull(setting("LATHE_STANDIN_MEMORY", "4294967296"), nullptr, 0);
  const char *archs = setting("LATHE_STANDIN_ARCH", "90");
  driverVersion = atoi(setting("LATHE_STANDIN_DRIVER_VERSION", "13000"));
  initCheck = atoi(setting("LATHE_STANDIN_INITCHECK", "1")) != 0;
  equalWrites = atoi(setting("LATHE_STANDIN_EQUAL_WRITES", "0")) != 0;
  shuffle = strtoull(setting("LATHE_STANDIN_SHUFFLE", "0"), nullptr, 0);
  resident = static_cast<u32>(atoi(setting("LATHE_STANDIN_RESIDENT", "0")));
  if (const char *path = getenv("LATHE_STANDIN_LOG"))
    logFile = fopen(path, "w");
  u32 arch = 90;
  for (int i = 0; i < count; ++i) {
    auto device = std::make_unique<Device>();
    device->index = static_cast<u32>(i);
    if (*archs) {
      char *end;
      arch = static_cast<u32>(strtoul(archs, &end, 10));
      archs = *end == ',' ? end + 1 : end;
    }
    device->arch = arch; // the last one named holds for the rest
    device->arena = std::make_unique<Arena>(memory, device->index);
    devices.push_back(std::move(device));
  }
}

Driver &Driver::get() {
  static Driver *driver = new Driver; // lives on: applications call from destructors
  return *driver;
}

void Driver::log(const char *format, ...) {
  if (!logFile)
    return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(logFile, format, arguments);
  va_end(arguments);
  fputc('\n', logFile);
  fflush(logFile);
}

void Driver::report(const Fault &fault) {
  if (!fault.text.empty())
    fprintf(stderr, "standin: %s\n", fault.text.c_str());
}

std::vector<Context *> &contextStack() {
  static thread_local std::vector<Context *> stack;
  return stack;
}

Context &Driver::currentEvenIfLost() {
  auto &stack = contextStack();
  if (stack.empty() || !stack.back() || !contexts.count(stack.back()))
    throw Fault{invalidContext, ""};
  return *stack.back();
}

Context &Driver::current() {
  Context &context = currentEvenIfLost();
  if (context.sticky)
    throw Fault{context.sticky, ""};
  return context;
}

Stream &Driver::stream(void *handle) {
  Context &context = current();
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 2) { // null and CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
    auto &own = number == 2 ? context.perThread : context.legacy;
    if (!own) {
      own = std::make_unique<Stream>();
      own->context = &context;
      streams.insert(own.get());
    }
    return *own;
  }
  Stream &found = live<Stream>(handle);
  if (!streams.count(&found))
    throw Fault{invalidHandle, ""};
  if (found.context->sticky)
    throw Fault{found.context->sticky, ""};
  return found;
}

Event &Driver::event(void *handle) { return live<Event>(handle); }

u8 *Driver::hostRange(u64 address, u64 size) {
  auto at = hostRanges.upper_bound(address);
  if (at == hostRanges.begin())
    return nullptr;
  --at;
  return address + size <= at->first + at->second.size ? reinterpret_cast<u8 *>(address) : nullptr;
}

Device *Driver::deviceOf(u64 address) {
  for (const auto &device : devices)
    if (device->arena->holds(address))
      return device.get();
  return nullptr;
}

int &captureModeOfThread() {
  thread_local int mode = Graph::Global;
  return mode;
}

void Driver::refuseCapture() {
  const int own = captureModeOfThread();
  for (Stream *stream : streams) {
    const Graph *graph = stream->capture;
    if (!graph || graph->mode == Graph::Relaxed || own == Graph::Relaxed)
      continue;
    if (graph->thread != std::this_thread::get_id() && (graph->mode == Graph::ThreadLocal || own == Graph::ThreadLocal))
      continue;
    stream->invalidated = true;
    throw Fault{captureUnsupported, ""};
  }
}

void Driver::enqueue(Stream &stream, Operation::Kind kind, std::function<void(Context &)> run, std::shared_ptr<Mark> mark) {
  Operation operation{kind, std::move(run), std::move(mark), ++sequence};
  if (stream.capture) {
    stream.capture->operations.push_back(std::move(operation));
    ++stream.captured;
    return;
  }
  if (stream.context->legacy.get() == &stream)
    for (Stream *other : streams)
      if (other->capture && other->context == stream.context && !other->nonBlocking) {
        other->invalidated = true;
        throw Fault{captureImplicit, ""};
      }
  stream.queue.push_back(std::move(operation));
}

void Driver::execute(Operation &operation, Context &context) {
  if (operation.kind == Operation::Record) {
    operation.mark->done = true;
    operation.mark->milliseconds = milliseconds();
    return;
  }
  if (operation.kind == Operation::Wait) {
    finish(operation.mark);
    return;
  }
  if (context.sticky)
    return;
  try {
    operation.run(context);
  } catch (const Fault &fault) {
    report(fault);
    context.sticky = fault.code;
    log("fault %d", fault.code);
  }
}

void Driver::drain(Stream &stream, u64 last) {
  if (stream.draining)
    return;
  stream.draining = true;
  Context &context = *stream.context;
  while (!stream.queue.empty() && stream.queue.front().sequence <= last) {
    Operation operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    // The legacy stream and those that block for it wait for each other's earlier work.
    if (&stream == context.legacy.get()) {
      const std::unordered_set<Stream *> all = streams;
      for (Stream *other : all)
        if (other->context == &context && !other->nonBlocking && other != &stream)
          drain(*other, operation.sequence);
    } else if (!stream.nonBlocking && context.legacy) {
      drain(*context.legacy, operation.sequence);
    }
    execute(operation, context);
  }
  stream.draining = false;
}

void Driver::drainContext(Context &context) {
  const std::unordered_set<Stream *> all = streams;
  for (Stream *stream : all)
    if (stream->context == &context)
      drain(*stream);
}

void Driver::finish(const std::shared_ptr<Mark> &mark) {
  if (mark && !mark->done && mark->stream && streams.count(mark->stream))
    drain(*mark->stream, mark->sequence);
}

int enter(const char *name, bool needsInit, const std::function<int()> &body) {
  Driver &driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  if (const int code = plantedFailure(name)) {
    driver.log("%s fails as planted: %d", name, code);
    return code;
  }
  if (needsInit && !driver.initialized)
    return notInitialized;
  try {
    return body();
  } catch (const Fault &fault) {
    driver.report(fault);
    return fault.code;
  } catch (const std::bad_alloc &) {
    return outOfMemory;
  }
}

} // namespace standin
