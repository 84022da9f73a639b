/* Trains a network on handwritten digits, then reads the ones it has not seen.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The network, its gradient and the optimiser are digits.mlir, compiled; here they are fed.
 */
#define _POSIX_C_SOURCE 200809L
#include "digits.h"
#include "dataset.h"
#include "options.h"
#include "terminal.h"

#include <math.h>
#include <sys/stat.h>

enum { BATCH = 32 };
static const double PEAK_RATE = 2e-3, PI = 3.14159265358979323846;

static lathe_error error;
static dataset data;
static float probability[TESTS * CLASSES];
static int32_t predictions[TESTS];

static void require(int condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "digits: %s\n", message);
  exit(1);
}

static void check(lathe_status status) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(&error);
  exit(1);
}

/* Fills the predictions; returns how many of a hundred are right. */
static double test(digits_predict_args *predict) {
  check(digits_predict(predict));
  int right = 0;
  for (int i = 0; i < TESTS; ++i) {
    const float *p = probability + i * CLASSES;
    predictions[i] = 0;
    for (int32_t digit = 1; digit < CLASSES; ++digit)
      if (p[digit] > p[predictions[i]])
        predictions[i] = digit;
    right += predictions[i] == data.test_labels[i];
  }
  return 100.0 * right / TESTS;
}

static void save(const char *name, lathe_array array) { check(lathe_npy_write(path(out, name), &array, &error)); }

/* On a GPU where one is asked for and there is one; else on the CPU. */
static lathe_context *make_context(void) {
  lathe_context *context = gpu ? lathe_context_create_cuda(0, &error) : NULL;
  if (gpu && !context) {
    lathe_error_print(&error);
    fprintf(stderr, "digits: on the CPU\n");
  }
  return context ? context : lathe_context_create((int)threads);
}

int main(int count, char **words) {
  require(count > 0 && parse_options(words + 1),
          "usage: digits [--seed S] [--epochs E] [--threads T] [--gpu] [--out DIR] [--quiet] DATA_DIR");
  uint64_t random = (uint64_t)seed;
  check(lathe_npy_read(path(source, "images.npy"), &data.images, &error));
  check(lathe_npy_read(path(source, "labels.npy"), &data.labels, &error));
  const char *problem = split(&data, &random);
  require(!problem, problem);
  mkdir(out, 0777);
  require(access(out, W_OK) == 0, "there is no folder for the results that can be written");

  const int64_t batches = (data.train_count + BATCH - 1) / BATCH, steps = batches * epochs;
  const size_t for_training = digits_train_step_workspace_size(BATCH), for_test = digits_predict_workspace_size(TESTS);
  const size_t size = for_training > for_test ? for_training : for_test;
  lathe_context *context = make_context();
  void *state = lathe_context_alloc(context, DIGITS_STATE_SIZE), *workspace = lathe_context_alloc(context, size);
  float *losses = lathe_alloc((size_t)steps * sizeof *losses);
  void *saved = lathe_alloc(DIGITS_STATE_SIZE); /* the state as files hold it */
  require(saved && state && workspace && losses && context, "out of memory");

  static float batch_images[BATCH * PIXELS];
  static int32_t batch_labels[BATCH];
  float rate;
#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .context = context, .error = &error
  digits_init_args init = {.seed = &seed, REGIONS};
  digits_train_step_args step = {.image = batch_images, .label = batch_labels, .learning_rate = &rate, REGIONS};
  digits_predict_args predict = {.N = TESTS, .image = data.test_images, .probability = probability, REGIONS};

  check(digits_init(&init));
  double accuracy = test(&predict), busy = 0;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    double sum = 0;
    shuffle(&random, data.train, data.train_count);
    for (int64_t b = 0; b < batches; ++b) {
      const int64_t first = b * BATCH, t = epoch * batches + b;
      const double start = seconds();
      step.N = take_batch(&data, &random, first, BATCH, batch_images, batch_labels);
      rate = (float)(PEAK_RATE / 2 * (1 + cos(PI * (double)t / (double)steps)));
      step.loss = &losses[t];
      check(digits_train_step(&step));
      busy += seconds() - start;
      sum += losses[t];
      if (b + 1 == batches)
        accuracy = test(&predict);
      if (!quiet)
        show_progress(epoch + 1, epochs, (double)(b + 1) / (double)batches, sum / (double)(b + 1), accuracy,
                      (double)(epoch * data.train_count + first + step.N) / busy);
    }
  }

  for (int i = 0; i < 8 && !quiet; i += 4)
    show_digits(data.test_images + i * PIXELS, SIDE, predictions + i, data.test_labels + i, 4);
  printf("accuracy: %.1f %%\n", accuracy);
  save("loss.npy", (lathe_array){LATHE_F32, 1, {steps}, losses, (size_t)steps * sizeof *losses});
  save("images.npy", (lathe_array){LATHE_F32, 4, {TESTS, SIDE, SIDE, 1}, data.test_images, sizeof data.test_images});
  save("predictions.npy", (lathe_array){LATHE_I32, 1, {TESTS}, predictions, sizeof predictions});
  save("labels.npy", (lathe_array){LATHE_I32, 1, {TESTS}, data.test_labels, sizeof data.test_labels});
  check(lathe_context_download(context, saved, state, DIGITS_STATE_SIZE, &error));
  check(lathe_state_save(path(out, "state.safetensors"), digits_info(), saved, &error));

  lathe_context_free(context, state);
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  lathe_array_release(&data.images);
  lathe_array_release(&data.labels);
  void *regions[] = {data.train, losses, saved};
  for (int i = 0; i < 3; ++i)
    lathe_free(regions[i]);
  return 0;
}
