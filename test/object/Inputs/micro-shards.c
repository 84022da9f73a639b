/* Steps over micro-batches, shared by 1, 2 and 4 contexts, against the entry itself. */
#include "lathe/runtime.h"
#include "step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3, MOST = 64, MOST_CONTEXTS = 4 };

static float x[STEPS][MOST * 3 * 5], y[STEPS][MOST * 3];

static void require(lathe_status status, const lathe_error *error) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(error);
  exit(1);
}

static step_step_args arguments(int64_t count, int step, float *loss) {
  return (step_step_args){.M = count, .x = x[step], .y = y[step], .loss = loss};
}

/* The state that steps begin with. */
static void *initial_state(void) {
  float *state = lathe_alloc(STEP_STATE_SIZE);
  for (int i = 0; i < 5; ++i)
    step_state_w(state)[i] = 0.25f;
  return state;
}

static void run_alone(int64_t count, void *state, float *losses) {
  lathe_error error = {0};
  const size_t size = step_step_workspace_size(count);
  void *workspace = lathe_alloc(size);
  for (int step = 0; step < STEPS; ++step) {
    step_step_args args = arguments(count, step, &losses[step]);
    args.state = state, args.workspace = workspace, args.workspace_size = size, args.error = &error;
    require(step_step(&args), &error);
  }
  lathe_free(workspace);
}

static void run_shared(int64_t count, int shares, void *state, float *losses) {
  lathe_error error = {0};
  lathe_context *contexts[MOST_CONTEXTS];
  for (int i = 0; i < shares; ++i)
    contexts[i] = lathe_context_create(1);
  lathe_shards *shards = lathe_shards_create(step_info(), "step", contexts, shares, &error);
  require(shards ? LATHE_OK : error.status, &error);
  require(lathe_shards_set_state(shards, state, &error), &error);
  for (int step = 0; step < STEPS; ++step) {
    step_step_args args = arguments(count, step, &losses[step]);
    require(lathe_shards_step(shards, &args, &error), &error);
  }
  require(lathe_shards_get_state(shards, state, &error), &error);
  lathe_shards_destroy(shards);
  for (int i = 0; i < shares; ++i)
    lathe_context_destroy(contexts[i]);
}

static double difference(const float *a, const float *b, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; ++i)
    largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
  return largest;
}

int main(int words, char **word) {
  const int64_t count = words > 1 ? atoll(word[1]) : 6;
  uint32_t random = 1;
  for (int step = 0; step < STEPS; ++step)
    for (size_t i = 0; i < MOST * 3 * 5; ++i) {
      random = random * 1664525u + 1013904223u;
      x[step][i] = (float)(random >> 8) / (1 << 23) - 1;
      y[step][i / 5] = x[step][i] * 2;
    }
  float losses[STEPS];
  void *state = initial_state();
  run_alone(count, state, losses);
  for (int shares = 1; shares <= MOST_CONTEXTS; shares *= 2) {
    float shared[STEPS];
    void *other = initial_state();
    run_shared(count, shares, other, shared);
    const int is_same = memcmp(losses, shared, sizeof losses) == 0 && memcmp(state, other, STEP_STATE_SIZE) == 0;
    const double off = fmax(difference(losses, shared, STEPS), difference(step_state_w(state), step_state_w(other), 5));
    printf("%d contexts: %s\n", shares, is_same ? "the same bits" : off < 1e-5 ? "they agree" : "they differ");
    lathe_free(other);
  }
  lathe_free(state);
  return 0;
}
