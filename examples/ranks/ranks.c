/* Trains the character transformer on all ranks of an MPI job: each has its share of the texts of a step.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: mpirun -n RANKS ranks DATA_DIR OUT_DIR [--steps S] [--threads T] [--save-every S] [--resume 1]
 */
#include "app.h"
#include "lathe/mpi.h"
#include "random.h"
#include "transformer.h"

enum { TEXTS = 32, LENGTH = 64, ALL_STEPS = 150 };
static const double PEAK_RATE = 2e-3, WARM_UP = 20, TIMEOUT = 60;

static float rate_at(int64_t t) { return (float)(fmin((double)(t + 1) / WARM_UP, 1) * cosine_rate(PEAK_RATE, t, ALL_STEPS)); }

/* Draws the texts of a step. All ranks draw the same ones, so that the job sees the same texts for any number of ranks. */
static void draw_step(const lathe_array *text, uint64_t *random, int32_t *pieces) {
  for (int k = 0; k < TEXTS; ++k) {
    const uint64_t place = random_below(random, text->extents[0] - LENGTH);
    memcpy(pieces + k * (LENGTH + 1), (const int32_t *)text->data + place, (LENGTH + 1) * sizeof *pieces);
  }
}

static int compare_times(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

/* This rank's end of the job, with what its entries need. */
typedef struct rank {
  lathe_comm *comm;
  lathe_context *context;
  void *state, *workspace;
  size_t workspace_size;
  int64_t texts; /* of a step, on this rank */
} rank;

static rank join(int64_t threads) {
  rank self = {0};
  const lathe_axis axes[] = {{"data", 0, 0}}; /* 0: all ranks */
  check(lathe_comm_create_mpi(NULL, axes, 1, TIMEOUT, &self.comm, &error));
  require(TEXTS % self.comm->size == 0, "the number of ranks divides 32");
  self.texts = TEXTS / self.comm->size;
  self.context = lathe_context_create((int)threads);
  require(self.context != NULL, "no threads");
  self.context->comm = self.comm;
  self.state = allocate(TRANSFORMER_STATE_SIZE);
  const size_t train = transformer_train_workspace_size(self.texts, self.comm->size);
  self.workspace_size = train > TRANSFORMER_INIT_WORKSPACE_SIZE ? train : TRANSFORMER_INIT_WORKSPACE_SIZE;
  self.workspace = allocate(self.workspace_size);
  return self;
}

#define REGIONS                                                                                                                \
  .state = self.state, .workspace = self.workspace, .workspace_size = self.workspace_size, .context = self.context,            \
  .error = &error

int main(int count, char **words) {
  check_words(count, words,
              "usage: mpirun -n RANKS ranks DATA_DIR OUT_DIR [--steps S] [--threads T] [--save-every S] [--resume 1]");
  const int64_t steps = option(words, "--steps", 40), every = option(words, "--save-every", 0), seed = 0;
  require(steps > 0, "there is nothing to do");
  lathe_array text = load(words[1], "train.npy", LATHE_I32, 1);
  rank self = join(option(words, "--threads", 1));
  const int is_first = self.comm->rank == 0;
  char checkpoints[4096];
  snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", words[2]);

  check(transformer_init(&(transformer_init_args){.seed = &seed, REGIONS}));
  if (option(words, "--resume", 0))
    check(lathe_state_load_ranks(checkpoints, transformer_info(), self.state, self.comm, &error));
  float *losses = allocate((size_t)steps * sizeof *losses);
  double *times = allocate((size_t)steps * sizeof *times);
  static int32_t pieces[TEXTS * (LENGTH + 1)];
  uint64_t random = 1;
  for (int64_t t = 0; t < steps; ++t) {
    const float rate = rate_at(t);
    draw_step(&text, &random, pieces);
    const double begin = seconds();
    check(transformer_train(&(transformer_train_args){.B = self.texts,
                                                      .data = self.comm->size,
                                                      .text = pieces + self.comm->rank * self.texts * (LENGTH + 1),
                                                      .rate = &rate,
                                                      .loss = &losses[t],
                                                      REGIONS}));
    times[t] = seconds() - begin;
    if (every && (t + 1) % every == 0)
      check(lathe_state_save_ranks(checkpoints, transformer_info(), self.state, self.comm, &error));
    if (is_first && ((t + 1) % 10 == 0 || t + 1 == steps))
      printf("step %lld: %.3f bits a character\n", (long long)t + 1, losses[t] / log(2));
  }
  if (is_first) {
    store(words[2], "loss.npy", LATHE_F32, losses, (int64_t[4]){steps});
    check(lathe_state_save(path(words[2], "state.safetensors"), transformer_info(), self.state, &error));
    qsort(times, (size_t)steps, sizeof *times, compare_times);
    printf("%lld rank%s of %lld texts: %.1f ms a step (median), %.1f (least)\n", (long long)self.comm->size,
           self.comm->size == 1 ? "" : "s", (long long)self.texts, 1e3 * times[steps / 2], 1e3 * times[0]);
  }
  lathe_context_destroy(self.context);
  lathe_comm_destroy(self.comm);
  lathe_array_release(&text);
  void *regions[] = {self.state, self.workspace, losses, times};
  for (int i = 0; i < 4; ++i)
    lathe_free(regions[i]);
  return 0;
}
