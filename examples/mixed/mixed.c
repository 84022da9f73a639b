/* Learns to tell things by image, note and numbers, as far as they are there, and how much each part is worth.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: mixed DATA_DIR OUT_DIR [--epochs E] [--samples N]
 */
#include "mixed.h"
#include "app.h"
#include "random.h"
#include "samples.h"

enum { BATCH = 32 };
static const double PEAK_RATE = 4e-3;
static void *state, *workspace;
static size_t size;
#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .error = &error
#define INPUTS(b)                                                                                                              \
  .B = (b)->count, .P = (b)->images_count, .T = (b)->words_count, .images = (b)->images, .image = (b)->image,                  \
  .words = (b)->words, .offsets = (b)->offsets, .rows = (b)->rows, .has_row = (b)->has_row

/* How many of a hundred of the chosen are told right by those of their parts that are in `parts`. */
static double test(const samples *s, const int32_t *chosen, int64_t count, int parts, batch *b) {
  int32_t *found = allocate((size_t)count * sizeof *found);
  int64_t right = 0;
  take_batch(s, chosen, count, parts, b);
  check(mixed_predict(&(mixed_predict_args){INPUTS(b), .found = found, REGIONS}));
  for (int64_t i = 0; i < count; ++i)
    right += found[i] == b->label[i];
  lathe_free(found);
  return 100.0 * (double)right / (double)count;
}

int main(int words_count, char **words) {
  check_words(words_count, words, "usage: mixed DATA_DIR OUT_DIR [--epochs E] [--samples N]");
  samples train = load_samples(words[1], "train"), held_back = load_samples(words[1], "test");
  const int64_t epochs = option(words, "--epochs", 12), wanted = option(words, "--samples", train.count), seed = 0;
  const int64_t count = wanted < train.count ? wanted : train.count, batches = count / BATCH, steps = batches * epochs;
  require(steps > 0, "there is nothing to do");
  size = mixed_train_workspace_size(BATCH, BATCH, BATCH * LONGEST);
  const size_t for_test = mixed_predict_workspace_size(held_back.count, held_back.count, held_back.count * LONGEST);
  size = size < for_test ? for_test : size;
  state = allocate(MIXED_STATE_SIZE);
  workspace = allocate(size);
  batch small = allocate_batch(BATCH), large = allocate_batch(held_back.count);
  const int64_t most = count > held_back.count ? count : held_back.count;
  int32_t *order = allocate((size_t)most * sizeof *order);
  float *losses = allocate((size_t)steps * sizeof *losses);

  check(mixed_init(&(mixed_init_args){.seed = &seed, REGIONS}));
  for (int32_t i = 0; i < count; ++i)
    order[i] = i;
  uint64_t random = 1;
  const double start = seconds();
  for (int64_t epoch = 0, t = 0; epoch < epochs; ++epoch) {
    double sum = 0;
    shuffle(&random, order, count);
    for (int64_t k = 0; k < batches; ++k, ++t) {
      const float rate = (float)cosine_rate(PEAK_RATE, t, steps);
      take_batch(&train, order + k * BATCH, BATCH, ALL, &small);
      check(mixed_train(&(mixed_train_args){INPUTS(&small), .label = small.label, .rate = &rate, .loss = &losses[t], REGIONS}));
      sum += losses[t];
    }
    printf("epoch %lld: loss %.4f, %.1f s\n", (long long)epoch + 1, sum / (double)batches, seconds() - start);
  }

  /* All that is held back, whatever it lacks; then those that lack nothing, and the same without a part. */
  int64_t whole = 0;
  for (int32_t i = 0; i < held_back.count; ++i)
    order[i] = i;
  double accuracy[5] = {test(&held_back, order, held_back.count, ALL, &large)};
  for (int32_t i = 0; i < held_back.count; ++i)
    if (parts_of(&held_back, i) == ALL)
      order[whole++] = i;
  static const int seen[] = {ALL, ALL & ~IMAGE, ALL & ~NOTE, ALL & ~ROW};
  static const char *const names[] = {"all three parts", "without the image", "without the note", "without the numbers"};
  printf("all %lld held back: %.1f %%\n", (long long)held_back.count, accuracy[0]);
  for (int i = 0; i < 4; ++i) {
    accuracy[i + 1] = test(&held_back, order, whole, seen[i], &large);
    printf("%lld that lack nothing, %s: %.1f %%\n", (long long)whole, names[i], accuracy[i + 1]);
  }
  store(words[2], "loss.npy", LATHE_F32, losses, (int64_t[4]){steps});
  store(words[2], "accuracy.npy", LATHE_F64, accuracy, (int64_t[4]){5});
  check(lathe_state_save(path(words[2], "state.safetensors"), mixed_info(), state, &error));
  release_samples(&train);
  release_samples(&held_back);
  release_batch(&small);
  release_batch(&large);
  void *regions[] = {state, workspace, order, losses};
  for (int i = 0; i < 4; ++i)
    lathe_free(regions[i]);
  return 0;
}
