// Entry points about streams, events and graphs.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include <algorithm>

namespace standin {

namespace {
template <class T>
T *publish(T *made) {
  Driver::get().handles.insert(made);
  return made;
}

int createStream(void **stream, unsigned flags, int priority) {
  Driver &driver = Driver::get();
  Context &context = driver.current();
  if (!stream || flags > 1)
    return invalidValue;
  auto *made = publish(new Stream);
  made->context = &context;
  made->nonBlocking = flags & 1;
  made->priority = priority;
  driver.streams.insert(made);
  *stream = made;
  return success;
}

/// An event that was recorded while capturing takes a stream into that capture.
int waitForCaptured(Stream &stream, const Mark &mark) {
  if (stream.capture && stream.capture != mark.graph) {
    stream.invalidated = true;
    return 902; // would merge two captures
  }
  if (!stream.capture) {
    stream.capture = mark.graph;
    stream.captured = stream.joined = 0;
    mark.graph->streams.insert(&stream);
  }
  if (mark.stream && mark.stream != &stream)
    mark.stream->joined = std::max(mark.stream->joined, mark.captured);
  return success;
}

void endCapture(Graph &graph) {
  for (Stream *stream : graph.streams) {
    stream->capture = nullptr;
    stream->origin = false;
    stream->captured = stream->joined = 0;
  }
  graph.streams.clear();
}
} // namespace

STANDIN_API cuStreamCreate(void **stream, unsigned flags) {
  return enter("cuStreamCreate", true, [&] { return createStream(stream, flags, 0); });
}
STANDIN_API cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  return enter("cuStreamCreateWithPriority", true, [&] { return createStream(stream, flags, priority); });
}
STANDIN_API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return enter("cuCtxGetStreamPriorityRange", true, [&]() -> int {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
    return success;
  });
}
STANDIN_API cuStreamDestroy_v2(void *handle) {
  return enter("cuStreamDestroy", true, [&]() -> int {
    Driver &driver = Driver::get();
    Stream &stream = driver.live<Stream>(handle);
    if (!driver.streams.count(&stream))
      return invalidHandle;
    driver.drain(stream); // the driver lets the work end; nobody can wait for it afterwards
    driver.streams.erase(&stream);
    driver.handles.erase(handle);
    delete &stream;
    return success;
  });
}
STANDIN_API cuStreamSynchronize(void *handle) {
  return enter("cuStreamSynchronize", true, [&]() -> int {
    Driver &driver = Driver::get();
    Stream &stream = driver.stream(handle);
    if (stream.capture) {
      stream.invalidated = true;
      return captureUnsupported;
    }
    driver.drain(stream);
    if (&stream == stream.context->legacy.get()) // its end is the end of the streams that block for it
      driver.drainContext(*stream.context);
    return stream.context->sticky;
  });
}
/// Asking does not make time pass: what is queued is not ready until something waits. Every 1000th question does.
STANDIN_API cuStreamQuery(void *handle) {
  return enter("cuStreamQuery", true, [&]() -> int {
    Driver &driver = Driver::get();
    Stream &stream = driver.stream(handle);
    static unsigned questions;
    if (stream.capture)
      return captureUnsupported;
    if (!stream.queue.empty() && ++questions % 1000)
      return notReady;
    driver.drain(stream);
    return stream.context->sticky;
  });
}
STANDIN_API cuStreamWaitEvent(void *handle, void *eventHandle, unsigned) {
  return enter("cuStreamWaitEvent", true, [&]() -> int {
    Driver &driver = Driver::get();
    Stream &stream = driver.stream(handle);
    Event &event = driver.event(eventHandle);
    if (!event.mark)
      return success; // never recorded
    if (event.mark->graph)
      return waitForCaptured(stream, *event.mark);
    if (stream.capture) {
      stream.invalidated = true;
      return captureIsolation;
    }
    driver.enqueue(stream, Operation::Wait, nullptr, event.mark);
    return success;
  });
}
STANDIN_API cuLaunchHostFunc(void *handle, void (*function)(void *), void *data) {
  return enter("cuLaunchHostFunc", true, [&]() -> int {
    Driver &driver = Driver::get();
    if (!function)
      return invalidValue;
    driver.enqueue(driver.stream(handle), Operation::Host, [=](Context &) {
      Driver &held = Driver::get(); // the function may wait for a thread that calls the driver
      held.mutex.unlock();
      function(data);
      held.mutex.lock();
    });
    return success;
  });
}

STANDIN_API cuEventCreate(void **event, unsigned flags) {
  return enter("cuEventCreate", true, [&]() -> int {
    Context &context = Driver::get().current();
    if (!event)
      return invalidValue;
    auto *made = publish(new Event);
    made->context = &context;
    made->timing = !(flags & 2);
    *event = made;
    return success;
  });
}
STANDIN_API cuEventRecord(void *handle, void *streamHandle) {
  return enter("cuEventRecord", true, [&]() -> int {
    Driver &driver = Driver::get();
    Stream &stream = driver.stream(streamHandle);
    Event &event = driver.event(handle);
    if (event.context != stream.context)
      return invalidHandle;
    event.mark = std::make_shared<Mark>();
    event.mark->stream = &stream;
    if (stream.capture) {
      event.mark->graph = stream.capture;
      event.mark->captured = stream.captured;
      return success;
    }
    driver.enqueue(stream, Operation::Record, nullptr, event.mark);
    event.mark->sequence = driver.sequence;
    return success;
  });
}
STANDIN_API cuEventSynchronize(void *handle) {
  return enter("cuEventSynchronize", true, [&]() -> int {
    Driver &driver = Driver::get();
    Event &event = driver.event(handle);
    if (event.mark && event.mark->graph)
      return capturedEvent;
    driver.finish(event.mark);
    return event.context->sticky;
  });
}
STANDIN_API cuEventQuery(void *handle) {
  return enter("cuEventQuery", true, [&]() -> int {
    Driver &driver = Driver::get();
    Event &event = driver.event(handle);
    static unsigned questions;
    if (event.mark && event.mark->graph)
      return capturedEvent;
    if (event.mark && !event.mark->done) {
      if (++questions % 1000)
        return notReady;
      driver.finish(event.mark);
    }
    return event.context->sticky;
  });
}
STANDIN_API cuEventElapsedTime(float *milliseconds, void *first, void *second) {
  return enter("cuEventElapsedTime", true, [&]() -> int {
    Driver &driver = Driver::get();
    Event &start = driver.event(first), &end = driver.event(second);
    if (!milliseconds || !start.timing || !end.timing || !start.mark || !end.mark)
      return invalidHandle;
    if (!start.mark->done || !end.mark->done)
      return notReady;
    *milliseconds = static_cast<float>(end.mark->milliseconds - start.mark->milliseconds);
    return success;
  });
}
STANDIN_API cuEventElapsedTime_v2(float *milliseconds, void *first, void *second) {
  return cuEventElapsedTime(milliseconds, first, second);
}
STANDIN_API cuEventDestroy_v2(void *handle) {
  return enter("cuEventDestroy", true, [&]() -> int {
    Event &event = Driver::get().event(handle);
    Driver::get().handles.erase(handle);
    delete &event;
    return success;
  });
}

STANDIN_API cuStreamBeginCapture_v2(void *handle, int mode) {
  return enter("cuStreamBeginCapture", true, [&]() -> int {
    Stream &stream = Driver::get().stream(handle);
    if (mode < 0 || mode > 2)
      return invalidValue;
    if (&stream == stream.context->legacy.get())
      return captureImplicit;
    if (stream.capture)
      return 401;
    stream.capture = publish(new Graph);
    stream.capture->mode = static_cast<Graph::Mode>(mode);
    stream.capture->thread = std::this_thread::get_id();
    stream.capture->streams.insert(&stream);
    stream.origin = true;
    stream.invalidated = false;
    return success;
  });
}
STANDIN_API cuThreadExchangeStreamCaptureMode(int *mode) {
  return enter("cuThreadExchangeStreamCaptureMode", false, [&]() -> int {
    if (!mode || *mode < 0 || *mode > 2)
      return invalidValue;
    std::swap(*mode, captureModeOfThread());
    return success;
  });
}
STANDIN_API cuStreamIsCapturing(void *handle, int *status) {
  return enter("cuStreamIsCapturing", true, [&]() -> int {
    Stream &stream = Driver::get().stream(handle);
    if (!status)
      return invalidValue;
    *status = !stream.capture ? 0 : stream.invalidated ? 2 : 1;
    return success;
  });
}
STANDIN_API cuStreamEndCapture(void *handle, void **result) {
  return enter("cuStreamEndCapture", true, [&]() -> int {
    Stream &stream = Driver::get().stream(handle);
    if (!result)
      return invalidValue;
    *result = nullptr;
    if (!stream.capture)
      return 401;
    if (!stream.origin)
      return captureUnmatched;
    Graph *graph = stream.capture;
    if (graph->mode != Graph::Relaxed && graph->thread != std::this_thread::get_id())
      return captureWrongThread;
    bool unjoined = false, invalid = false;
    for (Stream *other : graph->streams) {
      unjoined |= !other->origin && other->joined < std::max<size_t>(other->captured, 0);
      invalid |= other->invalidated;
      other->invalidated = false;
    }
    endCapture(*graph);
    if (unjoined || invalid) {
      Driver::get().handles.erase(graph);
      delete graph;
      return invalid ? captureInvalidated : captureUnjoined;
    }
    *result = graph;
    return success;
  });
}
STANDIN_API cuGraphInstantiateWithFlags(void **instance, void *handle, u64) {
  return enter("cuGraphInstantiateWithFlags", true, [&]() -> int {
    Graph &graph = Driver::get().live<Graph>(handle);
    if (!instance)
      return invalidValue;
    auto *made = publish(new Graph);
    made->operations = graph.operations;
    *instance = made;
    Driver::get().log("graph %p of %zu operations", *instance, made->operations.size());
    return success;
  });
}
STANDIN_API cuGraphLaunch(void *handle, void *streamHandle) {
  return enter("cuGraphLaunch", true, [&]() -> int {
    Driver &driver = Driver::get();
    Graph &graph = driver.live<Graph>(handle);
    Stream &stream = driver.stream(streamHandle);
    driver.log("graph launch %p, stream %p", handle, streamHandle);
    auto operations = std::make_shared<std::vector<Operation>>(graph.operations);
    driver.enqueue(stream, Operation::GraphLaunch, [operations](Context &context) {
      for (Operation &operation : *operations)
        operation.run(context);
    });
    return success;
  });
}
/// Takes over the operations if there are as many of the same kinds.
STANDIN_API cuGraphExecUpdate_v2(void *handle, void *graphHandle, void *) {
  return enter("cuGraphExecUpdate", true, [&]() -> int {
    Driver &driver = Driver::get();
    Graph &instance = driver.live<Graph>(handle), &graph = driver.live<Graph>(graphHandle);
    const bool same =
        std::equal(instance.operations.begin(), instance.operations.end(), graph.operations.begin(), graph.operations.end(),
                   [](const Operation &a, const Operation &b) { return a.kind == b.kind; });
    if (!same)
      return graphUpdateFailure;
    instance.operations = graph.operations;
    return success;
  });
}
STANDIN_API cuGraphExecDestroy(void *handle) {
  return enter("cuGraphExecDestroy", true, [&]() -> int {
    Graph &graph = Driver::get().live<Graph>(handle);
    Driver::get().handles.erase(handle);
    delete &graph;
    return success;
  });
}
STANDIN_API cuGraphDestroy(void *handle) { return cuGraphExecDestroy(handle); }
STANDIN_API cuGraphGetNodes(void *handle, void **, size_t *count) {
  return enter("cuGraphGetNodes", true, [&]() -> int {
    if (!count)
      return invalidValue;
    *count = Driver::get().live<Graph>(handle).operations.size();
    return success;
  });
}

} // namespace standin
