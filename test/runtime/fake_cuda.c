/* A libcuda.so.1 that runs three kernels known by name, in the host's memory. Streams do nothing before somebody waits, so that
 * a wait that is missing shows.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "fake_cuda.h"
#include "fake_kernels.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION 12040
#endif

enum { CALLS = 64, DEVICES = 4, NAME = 48, RELAXED = 2 };

typedef struct command {
  struct command *next;
  int (*kernel)(const uint64_t *words, unsigned blocks);
  unsigned blocks;
  uint64_t words[32];
  char *to;
  const char *from; /* NULL: zeros */
  size_t size;
} command;

typedef struct object { /* a context, stream, module, function, graph: whatever has a handle */
  int device, is_blocking;
  command *first, **last;
  struct object *capture;
} object;

fake_cuda fake = {.devices = 2, .capability = 90};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  const char *name;
  int count;
} calls[CALLS];
static object contexts[DEVICES];
static int broken[DEVICES]; /* the code that a device's context answers with from now on */
static _Thread_local object *stack[16];
static _Thread_local int top;
static _Thread_local int capture_mode;    /* 0: global, 2: relaxed */
static _Thread_local object *last_stream; /* that the thread gave something to do */

/* ---- What each call goes through ---- */

int fake_count(const char *name) {
  int count = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < CALLS && calls[i].name; ++i)
    if (strcmp(calls[i].name, name) == 0)
      count = calls[i].count;
  pthread_mutex_unlock(&lock);
  return count;
}

/* The code with which the call is to fail. */
static int enter(const char *name) {
  int code = 0, at = 0;
  pthread_mutex_lock(&lock);
  while (at < CALLS - 1 && calls[at].name && strcmp(calls[at].name, name) != 0)
    ++at;
  calls[at].name = name;
  ++calls[at].count;
  if (fake.failing && strcmp(fake.failing, name) == 0 && fake.skip-- == 0) {
    fake.failing = NULL;
    code = fake.code;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static void count(int32_t *what, int32_t change) {
  pthread_mutex_lock(&lock);
  *what += change;
  pthread_mutex_unlock(&lock);
}

#define ENTER()                                                                                                                \
  do {                                                                                                                         \
    const int code = enter(__func__);                                                                                          \
    if (code)                                                                                                                  \
      return code;                                                                                                             \
  } while (0)

/* Checks calls that need a current context: that of `device`, unless `device` is negative. */
#define ENTER_WITHIN(wanted)                                                                                                   \
  do {                                                                                                                         \
    const int code = within(__func__, wanted);                                                                                 \
    if (code)                                                                                                                  \
      return code;                                                                                                             \
  } while (0)

/* Checks calls that a capture for all threads forbids. */
#define ENTER_UNCAPTURED(wanted)                                                                                               \
  do {                                                                                                                         \
    ENTER_WITHIN(wanted);                                                                                                      \
    if (fake.is_captured && capture_mode != RELAXED)                                                                           \
      return 900;                                                                                                              \
  } while (0)

static int within(const char *name, int wanted) {
  const int code = enter(name);
  if (top == 0 || (wanted >= 0 && stack[top - 1]->device != wanted)) {
    count(&fake.misuse, 1);
    return 201;
  }
  const int device = stack[top - 1]->device;
  if (code == LAUNCH_FAILED)
    broken[device] = code;
  return broken[device] ? broken[device] : code;
}

static void *make(int device) {
  object *made = calloc(1, sizeof *made);
  made->device = device;
  made->last = &made->first;
  count(&fake.live, 1);
  return made;
}

/* ---- Streams ---- */

/* The code with which it ends. */
static int run(const command *c) {
  if (c->kernel)
    return c->kernel(c->words, c->blocks);
  if (c->from)
    memmove(c->to, c->from, c->size);
  else
    memset(c->to, 0, c->size);
  return 0;
}

static void discard(object *o) {
  for (command *c = o->first, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  o->first = NULL;
  o->last = &o->first;
}

static int drain(object *stream) {
  for (command *c = stream->first; c; c = c->next) {
    if (!broken[stream->device])
      broken[stream->device] = run(c);
    count(&fake.pending, -1);
  }
  discard(stream);
  return broken[stream->device];
}

static void queue(object *stream, const command *c) {
  object *to = stream->capture ? stream->capture : stream;
  last_stream = stream;
  command *copy = malloc(sizeof *copy);
  *copy = *c;
  copy->next = NULL;
  *to->last = copy;
  to->last = &copy->next;
  if (!stream->capture)
    count(&fake.pending, 1);
}

/* ---- The driver ---- */

int cuDriverGetVersion(int *version) {
  ENTER();
  *version = FAKE_VERSION;
  return 0;
}

int cuInit(unsigned flags) {
  ENTER();
  const char *code = getenv("FAKE_CUDA_INIT");
  return code ? atoi(code) : (int)flags;
}

int cuGetErrorName(int code, const char **name) {
  static const struct {
    int code;
    const char *name;
  } names[] = {{1, "CUDA_ERROR_INVALID_VALUE"},
               {2, "CUDA_ERROR_OUT_OF_MEMORY"},
               {218, "CUDA_ERROR_INVALID_PTX"},
               {500, "CUDA_ERROR_NOT_FOUND"},
               {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
               {719, "CUDA_ERROR_LAUNCH_FAILED"},
               {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (names[i].code == code) {
      *name = names[i].name;
      return 0;
    }
  return 1;
}

int cuDeviceGetCount(int *number) {
  ENTER();
  const char *devices = getenv("FAKE_CUDA_DEVICES");
  *number = devices ? atoi(devices) : fake.devices;
  return 0;
}

int cuDeviceGet(int *device, int number) {
  ENTER();
  *device = number;
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  ENTER();
  *value = attribute == 16 ? 3 : attribute == 75 ? fake.capability / 10 : fake.capability % 10;
  return 0;
}

int cuDevicePrimaryCtxRetain(object **context, int device) {
  ENTER();
  contexts[device].device = device;
  *context = &contexts[device];
  count(&fake.live, 1);
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  ENTER();
  count(&fake.live, -1);
  return 0;
}

int cuCtxPushCurrent_v2(object *context) {
  ENTER();
  stack[top++] = context;
  count(&fake.depth, 1);
  return 0;
}

int cuCtxPopCurrent_v2(object **context) {
  ENTER();
  if (top == 0) {
    count(&fake.misuse, 1);
    return 201;
  }
  *context = stack[--top];
  count(&fake.depth, -1);
  return 0;
}

int cuStreamCreate(object **stream, unsigned flags) {
  ENTER_WITHIN(-1);
  *stream = make(stack[top - 1]->device);
  (*stream)->is_blocking = flags == 0;
  return 0;
}

int cuStreamDestroy_v2(object *stream) {
  ENTER();
  drain(stream);
  last_stream = NULL;
  free(stream);
  count(&fake.live, -1);
  return 0;
}

int cuStreamSynchronize(object *stream) {
  ENTER_UNCAPTURED(stream->device);
  if (stream->capture) {
    count(&fake.misuse, 1);
    return 900;
  }
  return drain(stream);
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER();
  const int before = capture_mode;
  count(&fake.relaxed, (*mode == RELAXED) - (before == RELAXED));
  capture_mode = *mode;
  *mode = before;
  return 0;
}

int cuStreamBeginCapture_v2(object *stream, int mode) {
  ENTER_WITHIN(stream->device);
  if (mode != 1 || stream->capture || stream->is_blocking) /* others could not use the default stream meanwhile */
    count(&fake.misuse, 1);
  stream->capture = make(stream->device);
  return 0;
}

int cuStreamEndCapture(object *stream, object **graph) {
  const int code = within(__func__, stream->device);
  *graph = stream->capture;
  stream->capture = NULL;
  if (!code)
    return 0;
  discard(*graph);
  free(*graph);
  *graph = NULL;
  count(&fake.live, -1);
  return code;
}

int cuGraphInstantiateWithFlags(object **executable, object *graph, unsigned long long flags) {
  (void)flags;
  ENTER_WITHIN(graph->device);
  object *made = make(graph->device);
  for (command *c = graph->first; c; c = c->next) {
    command *copy = malloc(sizeof *copy);
    *copy = *c;
    copy->next = NULL;
    *made->last = copy;
    made->last = &copy->next;
  }
  *executable = made;
  return 0;
}

int cuGraphDestroy(object *graph) {
  ENTER();
  discard(graph);
  free(graph);
  count(&fake.live, -1);
  return 0;
}

int cuGraphExecDestroy(object *executable) {
  ENTER();
  discard(executable);
  free(executable);
  count(&fake.live, -1);
  return 0;
}

int cuGraphLaunch(object *executable, object *stream) {
  ENTER_WITHIN(stream->device);
  for (command *c = executable->first; c; c = c->next)
    queue(stream, c);
  return 0;
}

int cuModuleLoadDataEx(object **module, const void *image, unsigned options, int *names, void **values) {
  (void)names;
  ENTER_UNCAPTURED(-1);
  fake.image = image;
  if (options > 0)
    strcpy(values[2], "ptxas says hello\n");
  if (strncmp(image, "bad", 3) == 0)
    return 218;
  if (strncmp(image, "new", 3) == 0)
    return 222;
  if (fake.refuse_cubins && strncmp(image, "cubin", 5) == 0)
    return fake.refuse_cubins;
  *module = make(stack[top - 1]->device);
  return 0;
}

int cuModuleUnload(object *module) {
  ENTER();
  free(module);
  count(&fake.live, -1);
  return 0;
}

int cuModuleGetFunction(const kernel **function, object *module, const char *name) {
  ENTER_WITHIN(module->device);
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
    if (strcmp(kernels[i].name, name) == 0) {
      *function = &kernels[i];
      return 0;
    }
  return 500;
}

int cuFuncSetAttribute(const kernel *function, int attribute, int value) {
  (void)function;
  ENTER_WITHIN(-1);
  return attribute == 8 && value <= 227 << 10 ? 0 : 1;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const kernel *function, int threads, size_t shared) {
  (void)function;
  ENTER_WITHIN(-1);
  *blocks = threads > 1024 || shared > 227 << 10 ? 0 : 2;
  return 0;
}

int cuTensorMapEncodeTiled(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
                           int promotion, int fill) {
  (void)promotion;
  ENTER_WITHIN(-1);
  if ((uintptr_t)map % 128 || (uintptr_t)address % 16 || rank != 2 || strides[0] % 16 || !extents[0] || !extents[1] ||
      steps[0] != 1 || interleave != 0 || swizzle != 3 || fill != 0)
    return 1;
  map[0] = (uint64_t)type;
  map[1] = extents[1];
  map[2] = strides[0];
  map[3] = box[0] * 10 + steps[1];
  return 0;
}

int cuLaunchKernel(const kernel *function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, object *stream, void **parameters, void **extra) {
  (void)shared;
  (void)extra;
  ENTER_WITHIN(stream->device);
  command c = {.kernel = function->run, .blocks = x};
  if (y != 1 || z != 1 || block_x == 0 || block_y != 1 || block_z != 1)
    count(&fake.misuse, 1);
  memcpy(c.words, parameters[0], function->words * sizeof c.words[0]);
  queue(stream, &c);
  return 0;
}

int cuMemAlloc_v2(uint64_t *memory, size_t size) {
  ENTER_UNCAPTURED(-1);
  if (size == 0)
    return 1;
  char *made = malloc(size);
  if (!made)
    return 2;
  memset(made, 0xA5, size);
  *memory = (uint64_t)(uintptr_t)made;
  count(&fake.live, 1);
  return 0;
}

int cuMemFree_v2(uint64_t memory) { /* waits, as the driver does */
  ENTER();
  if (last_stream)
    drain(last_stream);
  free((void *)(uintptr_t)memory);
  count(&fake.live, -1);
  return 0;
}

/* Both later: of pageable memory drivers may take a copy at once, but do not promise to. */
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, object *stream) {
  ENTER_WITHIN(stream->device);
  if (stream->capture)
    count(&fake.misuse, 1);
  queue(stream, &(command){.to = (char *)(uintptr_t)to, .from = from, .size = size});
  return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, object *stream) {
  ENTER_WITHIN(stream->device);
  if (stream->capture)
    count(&fake.misuse, 1);
  queue(stream, &(command){.to = to, .from = (const char *)(uintptr_t)from, .size = size});
  return 0;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, object *stream) {
  ENTER_WITHIN(stream->device);
  queue(stream, &(command){.to = (char *)(uintptr_t)to, .from = (const char *)(uintptr_t)from, .size = size});
  return 0;
}

#ifndef FAKE_INCOMPLETE
int cuMemsetD8Async(uint64_t memory, unsigned char value, size_t size, object *stream) {
  ENTER_WITHIN(stream->device);
  if (value != 0)
    count(&fake.misuse, 1);
  queue(stream, &(command){.to = (char *)(uintptr_t)memory, .size = size});
  return 0;
}
#endif
