/* Steps over ranks, which are threads, and contexts: `ranks-contexts RANKS CONTEXTS` compares them with those of one rank.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "lathe/ranks.h"
#include "many.h"
#include "one.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 36, STEPS = 2, MOST = 8 };

static float xs[STEPS][ROWS * 4], ys[STEPS][ROWS];
static int ranks, contexts;
static int64_t all_rows;

static void require(lathe_status status, const lathe_error *error) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(error);
  exit(1);
}

typedef struct outcome {
  float exact[STEPS], train[STEPS], exact_w[4], train_w[4];
} outcome;

typedef struct job {
  lathe_comm *comm;
  int rank;
  outcome result;
} job;

/* One rank with one context. */
static outcome alone(void) {
  outcome result;
  lathe_error error = {.status = LATHE_OK};
  static _Alignas(64) char state[ONE_STATE_SIZE], workspace[1 << 16];
  for (int which = 0; which < 2; ++which) {
    int64_t seed = 1;
    one_init_args init = {
        .seed = &seed, .state = state, .workspace = workspace, .workspace_size = sizeof workspace, .error = &error};
    require(one_init(&init), &error);
    for (int step = 0; step < STEPS; ++step) {
      one_exact_args exact = {.N = all_rows,
                              .x = xs[step],
                              .y = ys[step],
                              .loss = &result.exact[step],
                              .state = state,
                              .workspace = workspace,
                              .workspace_size = sizeof workspace,
                              .error = &error};
      one_train_args train = {.N = all_rows,
                              .x = xs[step],
                              .y = ys[step],
                              .loss = &result.train[step],
                              .state = state,
                              .workspace = workspace,
                              .workspace_size = sizeof workspace,
                              .error = &error};
      require(which ? one_train(&train) : one_exact(&exact), &error);
    }
    memcpy(which ? result.train_w : result.exact_w, one_state_w(state), sizeof result.exact_w);
  }
  return result;
}

static void *run(void *closure) {
  job *of = closure;
  lathe_error error = {.status = LATHE_OK};
  lathe_context *all[MOST];
  for (int i = 0; i < contexts; ++i)
    all[i] = lathe_context_create(1);
  all[0]->comm = of->comm;
  const int64_t rows = all_rows / ranks;
  char *state = lathe_alloc(MANY_STATE_SIZE), *workspace = lathe_alloc(1 << 16);
  for (int which = 0; which < 2; ++which) {
    int64_t seed = 1;
    many_init_args init = {
        .seed = &seed, .state = state, .workspace = workspace, .workspace_size = 1 << 16, .context = all[0], .error = &error};
    require(many_init(&init), &error);
    lathe_shards *shards = lathe_shards_create(many_info(), which ? "train" : "exact", all, contexts, &error);
    if (!shards)
      require(error.status, &error);
    require(lathe_shards_set_state(shards, state, &error), &error);
    for (int step = 0; step < STEPS; ++step) {
      const float *x = xs[step] + 4 * rows * of->rank, *y = ys[step] + rows * of->rank;
      many_exact_args exact = {.N = rows, .x = x, .y = y, .loss = &of->result.exact[step]};
      many_train_args train = {.N = rows, .x = x, .y = y, .loss = &of->result.train[step]};
#if DIMENSION
      exact.data = train.data = ranks;
#endif
      require(lathe_shards_step(shards, which ? (void *)&train : (void *)&exact, &error), &error);
    }
    require(lathe_shards_get_state(shards, state, &error), &error);
    memcpy(which ? of->result.train_w : of->result.exact_w, many_state_w(state), sizeof of->result.exact_w);
    lathe_shards_destroy(shards);
  }
  lathe_free(state), lathe_free(workspace);
  for (int i = 0; i < contexts; ++i)
    lathe_context_destroy(all[i]);
  return NULL;
}

static outcome together(void) {
  static job jobs[MOST];
  lathe_comm *comms[MOST];
  pthread_t threads[MOST];
  lathe_error error = {.status = LATHE_OK};
  const lathe_axis axis = {"data", ranks, 0};
  require(lathe_comm_create_local(&axis, 1, 60, comms, &error), &error);
  for (int rank = 0; rank < ranks; ++rank) {
    jobs[rank] = (job){.comm = comms[rank], .rank = rank};
    if (pthread_create(&threads[rank], NULL, run, &jobs[rank]) != 0)
      exit(1);
  }
  for (int rank = 0; rank < ranks; ++rank)
    pthread_join(threads[rank], NULL);
  for (int rank = 0; rank < ranks; ++rank) {
    lathe_comm_destroy(comms[rank]);
    if (memcmp(&jobs[rank].result, &jobs[0].result, sizeof(outcome)) != 0) {
      puts("the ranks differ");
      exit(1);
    }
  }
  return jobs[0].result;
}

static int is_near(const float *a, const float *b, int count) {
  for (int i = 0; i < count; ++i)
    if (!(fabsf(a[i] - b[i]) <= 1e-5f * fabsf(b[i])))
      return 0;
  return 1;
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  ranks = atoi(words[1]), contexts = atoi(words[2]);
  /* Means of small whole numbers are exact if they are of as many as a power of two. */
  const int is_exact = (ranks & (ranks - 1)) == 0 && (contexts & (contexts - 1)) == 0;
  all_rows = is_exact ? 16 : ROWS;
  unsigned drawn = 1;
  for (int step = 0; step < STEPS; ++step)
    for (int i = 0; i < ROWS * 5; ++i) {
      drawn = drawn * 1103515245u + 12345u;
      const float value = (float)((int)(drawn >> 28) % 3 - 1);
      *(i < ROWS * 4 ? &xs[step][i] : &ys[step][i - ROWS * 4]) = value;
    }
  const outcome one = alone(), first = together(), second = together();
  const int repeats = memcmp(&first, &second, sizeof first) == 0;
  const int agrees = is_exact ? memcmp(first.exact, one.exact, sizeof one.exact) == 0 &&
                                    memcmp(first.exact_w, one.exact_w, sizeof one.exact_w) == 0
                              : is_near(first.exact, one.exact, STEPS) && is_near(first.exact_w, one.exact_w, 4);
  const int is_close = is_near(first.train, one.train, STEPS) && is_near(first.train_w, one.train_w, 4);
  for (int step = 0; step < STEPS; ++step)
    printf("%.9g %.9g, %.9g %.9g\n", (double)one.exact[step], (double)first.exact[step], (double)one.train[step],
           (double)first.train[step]);
  printf("repeats %d, agrees %d, is close %d\n", repeats, agrees, is_close);
  return !(repeats && agrees && is_close);
}
