/* A text in pieces, and letters drawn from probabilities.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_TEXT_H
#define EXAMPLES_TEXT_H

#include "app.h"
#include "random.h"

/* The text is cut into `texts` equal ones; of each, so many pieces have `length` characters and one behind them. */
static inline int64_t pieces_of(const lathe_array *text, int64_t texts, int64_t length) {
  return (text->extents[0] / texts - 1) / length;
}

/* Piece i of all texts: i32[texts][length + 1]. */
static inline void take_piece(const lathe_array *text, int64_t texts, int64_t length, int64_t i, int32_t *piece) {
  const int64_t distance = text->extents[0] / texts;
  for (int64_t k = 0; k < texts; ++k)
    memcpy(piece + k * (length + 1), (int32_t *)text->data + k * distance + i * length, (size_t)(length + 1) * sizeof *piece);
}

static inline int32_t number_of(const lathe_array *alphabet, int character) {
  for (int32_t i = 0; i < alphabet->extents[0]; ++i)
    if (((int32_t *)alphabet->data)[i] == character)
      return i;
  require(0, "the alphabet lacks a character");
  return -1;
}

static inline int32_t draw(uint64_t *random, const float *probability, int32_t count) {
  double left = (double)random_below(random, 1 << 30) / (1 << 30);
  for (int32_t i = 0; i < count; ++i)
    if ((left -= probability[i]) < 0)
      return i;
  return count - 1;
}

#endif /* EXAMPLES_TEXT_H */
