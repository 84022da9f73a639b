/* Tunes a published network, which tells the types of files, until it knows one more: MLIR.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: finetune DATA_DIR OUT_DIR [--epochs E] [--rate R] [--files N]
 *
 * R is the first learning rate in millionths; N files are learned from, at most, and half as many held back. Leaves
 * tuned.safetensors, loss.npy (f32[steps]), least.npy (f64[1]), the least possible loss, times.npy (f64[1]), the seconds of a
 * file, before.npy and after.npy (f32[files][214]), the probabilities of the files held back, new.npy, their classes, and
 * sample.npy, the probabilities of the samples before, in OUT_DIR.
 */
#include "network.h"
#include "random.h"

/* What is wanted of each file: of a known one all that the network says of it now, so that it forgets nothing; of a new one the
 * new label. */
static float *wanted_of(network *n, const file_list *files) {
  float *wanted = predict(n, files->bytes, files->count);
  for (int64_t i = 0; i < files->count; ++i)
    if (files->is_new[i]) {
      memset(wanted + i * LABELS, 0, LABELS * sizeof *wanted);
      wanted[i * LABELS + NEW] = 1;
    }
  return wanted;
}

/* The loss that is left when the network says just what is wanted: its own doubts about the known files. */
static double entropy(const float *wanted, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count * LABELS; ++i)
    sum -= wanted[i] > 0 ? (double)wanted[i] * log((double)wanted[i]) : 0;
  return sum / (double)count;
}

/* Goes through all whole batches so many times; the loss of each step. */
static float *train(network *n, const file_list *files, const float *wanted, int64_t epochs, double peak, int64_t *steps) {
  float *some = allocate(BATCH * LABELS * sizeof *some);
  int32_t *batch = allocate(BATCH * SEEN * sizeof *batch), *order = allocate((size_t)files->count * sizeof *order);
  const int64_t batches = files->count / BATCH, all = *steps = batches * epochs;
  require(all > 0, "there is nothing to do");
  float *losses = allocate((size_t)all * sizeof *losses);
  for (int32_t i = 0; i < files->count; ++i)
    order[i] = i;
  uint64_t random = 1;
  const double start = seconds();
  for (int64_t epoch = 0, t = 0; epoch < epochs; ++epoch) {
    double sum = 0;
    shuffle(&random, order, files->count);
    for (int64_t k = 0; k < batches; ++k, ++t) {
      for (int64_t i = 0; i < BATCH; ++i) {
        memcpy(batch + i * SEEN, files->bytes + (int64_t)order[k * BATCH + i] * SEEN, SEEN * sizeof *batch);
        memcpy(some + i * LABELS, wanted + (int64_t)order[k * BATCH + i] * LABELS, LABELS * sizeof *some);
      }
      const float rate = (float)cosine_rate(peak, t, all);
      check(finetune_train(
          &(finetune_train_args){.bytes = batch, .wanted = some, .rate = &rate, .loss = &losses[t], REGIONS(n)}));
      sum += losses[t];
    }
    printf("epoch %lld: loss %.4f, %.1f s\n", (long long)epoch + 1, sum / (double)batches, seconds() - start);
  }
  void *regions[] = {some, batch, order};
  for (int i = 0; i < 3; ++i)
    lathe_free(regions[i]);
  return losses;
}

int main(int words_count, char **words) {
  check_words(words_count, words, "usage: finetune DATA_DIR OUT_DIR [--epochs E] [--rate R] [--files N]");
  const int64_t epochs = option(words, "--epochs", 4), rate = option(words, "--rate", 3000), seed = 0;
  const int64_t most = option(words, "--files", INT64_MAX);
  file_list samples = read_list(path(words[1], "samples.txt"), INT64_MAX);
  file_list lessons = read_list(path(words[1], "train.txt"), most), held_back = read_list(path(words[1], "test.txt"), most / 2);
  network n = make_network(), reloaded = make_network();
  check(finetune_init(&(finetune_init_args){.seed = &seed, REGIONS(&n)}));
  float *sample = predict(&n, samples.bytes, samples.count);
  const double start = seconds();
  float *before = predict(&n, held_back.bytes, held_back.count);
  const double time = (seconds() - start) / (double)(held_back.count > 0 ? held_back.count : 1);

  float *wanted = wanted_of(&n, &lessons);
  const double least = entropy(wanted, lessons.count);
  printf("least possible loss: %.4f\n", least);
  int64_t steps;
  float *losses = train(&n, &lessons, wanted, epochs, 1e-6 * (double)rate, &steps);
  check(lathe_state_save(path(words[2], "tuned.safetensors"), finetune_info(), n.state, &error));
  check(lathe_state_load(path(words[2], "tuned.safetensors"), finetune_info(), reloaded.state, &error));
  float *after = predict(&reloaded, held_back.bytes, held_back.count);

  store(words[2], "loss.npy", LATHE_F32, losses, (int64_t[4]){steps});
  store(words[2], "least.npy", LATHE_F64, &least, (int64_t[4]){1});
  store(words[2], "times.npy", LATHE_F64, &time, (int64_t[4]){1});
  store(words[2], "new.npy", LATHE_I32, held_back.is_new, (int64_t[4]){held_back.count});
  store(words[2], "sample.npy", LATHE_F32, sample, (int64_t[4]){samples.count, LABELS});
  store(words[2], "before.npy", LATHE_F32, before, (int64_t[4]){held_back.count, LABELS});
  store(words[2], "after.npy", LATHE_F32, after, (int64_t[4]){held_back.count, LABELS});
  void *regions[] = {sample, before, wanted, losses, after};
  for (int i = 0; i < 5; ++i)
    lathe_free(regions[i]);
  file_list *lists[] = {&samples, &lessons, &held_back};
  for (int i = 0; i < 3; ++i)
    release_list(lists[i]);
  release_network(&n);
  release_network(&reloaded);
  return 0;
}
