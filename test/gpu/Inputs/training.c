/* Some steps of the digits' training on the CPU and on GPUs, side by side: the same losses, the same state.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "digits.h"
#include "lathe/runtime.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4, STEPS = 4, PIXELS = 256 };

static float images[STEPS][BATCH * PIXELS];
static int32_t labels[STEPS][BATCH];

typedef struct outcome {
  int device;    /* -1: the CPU */
  int on_device; /* arguments too, and no waiting between steps */
  float losses[STEPS];
  float *state;
  int failed;
} outcome;

static void require(lathe_status status, const lathe_error *error, outcome *result) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(error);
  result->failed = 1;
}

static void *train(void *argument) {
  outcome *result = argument;
  lathe_error error = {0};
  lathe_context *context = result->device < 0 ? lathe_context_create(1) : lathe_context_create_cuda(result->device, &error);
  if (!context) {
    lathe_error_print(&error);
    result->failed = 1;
    return NULL;
  }
  const size_t size = digits_train_step_workspace_size(BATCH);
  void *state = lathe_context_alloc(context, DIGITS_STATE_SIZE), *workspace = lathe_context_alloc(context, size);
  int64_t seed = 3;
  float rate = 1e-3f;
#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .context = context, .error = &error
  digits_init_args init = {.seed = &seed, REGIONS};
  require(digits_init(&init), &error, result);

  float *device_images = NULL, *device_rate = NULL, *device_losses = NULL;
  int32_t *device_labels = NULL;
  if (result->on_device) {
    device_images = lathe_context_alloc(context, sizeof images);
    device_labels = lathe_context_alloc(context, sizeof labels);
    device_rate = lathe_context_alloc(context, sizeof rate);
    device_losses = lathe_context_alloc(context, 16 * STEPS);
    require(lathe_context_upload(context, device_images, images, sizeof images, &error), &error, result);
    require(lathe_context_upload(context, device_labels, labels, sizeof labels, &error), &error, result);
    require(lathe_context_upload(context, device_rate, &rate, sizeof rate, &error), &error, result);
    context->device_arguments = UINT64_MAX;
    lathe_context_set_asynchronous(context, 1);
  }
  static float batch_images[2][BATCH * PIXELS];
  static int32_t batch_labels[2][BATCH];
  float *own_images = batch_images[result->device < 0 ? 0 : 1];
  int32_t *own_labels = batch_labels[result->device < 0 ? 0 : 1];
  for (int step = 0; step < STEPS; ++step) {
    digits_train_step_args args = {
        .N = BATCH, .image = own_images, .label = own_labels, .learning_rate = &rate, .loss = &result->losses[step], REGIONS};
    if (result->on_device) {
      args.image = device_images + step * BATCH * PIXELS;
      args.label = device_labels + step * BATCH;
      args.learning_rate = device_rate;
      args.loss = device_losses + 4 * step; /* 16 bytes apart */
    } else {                                /* at the same addresses in each step, so that what runs can be recorded */
      memcpy(own_images, images[step], sizeof images[step]);
      memcpy(own_labels, labels[step], sizeof labels[step]);
    }
    require(digits_train_step(&args), &error, result);
  }
  if (result->on_device) {
    require(lathe_context_synchronize(context, &error), &error, result);
    float all[4 * STEPS];
    require(lathe_context_download(context, all, device_losses, sizeof all, &error), &error, result);
    for (int step = 0; step < STEPS; ++step)
      result->losses[step] = all[4 * step];
  }
  result->state = malloc(DIGITS_STATE_SIZE);
  require(lathe_context_download(context, result->state, state, DIGITS_STATE_SIZE, &error), &error, result);
  void *regions[] = {state, workspace, device_images, device_labels, device_rate, device_losses};
  for (int i = 0; i < 6; ++i)
    lathe_context_free(context, regions[i]);
  lathe_context_destroy(context);
  return NULL;
}

static int compare(const outcome *a, const outcome *b, const char *what) {
  int differs = a->failed || b->failed;
  for (int step = 0; step < STEPS; ++step) {
    printf("%s, step %d: %.6f %.6f\n", what, step, a->losses[step], b->losses[step]);
    differs |= !(fabsf(a->losses[step] - b->losses[step]) <= 1e-4f * fabsf(a->losses[step]));
  }
  return differs;
}

int main(void) {
  unsigned random = 1;
  for (int i = 0; i < STEPS * BATCH * PIXELS; ++i)
    images[0][i] = (float)((random = random * 1664525u + 1013904223u) >> 8) / (float)(1 << 24);
  for (int i = 0; i < STEPS * BATCH; ++i)
    labels[0][i] = i % 10;
  outcome cpu = {.device = -1}, gpu = {.device = 0}, resident = {.device = 0, .on_device = 1},
          second = {.device = 1, .on_device = 1};
  train(&cpu);
  train(&gpu);
  pthread_t threads[2]; /* two devices at a time */
  pthread_create(&threads[0], NULL, train, &resident);
  pthread_create(&threads[1], NULL, train, &second);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  int differs = compare(&cpu, &gpu, "host arguments") + compare(&cpu, &resident, "device arguments");
  /* The same device code on the same numbers: to the bit, whatever device, and however the arguments come. */
  differs += resident.failed || second.failed || memcmp(resident.losses, second.losses, sizeof second.losses) != 0 ||
             memcmp(resident.state, second.state, DIGITS_STATE_SIZE) != 0 ||
             memcmp(resident.state, gpu.state, DIGITS_STATE_SIZE) != 0;
  free(cpu.state), free(gpu.state), free(resident.state), free(second.state);
  puts(differs ? "they differ" : "they agree");
  return differs != 0;
}
