/* The fork-join pool behind lathe_context.parallel_for.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { MAX_COUNT = 3000, MAX_SLOTS = 64 };

/* ---- Workers that do not begin, or cannot be started; linked with --wrap=pthread_create ---- */

static int created;
static int failing = -1;             /* the number of the thread that cannot be started */
static int (*is_absent)(int worker); /* NULL: none is; workers count from 1 */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  ++created;
  if (created == failing)
    return EAGAIN;
  if (!is_absent || !is_absent(created))
    return __real_pthread_create(thread, attributes, body, argument);
  *thread = pthread_self();
  return 0;
}

typedef struct loop {
  lathe_context *context;
  int64_t count, grain, slots;
  int hits[MAX_COUNT]; /* plain ints: a lost or doubled iteration is a data race too */
  atomic_int in_use[MAX_SLOTS];
  atomic_int wrong, calls;
  int64_t scratch[MAX_SLOTS][8]; /* plain: two pieces in one slot are a data race */
  int nanoseconds;
} loop;

static void pause_for(int nanoseconds) {
  if (nanoseconds > 0)
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

static void count_hits(void *closure, int64_t slot, int64_t begin, int64_t end) {
  loop *l = closure;
  atomic_fetch_add(&l->calls, 1);
  if (slot < 0 || slot >= l->slots || begin % l->grain != 0 || begin >= end || end > l->count) {
    atomic_fetch_add(&l->wrong, 1);
    return;
  }
  if (atomic_fetch_add(&l->in_use[slot], 1) != 0)
    atomic_fetch_add(&l->wrong, 1);
  for (int64_t i = begin; i < end; ++i) {
    ++l->hits[i];
    l->scratch[slot][i % 8] += i;
  }
  pause_for(l->nanoseconds);
  atomic_fetch_sub(&l->in_use[slot], 1);
}

static void run_and_check(loop *l) {
  l->context->parallel_for(l->context, count_hits, l, l->count, l->grain, l->slots);
  int missed = 0;
  for (int64_t i = 0; i < l->count; ++i)
    missed += l->hits[i] != 1;
  CHECK_EQUAL(missed, 0);
  CHECK_EQUAL(atomic_load(&l->wrong), 0);
  if (l->count > 0 && l->count <= l->grain)
    CHECK_EQUAL(atomic_load(&l->calls), 1);
}

static void test_shapes(lathe_context *context) {
  static const int64_t counts[] = {0, 1, 2, 3, 7, 64, 1000, MAX_COUNT}, grains[] = {1, 2, 3, 64, 5000},
                       slots[] = {1, 2, 16, MAX_SLOTS};
  for (int c = 0; c < 8; ++c)
    for (int g = 0; g < 5; ++g)
      for (int s = 0; s < 4; ++s) {
        loop l = {.context = context, .count = counts[c], .grain = grains[g], .slots = slots[s]};
        run_and_check(&l);
      }
}

/* Short loops one after the other, some with a gap in which workers fall asleep. */
static void test_repetition(lathe_context *context) {
  for (int i = 0; i < 2000; ++i) {
    loop l = {.context = context, .count = 1 + i % 9, .grain = 1, .slots = 4, .nanoseconds = i % 50 == 0 ? 300000 : 0};
    run_and_check(&l);
    if (i % 100 == 0)
      pause_for(1000000);
  }
}

typedef struct nest {
  lathe_context *context;
  atomic_int inner;
} nest;

static void inner_body(void *closure, int64_t slot, int64_t begin, int64_t end) {
  nest *n = closure;
  CHECK(slot == 0 && begin == 0 && end == 100);
  atomic_fetch_add(&n->inner, (int)(end - begin));
}

static void outer_body(void *closure, int64_t slot, int64_t begin, int64_t end) {
  nest *n = closure;
  (void)slot;
  for (int64_t i = begin; i < end; ++i)
    n->context->parallel_for(n->context, inner_body, n, 100, 1, 4);
}

static void test_nesting(lathe_context *context) {
  nest n = {.context = context};
  context->parallel_for(context, outer_body, &n, 50, 1, 4);
  CHECK_EQUAL(atomic_load(&n.inner), 5000);
}

static void add_lengths(void *closure, int64_t slot, int64_t begin, int64_t end) {
  (void)slot;
  atomic_fetch_add((_Atomic int64_t *)closure, end - begin);
}

static void test_extremes(lathe_context *context) {
  static const int64_t grains[] = {1, 3, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
  for (int i = 0; i < 5; ++i) {
    _Atomic int64_t sum = 0;
    context->parallel_for(context, add_lengths, &sum, INT64_MAX, grains[i], 16);
    CHECK_EQUAL(atomic_load(&sum), INT64_MAX);
  }
}

enum { SHARED_COUNT = 1001 };

typedef struct first_pieces {
  atomic_int begin[2]; /* of each thread's first piece, or -1 */
} first_pieces;

static void note_first(void *closure, int64_t slot, int64_t begin, int64_t end) {
  first_pieces *first = closure;
  (void)end;
  int none = -1;
  atomic_compare_exchange_strong(&first->begin[slot], &none, (int)begin);
  while (atomic_load(&first->begin[1 - slot]) < 0) /* neither takes pieces of the other's share */
    pause_for(1000);
}

/* Each of two threads begins with its own half, so that it meets in one loop what it wrote in the one before. */
static void test_shares(void) {
  lathe_context *context = lathe_context_create(2);
  for (int i = 0; i < 100; ++i) {
    first_pieces first = {{-1, -1}};
    context->parallel_for(context, note_first, &first, SHARED_COUNT, 1, 2);
    CHECK_EQUAL(atomic_load(&first.begin[0]), 0);
    CHECK_EQUAL(atomic_load(&first.begin[1]), (SHARED_COUNT + 1) / 2);
  }
  lathe_context_destroy(context);
}

/* Each thread of a team is woken, though the caller wakes two only: all are in the loop at the same time. */
static atomic_int gave_up;

static void meet(void *closure, int64_t slot, int64_t begin, int64_t end) {
  enum { PATIENCE = 10000 }; /* ms */
  atomic_int *missing = closure;
  (void)slot, (void)begin, (void)end;
  atomic_fetch_sub(missing, 1);
  for (int i = 0; atomic_load(missing) > 0 && !atomic_load(&gave_up); ++i) {
    pause_for(1000000);
    if (i == PATIENCE)
      atomic_store(&gave_up, 1);
  }
}

static void test_everyone_begins(int threads) {
  lathe_context *context = lathe_context_create(threads);
  for (int team = 2; team <= threads; ++team) {
    atomic_int missing = team;
    context->parallel_for(context, meet, &missing, threads, 1, team);
    CHECK(!atomic_load(&gave_up));
  }
  lathe_context_destroy(context);
}

static int is_worker(int worker) { return worker > 0; }
static int is_below_first(int worker) { return worker > 2; }
static int is_second(int worker) { return worker == 2; }
static int is_inner(int worker) { return worker >= 3 && worker <= 6; }

/* A loop is done, and ends, without workers that do not begin. Nor do those begin then that only they would have woken. The
 * contexts are not destroyed, which would wait for their absent workers. */
static void test_absent_workers(void) {
  static int (*const absent[])(int) = {is_worker, is_below_first, is_second, is_inner};
  for (int a = 0; a < 4; ++a)
    for (int threads = 2; threads <= 21; ++threads) {
      created = 0;
      is_absent = absent[a];
      lathe_context *context = lathe_context_create(threads);
      is_absent = NULL;
      for (int i = 0; i < 50; ++i) {
        loop l = {.context = context, .count = 40, .grain = 1, .slots = 1 + i % MAX_SLOTS};
        run_and_check(&l);
      }
    }
}

static void test_thread_that_cannot_start(void) {
  for (failing = 1; failing < 8; ++failing) {
    created = 0;
    CHECK(!lathe_context_create(8));
    CHECK_EQUAL(created, failing);
  }
  failing = -1;
}

int main(void) {
  static const int threads[] = {1, 2, 3, 8, 20};
  for (int i = 0; i < 5; ++i) {
    lathe_context *context = lathe_context_create(threads[i]);
    test_shapes(context);
    test_repetition(context);
    test_nesting(context);
    test_extremes(context);
    lathe_context_destroy(context);
  }
  test_shares();
  test_everyone_begins(13);
  test_thread_that_cannot_start();
  for (int i = 0; i < 50; ++i) /* workers that are told to end before they began */
    lathe_context_destroy(lathe_context_create(4));
  test_absent_workers(); /* last: it leaves threads behind */
  return check_result();
}
