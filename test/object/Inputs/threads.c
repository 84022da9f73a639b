/* Two host threads in one object at once, each with a state, a workspace and a context of two threads of its own; then both
 * read one state. Results are those of one thread, bit for bit. With SHARE both use one workspace, which is a race to be
 * noticed. */
#include "call.h"
#include <pthread.h>

const lathe_module_info *INFO(void);

typedef struct work {
  const lathe_module_info *module;
  const char *function;
  int64_t size;
  uint32_t salt;
  void *state;
  lathe_context *context;
  void *shared_workspace;
  call result;
} work;

static void *serve(void *pointer) {
  work *w = pointer;
  prepare(&w->result, w->module, w->function, w->size, w->salt, w->state, w->context);
  if (w->shared_workspace)
    set_pointer(&w->result, w->result.function->workspace_offset, w->shared_workspace);
  for (int step = 0; step < 2; ++step)
    run(&w->result);
  return NULL;
}

static void serve_at_once(work *both) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    if (pthread_create(&threads[i], NULL, serve, &both[i]) != 0)
      exit(9);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
}

/* Both at once, then each alone without a context, from copies of the same states. */
static int check(work both[2]) {
  const size_t state_size = both[0].module->state_size;
  work alone[2];
  int faults = 0;
  for (int i = 0; i < 2; ++i) {
    alone[i] = both[i];
    alone[i].context = NULL;
    alone[i].shared_workspace = NULL;
    alone[i].state = memcpy(exact(state_size), both[i].state, state_size);
    serve(&alone[i]);
  }
  serve_at_once(both);
  for (int i = 0; i < 2; ++i) {
    if (!same_outputs(&both[i].result, &alone[i].result) || memcmp(both[i].state, alone[i].state, state_size) != 0) {
      printf("%s %d: not the results of one thread\n", both[i].function, i);
      ++faults;
    }
    release(&both[i].result);
    release(&alone[i].result);
    free(alone[i].state);
  }
  return faults;
}

int main(void) {
  const lathe_module_info *module = INFO();
  work both[2];
  memset(both, 0, sizeof both);
  for (int i = 0; i < 2; ++i) {
    const work w = {.module = module,
                    .function = "train_step",
                    .size = 7 + i,
                    .salt = 1 + 10u * (uint32_t)i,
                    .state = make_state(module, NULL),
                    .context = lathe_context_create(2)};
    both[i] = w;
  }
#ifdef SHARE
  both[0].shared_workspace = both[1].shared_workspace = exact(1 << 22);
#endif
  int faults = check(both);
  void *own = both[1].state;
  both[1].state = both[0].state;
  both[0].function = both[1].function = "predict";
  faults += check(both);
  free(both[0].state);
  free(own);
  for (int i = 0; i < 2; ++i)
    lathe_context_destroy(both[i].context);
#ifdef SHARE
  free(both[0].shared_workspace);
#endif
  printf("threads: %d faults\n", faults);
  return faults != 0;
}
