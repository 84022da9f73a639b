/* Calls every entry of the objects whose tables modules.h lists, M(digits_info) for one, in a real-time context of clang's
 * RealtimeSanitizer: without a context and, where the entry takes one, with a host's own pool. The sanitizer ends the program
 * at the first call that may block.
 *
 *   realtime                   calls all entries
 *   realtime PLACE WHAT        plants a blocking call: PLACE is worker, caller, print or extern; WHAT is malloc, lock or write
 *   realtime runtime           calls all entries with the runtime's own pool
 *   realtime runtime-print     prints with the runtime's own hook */
#include "call.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define M(INFO) const lathe_module_info *INFO(void);
#include "modules.h"
#undef M

#define REALTIME __attribute__((nonblocking))

enum { TYPICAL_SIZE = 8, CHUNKS_PER_THREAD = 8 };

static const char *planted_place = "", *planted_call = "";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile kept; /* so that no allocation is optimised away */
static volatile ssize_t written;

static void plant(const char *place) {
  if (strcmp(planted_place, place) != 0)
    return;
  if (strcmp(planted_call, "malloc") == 0)
    kept = malloc(1);
  else if (strcmp(planted_call, "lock") == 0 && pthread_mutex_lock(&lock) == 0)
    pthread_mutex_unlock(&lock);
  else if (strcmp(planted_call, "write") == 0)
    written = write(STDOUT_FILENO, "\n", 1);
}

/* A host's pool: the caller and one worker, each with every other chunk. Both wait by reading memory again and again. Only the
 * idle worker makes system calls, before it enters a real-time context. */
typedef struct host {
  lathe_context context; /* first: entries see this part */
  lathe_body body;
  void *closure;
  int64_t count, chunk;
  int64_t worker_chunks;
  atomic_int posted, done; /* numbers of loops */
  atomic_int quit;
  pthread_t thread;
} host;

static int64_t run_chunks(host *h, int64_t slot) {
  int64_t ran = 0;
  for (int64_t begin = slot * h->chunk; begin < h->count; begin += 2 * h->chunk, ++ran)
    h->body(h->closure, slot, begin, h->count - begin < h->chunk ? h->count : begin + h->chunk);
  return ran;
}

REALTIME static void serve(host *h) {
  plant("worker");
  h->worker_chunks += run_chunks(h, 1);
}

static void *work(void *argument) {
  host *h = argument;
  for (int seen = 0; !atomic_load(&h->quit);) {
    const int posted = atomic_load(&h->posted);
    if (posted == seen) {
      sched_yield();
      continue;
    }
    seen = posted;
    serve(h);
    atomic_store(&h->done, seen);
  }
  return NULL;
}

static void parallel_for(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  host *h = (host *)context;
  plant("caller");
  if (slots < 2) {
    body(closure, 0, 0, count);
    return;
  }
  const int64_t grains = (count + grain - 1) / grain, most = 2 * CHUNKS_PER_THREAD;
  h->body = body;
  h->closure = closure;
  h->count = count;
  h->chunk = (grains + most - 1) / most * grain;
  const int number = atomic_load(&h->posted) + 1;
  atomic_store(&h->posted, number);
  run_chunks(h, 0);
  while (atomic_load(&h->done) != number)
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    ;
#endif
}

static void print(lathe_context *context, const lathe_print_info *info, const int64_t *extents, const void *data,
                  const uint8_t *mask) {
  (void)context, (void)info, (void)extents, (void)data, (void)mask;
  plant("print");
}

static void start(host *h) {
  memset(h, 0, sizeof *h);
  h->context.abi_version = LATHE_ABI_VERSION;
  h->context.cpu_level = lathe_cpu_level();
  h->context.parallel_for = parallel_for;
  h->context.print = strcmp(planted_place, "runtime-print") == 0 ? lathe_print : print;
  if (pthread_create(&h->thread, NULL, work, h) != 0)
    exit(9);
}

static void stop(host *h) {
  atomic_store(&h->quit, 1);
  pthread_join(h->thread, NULL);
}

#ifdef EXTERN
/* The function of Inputs/realtime.mlir. */
lathe_status tap(const float *in0, const int64_t in0_shape[1], float *out0, const int64_t out0_shape[1]) {
  plant("extern");
  if (in0_shape[0] != out0_shape[0])
    return LATHE_ERROR_EXTERN;
  memcpy(out0, in0, (size_t)in0_shape[0] * sizeof *out0);
  return LATHE_OK;
}
#endif

REALTIME static lathe_status call_entry(const call *c) { return c->function->call(c->args); }

/* Runs from a copy of the state, so that no call sees what random inputs have made of it. */
static void run_entry(const lathe_module_info *module, const lathe_function_info *function, const void *initial,
                      lathe_context *context) {
  call c;
  void *state = NULL;
  if (initial)
    state = memcpy(exact(module->state_size), initial, module->state_size);
  prepare(&c, module, function->name, TYPICAL_SIZE, 1, state, context);
  if (call_entry(&c) != LATHE_OK) {
    lathe_error_print(&c.error);
    exit(8);
  }
  release(&c);
  free(state);
}

#define M(INFO) INFO,
static const lathe_module_info *(*const modules[])(void) = {
#include "modules.h"
};
#undef M

int main(int words_count, char **words) {
  if (words_count > 1)
    planted_place = words[1];
  if (words_count > 2)
    planted_call = words[2];
  host h;
  start(&h);
  lathe_context *runtime = NULL;
  if (strcmp(planted_place, "runtime") == 0) {
    runtime = lathe_context_create(2);
    runtime->print = NULL;
  }
  int entries = 0, with_pool = 0;
  for (size_t m = 0; m < sizeof modules / sizeof *modules; ++m) {
    const lathe_module_info *module = modules[m]();
    void *state = make_state(module, NULL); /* after init */
    for (uint32_t i = 0; i < module->function_count; ++i, ++entries) {
      const lathe_function_info *function = &module->functions[i];
      run_entry(module, function, state, NULL);
      if (function->context_offset == LATHE_ABSENT)
        continue;
      run_entry(module, function, state, &h.context);
      ++with_pool;
      for (int tries = 0; runtime && tries < 1000; ++tries) { /* the pool blocks when its worker sleeps or takes long */
        run_entry(module, function, state, runtime);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      }
    }
    free(state);
  }
  stop(&h);
  lathe_context_destroy(runtime);
  printf("%d entries, %d of them with a host's pool as well\n", entries, with_pool);
  printf("chunks of the pool's worker: %lld\n", (long long)h.worker_chunks);
  return 0;
}
