/* A fork-join pool: the caller hands one loop to its workers, works too, and returns when all pieces are done.
 *
 * The pieces are cut into shares of neighbours. A thread takes pieces from its own share first, and then from the others, so
 * that it mostly meets again what it wrote in the loop before, which is in its caches.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each worker has a mailbox of one word, which another thread writes to start it. The threads of a loop are a tree: thread i
 * starts the threads 2 i + 1 and 2 i + 2 before it claims its first pieces, if it finds some. The next loop starts only after
 * all of them have answered, so the loop's description needs no lock.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  SPIN_NS = 200000,       /* time to spin before sleeping: waking a sleeper takes 20 to 35 us */
  SPIN_NS_CROWDED = 2000, /* with more threads than cores, a spinning thread keeps the awaited one from running */
  LOOKS_PER_CLOCK = 64,   /* reading the clock and yielding are slower than a look at the word */
  PIECES_PER_THREAD = 16, /* claims for each thread, if the loop has that many pieces: enough to even out unequal speeds */
  MOST_SHARES = 8,        /* a thread looks at all of them at the end of a loop */
  STACK_SIZE = 512 << 10
};

enum mail { IDLE, ASLEEP, WORK, BUSY, QUIT };

typedef struct worker {
  _Alignas(64) atomic_uint mail;
  int index; /* its slot; the caller has slot 0 */
  pthread_t thread;
  lathe_pool *pool;
} worker;

typedef struct share {
  _Alignas(64) _Atomic uint64_t next; /* first unclaimed piece; may exceed `end` by one claim for each thread */
  uint64_t end;
} share;

struct lathe_pool {
  int threads;
  int64_t spin_ns;
  /* The running loop. The caller writes it while no worker reads. */
  lathe_body body;
  void *closure;
  int64_t count, grain, pieces, claim;
  unsigned shares, helpers; /* helpers: the workers that take part, the first ones */

  _Alignas(64) atomic_int busy;
  share share[MOST_SHARES];
  _Alignas(64) atomic_uint pending; /* workers of the team that have not answered yet */
  atomic_int caller_sleeps;
  worker workers[]; /* threads - 1 */
};

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

typedef struct spinner {
  int64_t duration, end;
  unsigned looks;
} spinner;

/* Returns false once the pool's spinning time is over. */
static bool spin(spinner *s) {
  relax();
  if (++s->looks % LOOKS_PER_CLOCK != 0)
    return true;
  const int64_t now = now_ns();
  if (s->end == 0)
    s->end = now + s->duration;
  syscall(SYS_sched_yield); /* the awaited thread may need this core; an import takes 80 bytes more */
  return now < s->end;
}

/* Returns when the word has changed, and sometimes before. */
static void futex_wait(atomic_uint *word, unsigned value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static void cut_shares(lathe_pool *pool, uint64_t pieces, unsigned shares) {
  const uint64_t length = (pieces - 1) / shares + 1;
  pool->shares = shares;
  uint64_t first = 0;
  for (share *cut = pool->share; cut < pool->share + shares; ++cut) {
    atomic_store_explicit(&cut->next, first, memory_order_relaxed);
    first += length;
    cut->end = first < pieces ? first : pieces;
  }
}

/* Waits for the next mail. Returns true for work and false for the end. */
static bool await_mail(worker *self) {
  spinner s = {self->pool->spin_ns, 0, 0};
  for (;;) {
    unsigned mail = atomic_load_explicit(&self->mail, memory_order_relaxed);
    if (mail == QUIT)
      return false;
    if (mail == WORK && atomic_compare_exchange_strong(&self->mail, &mail, BUSY))
      return true;
    if (spin(&s))
      continue;
    mail = IDLE;
    atomic_compare_exchange_strong(&self->mail, &mail, ASLEEP);
    futex_wait(&self->mail, ASLEEP); /* returns at once if there is mail */
    s = (spinner){self->pool->spin_ns, 0, 0};
  }
}

static void send_mail(worker *to, unsigned mail) {
  if (atomic_exchange(&to->mail, mail) == ASLEEP)
    futex_wake(&to->mail);
}

static bool take_back_mail(worker *from) {
  unsigned mail = WORK;
  return atomic_compare_exchange_strong(&from->mail, &mail, IDLE);
}

/* Runs pieces as a thread of the team. Returns how many threads below it in the tree will not begin. */
static unsigned take_part(lathe_pool *pool, unsigned slot) {
  const uint64_t claim = (uint64_t)pool->claim;
  const unsigned helpers = pool->helpers;
  unsigned woken = 2 * slot; /* the next worker that this thread wakes */
  for (unsigned tried = 0; tried < pool->shares; ++tried) {
    share *from = &pool->share[(slot + tried) % pool->shares];
    while (atomic_load_explicit(&from->next, memory_order_relaxed) < from->end) {
      for (; woken < 2 * slot + 2 && woken < helpers; ++woken)
        send_mail(&pool->workers[woken], WORK);
      const uint64_t first = atomic_fetch_add_explicit(&from->next, claim, memory_order_relaxed);
      if (first >= from->end)
        break;
      const int64_t end = (int64_t)(from->end - first < claim ? from->end : first + claim);
      pool->body(pool->closure, slot, (int64_t)first * pool->grain, end == pool->pieces ? pool->count : end * pool->grain);
    }
  }
  unsigned absent = 0;
  for (unsigned i = 2 * slot; i < 2 * slot + 2 && i < helpers; ++i)
    if (i >= woken || take_back_mail(&pool->workers[i])) /* then nobody has woken those below it */
      for (unsigned low = i, count = 1; low < helpers; low = 2 * low + 2, count *= 2)
        absent += low + count < helpers ? count : helpers - low;
  return absent;
}

static void *work(void *argument) {
  worker *self = argument;
  lathe_pool *pool = self->pool;
  while (await_mail(self)) {
    const unsigned done = take_part(pool, (unsigned)self->index) + 1;
    /* Reset before the answer, since the next mail may follow immediately. */
    atomic_store_explicit(&self->mail, IDLE, memory_order_relaxed);
    if (atomic_fetch_sub(&pool->pending, done) == done && atomic_load(&pool->caller_sleeps))
      futex_wake(&pool->pending);
  }
  return NULL;
}

static void await_workers(lathe_pool *pool) {
  spinner s = {pool->spin_ns, 0, 0};
  do {
    if (atomic_load_explicit(&pool->pending, memory_order_acquire) == 0)
      return;
  } while (spin(&s));
  atomic_store(&pool->caller_sleeps, 1);
  unsigned pending;
  while ((pending = atomic_load(&pool->pending)) != 0)
    futex_wait(&pool->pending, pending);
  atomic_store(&pool->caller_sleeps, 0);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

void lathe_pool_run(lathe_pool *pool, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  if (count <= 0)
    return;
  if (grain < 1)
    grain = 1;
  const int64_t pieces = count / grain + (count % grain != 0);
  const int64_t team = smaller(smaller(pool->threads, slots), pieces);
  if (team <= 1 || atomic_exchange_explicit(&pool->busy, 1, memory_order_acquire)) {
    body(closure, 0, 0, count);
    return;
  }
  pool->body = body;
  pool->closure = closure;
  pool->count = count;
  pool->grain = grain;
  pool->pieces = pieces;
  pool->claim = pieces / (team * PIECES_PER_THREAD);
  if (pool->claim < 1)
    pool->claim = 1;
  cut_shares(pool, (uint64_t)pieces, (unsigned)smaller(team, MOST_SHARES));
  pool->helpers = (unsigned)(team - 1);
  atomic_store_explicit(&pool->pending, (unsigned)(team - 1), memory_order_relaxed);
  const unsigned absent = take_part(pool, 0);
  if (absent > 0) /* else the line of the answers stays with the workers */
    atomic_fetch_sub(&pool->pending, absent);
  await_workers(pool);
  atomic_store_explicit(&pool->busy, 0, memory_order_release);
}

int lathe_pool_threads(const lathe_pool *pool) { return pool->threads; }

int lathe_cpu_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    int cores = 0;
    for (int i = 0; i < CPU_SETSIZE; ++i)
      cores += CPU_ISSET(i, &set) != 0;
    return cores;
  }
  const long count = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than a cpu_set_t holds */
  return count > 0 && count < INT_MAX ? (int)count : 1;
}

static int start_worker(lathe_pool *pool, int index, const pthread_attr_t *attributes) {
  worker *w = &pool->workers[index - 1];
  w->index = index;
  w->pool = pool;
  return pthread_create(&w->thread, attributes, work, w);
}

/* Starts the workers. Returns the resulting number of threads, including the caller. */
static int start_workers(lathe_pool *pool, int threads) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return 1;
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  /* Signals go to the application's own threads. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int started = 1;
  while (started < threads && start_worker(pool, started, &attributes) == 0)
    ++started;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

lathe_pool *lathe_pool_create(int threads) {
  lathe_pool *pool = lathe_alloc(sizeof *pool + (size_t)(threads - 1) * sizeof(worker));
  if (!pool)
    return NULL;
  pool->spin_ns = threads > lathe_cpu_count() ? SPIN_NS_CROWDED : SPIN_NS;
  pool->threads = threads > 1 ? start_workers(pool, threads) : 1;
  if (pool->threads == threads)
    return pool;
  lathe_pool_destroy(pool);
  return NULL;
}

void lathe_pool_destroy(lathe_pool *pool) {
  for (int i = 0; i < pool->threads - 1; ++i)
    send_mail(&pool->workers[i], QUIT);
  for (int i = 0; i < pool->threads - 1; ++i)
    pthread_join(pool->workers[i].thread, NULL);
  lathe_free(pool);
}
