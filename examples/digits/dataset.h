/* The images that digits.c trains with and those it is tested with.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef DIGITS_DATASET_H
#define DIGITS_DATASET_H

#include "../common/random.h"
#include "lathe/runtime.h"

#include <stdio.h>
#include <string.h>

enum { SIDE = 16, PIXELS = SIDE * SIDE, CLASSES = 10, HELD_BACK = 36, TESTS = CLASSES * HELD_BACK };

typedef struct dataset {
  lathe_array images, labels; /* f32[count][16][16][1] from 0, background, to 1, and i32[count] */
  int32_t *train;             /* which of them are for training */
  int64_t train_count;
  float test_images[TESTS * PIXELS]; /* copies of the others */
  int32_t test_labels[TESTS];
} dataset;

/* 36 images of each digit, drawn at random, make the test. Returns NULL, or what is wrong with the data. */
static inline const char *split(dataset *data, uint64_t *random) {
  const int64_t count = data->labels.rank == 1 ? data->labels.extents[0] : 0;
  if (data->labels.dtype != LATHE_I32 || data->images.dtype != LATHE_F32 ||
      data->images.size != (size_t)count * PIXELS * sizeof(float))
    return "images.npy and labels.npy are not f32[count][16][16][1] and i32[count]";
  const int32_t *label = data->labels.data;
  int32_t *train = data->train = lathe_alloc((size_t)count * sizeof *train), test[TESTS];
  int64_t trained = 0, tested = 0;
  for (int32_t digit = 0; train && digit < CLASSES; ++digit) {
    const int64_t first = trained;
    for (int32_t i = 0; i < count; ++i)
      if (label[i] == digit)
        train[trained++] = i;
    if (trained - first <= HELD_BACK)
      return "there are too few images of a digit";
    shuffle(random, train + first, trained - first);
    for (int i = 0; i < HELD_BACK; ++i)
      test[tested++] = train[--trained];
  }
  if (!train)
    return "out of memory";
  data->train_count = trained;
  shuffle(random, test, TESTS);
  for (int i = 0; i < TESTS; ++i) {
    memcpy(data->test_images + i * PIXELS, (float *)data->images.data + (int64_t)test[i] * PIXELS, PIXELS * sizeof(float));
    data->test_labels[i] = label[test[i]];
  }
  return NULL;
}

/* Moves an image by up to two pixels each way, mostly by less; what comes in at the border is background. */
static inline void shift(uint64_t *random, const float *from, float *to) {
  const int64_t down = random_below(random, 3) + random_below(random, 3) - 2;
  const int64_t right = random_below(random, 3) + random_below(random, 3) - 2;
  for (int64_t y = 0; y < SIDE; ++y)
    for (int64_t x = 0; x < SIDE; ++x) {
      const int64_t v = y - down, u = x - right;
      to[y * SIDE + x] = v >= 0 && v < SIDE && u >= 0 && u < SIDE ? from[v * SIDE + u] : 0;
    }
}

/* Up to `most` training images from the one at `first` in the order of `train`, each moved at random; returns how many. */
static inline int64_t take_batch(const dataset *data, uint64_t *random, int64_t first, int64_t most, float *images,
                                 int32_t *labels) {
  const int64_t count = data->train_count - first < most ? data->train_count - first : most;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t image = data->train[first + i];
    shift(random, (const float *)data->images.data + (int64_t)image * PIXELS, images + i * PIXELS);
    labels[i] = ((const int32_t *)data->labels.data)[image];
  }
  return count;
}

#endif /* DIGITS_DATASET_H */
