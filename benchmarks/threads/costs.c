/* Measures what a loop of the pool costs besides its chunks. */
#define _GNU_SOURCE
#include "lathe/runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(int64_t end) {
  while (now() < end)
    ;
}

/* Nanoseconds of a loop of two chunks, since its call. */
typedef struct loop_times {
  int64_t caller_begins, worker_begins, worker_ends, returns; /* of the worker: 0 if it got no chunk */
} loop_times;

typedef struct loop {
  int64_t called, busy;
  loop_times times;
} loop;

/* The worker's chunk takes twice as long as the caller's, so that it ends last. */
static void be_busy(void *closure, int64_t slot, int64_t begin, int64_t end) {
  loop *l = closure;
  const int64_t start = now();
  (void)begin, (void)end;
  if (slot == 0) {
    if (l->times.caller_begins == 0)
      l->times.caller_begins = start - l->called;
    wait_until(start + l->busy);
    return;
  }
  l->times.worker_begins = start - l->called;
  wait_until(start + 2 * l->busy);
  l->times.worker_ends = now() - l->called;
}

/* Runs `runs` loops on a context of two threads, `pause` ns apart, with chunks of `busy` ns. */
void threads_loops(lathe_context *context, int64_t runs, int64_t pause, int64_t busy, loop_times *times) {
  for (int64_t i = 0; i < runs; ++i) {
    wait_until(now() + pause);
    loop l = {.called = now(), .busy = busy};
    context->parallel_for(context, be_busy, &l, 2, 1, 2);
    l.times.returns = now() - l.called;
    times[i] = l.times;
  }
}

static void do_nothing(void *closure, int64_t slot, int64_t begin, int64_t end) {
  (void)closure, (void)slot, (void)begin, (void)end;
}

/* Returns the ns of a loop of empty chunks, on a context with absent workers. */
double threads_empty_loop(lathe_context *context, int64_t chunks) {
  enum { RUNS = 20000 };
  const int64_t begin = now();
  for (int i = 0; i < RUNS; ++i)
    context->parallel_for(context, do_nothing, NULL, chunks, 1, 1 << 20);
  return (double)(now() - begin) / RUNS;
}

/* Returns the ns of reading the clock. */
double threads_clock(void) {
  enum { RUNS = 100000 };
  const int64_t begin = now();
  for (int i = 0; i < RUNS; ++i)
    now();
  return (double)(now() - begin) / RUNS;
}

/* ---- A cache line between two cores ---- */

enum { ROUNDS = 100000 };

static _Alignas(64) atomic_int ball;

static void *play(void *unused) {
  for (int i = 0; i < ROUNDS; ++i) {
    while (atomic_load_explicit(&ball, memory_order_acquire) != 2 * i + 1)
      ;
    atomic_store_explicit(&ball, 2 * i + 2, memory_order_release);
  }
  return unused;
}

/* Returns the ns until another core sees a store; a negative number if there is no second thread. */
double threads_line(void) {
  pthread_t other;
  atomic_store(&ball, 0);
  if (pthread_create(&other, NULL, play, NULL) != 0)
    return -1;
  const int64_t begin = now();
  for (int i = 0; i < ROUNDS; ++i) {
    atomic_store_explicit(&ball, 2 * i + 1, memory_order_release);
    while (atomic_load_explicit(&ball, memory_order_acquire) != 2 * i + 2)
      ;
  }
  const int64_t end = now();
  pthread_join(other, NULL);
  return (double)(end - begin) / (2.0 * ROUNDS);
}
