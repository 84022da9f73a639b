/* The digits' training split over the contexts that the command line names, against one context.
 *
 *   shards cpu,cpu,gpu0 ROWS      steps of ROWS examples: losses as one context's, and the same bits when repeated
 *   shards cpu,gpu0 ROWS fails    a device that fails: the status tells, the state is as it was, other contexts go on
 *   shards cpu,cpu ROWS time      how much faster than only the first context
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "digits.h"
#include "lathe/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROWS = 64, STEPS = 3, PIXELS = 256, MOST_CONTEXTS = 16 };

static float images[STEPS][MOST_ROWS * PIXELS];
static int32_t labels[STEPS][MOST_ROWS];
static int64_t rows;

typedef struct outcome {
  float losses[STEPS];
  void *state;
} outcome;

static void require(lathe_status status, const lathe_error *error) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(error);
  exit(1);
}

static void *initial_state(void) {
  lathe_error error = {0};
  void *state = lathe_alloc(DIGITS_STATE_SIZE), *workspace = lathe_alloc(digits_init_workspace_size());
  int64_t seed = 3;
  digits_init_args init = {
      .seed = &seed, .state = state, .workspace = workspace, .workspace_size = digits_init_workspace_size(), .error = &error};
  require(digits_init(&init), &error);
  lathe_free(workspace);
  return state;
}

static digits_train_step_args arguments(int step, float *loss) {
  static float rate = 1e-3f;
  return (digits_train_step_args){
      .N = rows, .image = images[step], .label = labels[step], .learning_rate = &rate, .loss = loss};
}

static int open_contexts(char *names, lathe_context **contexts) {
  int count = 0;
  for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
    lathe_error error = {0};
    contexts[count] =
        strncmp(name, "gpu", 3) == 0 ? lathe_context_create_cuda(atoi(name + 3), &error) : lathe_context_create(1);
    if (!contexts[count++])
      require(error.status, &error);
  }
  return count;
}

/* Without shards: the entry itself. */
static outcome train_alone(lathe_context *context) {
  outcome result = {.state = initial_state()};
  lathe_error error = {0};
  const size_t size = digits_train_step_workspace_size(rows);
  void *state = lathe_context_alloc(context, DIGITS_STATE_SIZE), *workspace = lathe_context_alloc(context, size);
  require(lathe_context_upload(context, state, result.state, DIGITS_STATE_SIZE, &error), &error);
  for (int step = 0; step < STEPS; ++step) {
    digits_train_step_args args = arguments(step, &result.losses[step]);
    args.state = state, args.workspace = workspace, args.workspace_size = size;
    args.context = context, args.error = &error;
    require(digits_train_step(&args), &error);
  }
  require(lathe_context_download(context, result.state, state, DIGITS_STATE_SIZE, &error), &error);
  lathe_context_free(context, state);
  lathe_context_free(context, workspace);
  return result;
}

static lathe_shards *split(lathe_context **contexts, int count, const void *state) {
  lathe_error error = {0};
  lathe_shards *shards = lathe_shards_create(digits_info(), "train_step", contexts, count, &error);
  if (!shards)
    require(error.status, &error);
  require(lathe_shards_set_state(shards, state, &error), &error);
  return shards;
}

static outcome train_split(lathe_context **contexts, int count) {
  outcome result = {.state = initial_state()};
  lathe_error error = {0};
  lathe_shards *shards = split(contexts, count, result.state);
  for (int step = 0; step < STEPS; ++step) {
    digits_train_step_args args = arguments(step, &result.losses[step]);
    require(lathe_shards_step(shards, &args, &error), &error);
  }
  require(lathe_shards_get_state(shards, result.state, &error), &error);
  lathe_shards_destroy(shards);
  return result;
}

static int compare(lathe_context **contexts, int count) {
  outcome alone = train_alone(contexts[0]), first = train_split(contexts, count), second = train_split(contexts, count);
  int differs = 0;
  for (int step = 0; step < STEPS; ++step) {
    printf("step %d: %.6f %.6f\n", step, alone.losses[step], first.losses[step]);
    differs |= !(fabsf(alone.losses[step] - first.losses[step]) <= 1e-5f * fabsf(alone.losses[step]));
  }
  const int repeats = memcmp(first.losses, second.losses, sizeof first.losses) == 0 &&
                      memcmp(first.state, second.state, DIGITS_STATE_SIZE) == 0;
  const int same =
      memcmp(first.losses, alone.losses, sizeof first.losses) == 0 && memcmp(first.state, alone.state, DIGITS_STATE_SIZE) == 0;
  puts(differs ? "they differ" : same ? "they agree to the bit" : "they agree");
  puts(repeats ? "they repeat" : "they do not repeat");
  lathe_free(alone.state), lathe_free(first.state), lathe_free(second.state);
  return differs || !repeats;
}

static int fails(lathe_context **contexts, int count) {
  void *before = initial_state(), *after = lathe_alloc(DIGITS_STATE_SIZE);
  lathe_error error = {0};
  lathe_shards *shards = split(contexts, count, before);
  float loss;
  digits_train_step_args args = arguments(0, &loss);
  const lathe_status status = lathe_shards_step(shards, &args, &error);
  printf("%s: ", lathe_status_name(status));
  fflush(stdout);
  lathe_error_print(&error);
  require(lathe_shards_get_state(shards, after, &error), &error);
  const int kept = memcmp(before, after, DIGITS_STATE_SIZE) == 0;
  puts(kept ? "the state is as it was" : "the state has changed");
  lathe_shards_destroy(shards);
  lathe_free(before), lathe_free(after);
  return status == LATHE_OK || !kept || compare(contexts, 1);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The quickest of some steps, for cores may be shared. */
static double quickest(lathe_shards *shards, double least) {
  for (int i = 0; i < 20; ++i) {
    float loss;
    lathe_error error = {0};
    digits_train_step_args args = arguments(i % STEPS, &loss);
    const double begin = seconds();
    require(lathe_shards_step(shards, &args, &error), &error);
    least = fmin(least, seconds() - begin);
  }
  return least;
}

/* By turns, so that both see the same machine. */
static void compare_times(lathe_context **contexts, int count) {
  void *state = initial_state();
  lathe_shards *alone = split(contexts, 1, state), *shards = split(contexts, count, state);
  double one = INFINITY, all = INFINITY;
  for (int turn = 0; turn < 50; ++turn) {
    one = quickest(alone, one);
    all = quickest(shards, all);
  }
  printf("one context %.3f ms, %d contexts %.3f ms: %.2f times as fast\n", 1e3 * one, count, 1e3 * all, one / all);
  lathe_shards_destroy(alone);
  lathe_shards_destroy(shards);
  lathe_free(state);
}

/* Mistakes of a caller; each is reported. */
static void misuse(lathe_context **contexts, int count) {
  lathe_error error = {0};
  void *state = initial_state();
  lathe_shards *shards = split(contexts, count, state);
  float loss;
  digits_train_step_args args = arguments(0, &loss);
  args.label = NULL;
  (void)lathe_shards_step(shards, &args, &error), lathe_error_print(&error);
  args = arguments(0, &loss), args.N = 5000;
  (void)lathe_shards_step(shards, &args, &error), lathe_error_print(&error);
  args = arguments(0, NULL);
  (void)lathe_shards_step(shards, &args, &error), lathe_error_print(&error);
  lathe_shards_destroy(shards);
  lathe_free(state);
  lathe_context *twice[] = {contexts[0], contexts[0]};
  (void)lathe_shards_create(digits_info(), "train_step", twice, 2, &error), lathe_error_print(&error);
  (void)lathe_shards_create(digits_info(), "predict", contexts, count, &error), lathe_error_print(&error);
  (void)lathe_shards_create(digits_info(), "nothing", contexts, count, &error), lathe_error_print(&error);
  (void)lathe_shards_create(digits_info(), "train_step", contexts, 0, &error), lathe_error_print(&error);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  unsigned random = 1;
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < MOST_ROWS * PIXELS; ++i)
      images[step][i] = (float)((random = random * 1664525u + 1013904223u) >> 8) / (float)(1 << 24);
    for (int i = 0; i < MOST_ROWS; ++i)
      labels[step][i] = i % 10;
  }
  rows = atoi(argv[2]);
  lathe_context *contexts[MOST_CONTEXTS];
  const int count = open_contexts(argv[1], contexts);
  const char *mode = argc > 3 ? argv[3] : "";
  int result = 0;
  if (strcmp(mode, "fails") == 0)
    result = fails(contexts, count);
  else if (strcmp(mode, "misuse") == 0)
    misuse(contexts, count);
  else if (strcmp(mode, "time") == 0)
    compare_times(contexts, count);
  else
    result = compare(contexts, count);
  for (int i = 0; i < count; ++i)
    lathe_context_destroy(contexts[i]);
  return result;
}
