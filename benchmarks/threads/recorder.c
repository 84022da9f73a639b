/* Contexts that record the parallel loops of an entry. They have the runtime's own pool, whose workers never begin: the caller
 * cuts each loop as for all threads, claims every chunk itself, one after the other, and takes the workers' mail back.
 *
 * Linked with --wrap=pthread_create. suite_time of ../suite/timing.c is linked as well.
 */
#define _GNU_SOURCE
#include "lathe/runtime.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

typedef struct chunk {
  int64_t begin, end, ns;
} chunk;

/* A parallel loop, or a kernel on the calling thread, which has no count. Times are ns since the call of the entry. */
typedef struct event {
  int64_t row; /* the kernel's in the entry's table; -1 without a profile */
  int64_t begin, end;
  int64_t count, grain, slots; /* as the pool gets them */
  int64_t first, chunks;
} event;

/* The caller provides the arrays. */
typedef struct recording {
  const lathe_kernel_info *kernels; /* the entry's table */
  event *events;
  int64_t most_events, event_count;
  chunk *chunks;
  int64_t most_chunks, chunk_count;
  int64_t duration;
} recording;

static recording *current;
static lathe_parallel_for run_in_pool;
static int64_t started, kernel_begin;
static int kernel_has_loop;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ---- Pools whose workers never begin ---- */

static int absent;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  if (!absent)
    return __real_pthread_create(thread, attributes, body, argument);
  *thread = pthread_self();
  return 0;
}

/* Returns a context for so many threads, whose workers are all absent or all there. One with absent workers must not be
 * destroyed, since that would wait for them. */
lathe_context *threads_context(int threads, int are_absent) {
  absent = are_absent;
  lathe_context *context = lathe_context_create(threads);
  absent = 0;
  return context;
}

/* ---- Recording ---- */

typedef struct timed {
  lathe_body body;
  void *closure;
} timed;

static void run_chunk(void *closure, int64_t slot, int64_t begin, int64_t end) {
  const timed *t = closure;
  const int64_t first = now();
  t->body(t->closure, slot, begin, end);
  const int64_t last = now();
  if (current->chunk_count < current->most_chunks)
    current->chunks[current->chunk_count] = (chunk){begin, end, last - first};
  ++current->chunk_count;
}

static void add_event(event added) {
  if (current->event_count < current->most_events)
    current->events[current->event_count] = added;
  ++current->event_count;
}

static void record_loop(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  timed t = {body, closure};
  event e = {
      .row = -1, .begin = now() - started, .count = count, .grain = grain, .slots = slots, .first = current->chunk_count};
  run_in_pool(context, run_chunk, &t, count, grain, slots);
  e.end = now() - started;
  e.chunks = current->chunk_count - e.first;
  add_event(e);
  kernel_has_loop = 1;
}

static void record_kernel(lathe_context *context, const lathe_kernel_info *kernel, int32_t begins) {
  (void)context;
  if (begins) {
    kernel_has_loop = 0;
    kernel_begin = now() - started;
    return;
  }
  const int64_t end = now() - started;
  if (!kernel_has_loop)
    add_event((event){.begin = kernel_begin, .end = end, .first = current->chunk_count});
  if (current->event_count <= current->most_events)
    current->events[current->event_count - 1].row = kernel - current->kernels;
}

/* Returns the table of kernels of the entry with a symbol, or NULL. */
const lathe_kernel_info *threads_kernels(const lathe_module_info *info, const char *symbol) {
  for (uint32_t i = 0; i < info->function_count; ++i)
    if (strcmp(info->functions[i].symbol, symbol) == 0)
      return info->functions[i].kernels;
  return NULL;
}

/* Calls an entry once, and records it. Returns its status. The counts exceed the room in the arrays if that is too small. */
int threads_record(int (*entry)(void *), void *args, lathe_context *context, recording *into, int with_kernels) {
  into->event_count = into->chunk_count = 0;
  current = into;
  run_in_pool = context->parallel_for;
  context->parallel_for = record_loop;
  context->profile = with_kernels ? record_kernel : NULL;
  started = now();
  const int status = entry(args);
  into->duration = now() - started;
  context->profile = NULL;
  context->parallel_for = run_in_pool;
  return status;
}

/* Runs a loop whose body does nothing, to see how a pool cuts it. */
static void do_nothing(void *closure, int64_t slot, int64_t begin, int64_t end) {
  (void)closure, (void)slot, (void)begin, (void)end;
}

void threads_cut(lathe_context *context, recording *into, int64_t count, int64_t grain, int64_t slots) {
  into->event_count = into->chunk_count = 0;
  current = into;
  run_in_pool = context->parallel_for;
  started = now();
  record_loop(context, do_nothing, NULL, count, grain, slots);
}
