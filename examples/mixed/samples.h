/* The things that mixed.c learns of, and batches of them: ragged ones, with what each thing has and no more.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef MIXED_SAMPLES_H
#define MIXED_SAMPLES_H

#include "app.h"

#include <math.h>

enum { PIXELS = 12 * 12, COLUMNS = 6, LONGEST = 16 };
enum { IMAGE = 1, NOTE = 2, ROW = 4, ALL = 7 }; /* parts */

typedef struct samples {
  int64_t count;
  lathe_array images, image, words, offsets, rows, has_row, label;
} samples;

/* What the entries of mixed.mlir take. */
typedef struct batch {
  int64_t count, images_count, words_count;
  float *images, *rows;
  int32_t *image, *words, *offsets, *label;
  uint8_t *has_row;
} batch;

static inline samples load_samples(const char *folder, const char *part) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%s", folder, part);
  samples s = {0,
               load(name, "images.npy", LATHE_F32, 4),
               load(name, "image.npy", LATHE_I32, 1),
               load(name, "words.npy", LATHE_I32, 1),
               load(name, "offsets.npy", LATHE_I32, 1),
               load(name, "rows.npy", LATHE_F32, 2),
               load(name, "has_row.npy", LATHE_I1, 1),
               load(name, "label.npy", LATHE_I32, 1)};
  s.count = s.label.extents[0];
  require(s.images.size == (size_t)s.images.extents[0] * PIXELS * sizeof(float) && s.image.extents[0] == s.count &&
              s.offsets.extents[0] == s.count + 1 && s.rows.size == (size_t)s.count * COLUMNS * sizeof(float) &&
              s.has_row.extents[0] == s.count,
          "the files of the samples do not fit each other");
  return s;
}

static inline void release_samples(samples *s) {
  lathe_array *arrays[] = {&s->images, &s->image, &s->words, &s->offsets, &s->rows, &s->has_row, &s->label};
  for (int i = 0; i < 7; ++i)
    lathe_array_release(arrays[i]);
}

static inline batch allocate_batch(int64_t most) {
  const size_t n = (size_t)most;
  return (batch){.images = allocate(n * PIXELS * sizeof(float)),
                 .rows = allocate(n * COLUMNS * sizeof(float)),
                 .image = allocate(n * sizeof(int32_t)),
                 .words = allocate(n * LONGEST * sizeof(int32_t)),
                 .offsets = allocate((n + 1) * sizeof(int32_t)),
                 .label = allocate(n * sizeof(int32_t)),
                 .has_row = allocate(n)};
}

static inline void release_batch(batch *b) {
  void *regions[] = {b->images, b->rows, b->image, b->words, b->offsets, b->label, b->has_row};
  for (int i = 0; i < 7; ++i)
    lathe_free(regions[i]);
}

/* Which parts a sample has. */
static inline int parts_of(const samples *s, int32_t i) {
  const int32_t *offsets = s->offsets.data;
  return (((int32_t *)s->image.data)[i] >= 0 ? IMAGE : 0) | (offsets[i + 1] > offsets[i] ? NOTE : 0) |
         (((uint8_t *)s->has_row.data)[i] ? ROW : 0);
}

/* The samples in `chosen`, each with those of its parts that are in `parts`. */
static inline void take_batch(const samples *s, const int32_t *chosen, int64_t count, int parts, batch *b) {
  b->count = count;
  b->images_count = b->words_count = 0;
  b->offsets[0] = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t from = chosen[i], *offsets = s->offsets.data;
    const int has = parts_of(s, from) & parts;
    b->image[i] = has & IMAGE ? (int32_t)b->images_count : -1;
    if (has & IMAGE)
      memcpy(b->images + b->images_count++ * PIXELS,
             (float *)s->images.data + (int64_t)((int32_t *)s->image.data)[from] * PIXELS, PIXELS * sizeof(float));
    if (has & NOTE) {
      const int32_t length = offsets[from + 1] - offsets[from];
      require(length <= LONGEST, "a note has 16 words at most");
      memcpy(b->words + b->words_count, (int32_t *)s->words.data + offsets[from], (size_t)length * sizeof(int32_t));
      b->words_count += length;
    }
    b->offsets[i + 1] = (int32_t)b->words_count;
    memcpy(b->rows + i * COLUMNS, (float *)s->rows.data + (int64_t)from * COLUMNS, COLUMNS * sizeof(float));
    b->has_row[i] = (has & ROW) != 0;
    b->label[i] = ((int32_t *)s->label.data)[from];
  }
  if (b->images_count == 0) /* a dimension is at least 1; nobody reads these */
    b->images_count = 1;
  if (b->words_count == 0)
    b->words_count = 1;
}

#endif /* MIXED_SAMPLES_H */
