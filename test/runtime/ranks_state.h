/* A state that is divided over the axes `data` and `model` in all ways, for tests of checkpoints. Every element's value follows
 * from its place in the whole variable, so that each rank can check its part whatever mesh wrote it.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_RANKS_STATE_H
#define LATHE_TEST_RUNTIME_RANKS_STATE_H

#include "check.h"
#include "lathe/ranks.h"

enum { VARIABLES = 9, DIMENSIONS = 3, LARGE = 12000 };

/* The axis that divides each dimension, and the one that divides the elements: 'd', 'm' or ' '. */
typedef struct division {
  const char *name;
  lathe_dtype dtype;
  uint32_t rank;
  int64_t extents[DIMENSIONS];
  char splits[DIMENSIONS + 1], flat;
} division;

static const division divisions[VARIABLES] = {
    {"step", LATHE_I64, 0, {0}, "", ' '},
    {"bias \"b\"", LATHE_F32, 1, {13}, " ", ' '},       /* on all ranks */
    {"rows", LATHE_F32, 2, {12, 5}, "m ", ' '},         /* model has rows */
    {"columns", LATHE_BF16, 3, {3, 24, 2}, " m ", ' '}, /* of the middle dimension */
    {"both", LATHE_F64, 2, {12, 12}, "dm", ' '},        /* blocks */
    {"flat", LATHE_F32, 2, {LARGE, 7}, "  ", 'd'},      /* an optimiser's slot */
    {"flat columns", LATHE_F32, 2, {5, 12}, " m", 'd'}, /* of a part: 5 x 6 elements over 4 ranks have padding */
    {"cube", LATHE_F32, 3, {2, 12, 12}, " md", ' '},
    {"mask", LATHE_I1, 2, {7, 3}, "  ", 'd'}, /* 21 elements */
};

typedef struct ranks_state {
  lathe_module_info module;
  lathe_state_info variables[VARIABLES];
  lathe_whole_info wholes[VARIABLES];
  lathe_split_info splits[VARIABLES][DIMENSIONS];
  int64_t extents[VARIABLES][DIMENSIONS];
  int64_t sizes[2], indices[2]; /* of data and model */
  unsigned char *memory;
} ranks_state;

static inline const char *axis_name(char axis) { return axis == 'd' ? "data" : axis == 'm' ? "model" : NULL; }
static inline int along(char axis) { return axis == 'm'; }

static inline int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* The module and the state of a rank of a mesh data x model. */
static inline void make_state(ranks_state *s, int64_t data, int64_t model, int64_t rank) {
  memset(s, 0, sizeof *s);
  s->sizes[0] = data;
  s->sizes[1] = model;
  s->indices[0] = rank / model;
  s->indices[1] = rank % model;
  uint64_t offset = 0;
  for (uint32_t i = 0; i < VARIABLES; ++i) {
    const division *of = &divisions[i];
    lathe_whole_info *whole = &s->wholes[i];
    int64_t elements = 1;
    *whole = (lathe_whole_info){"", of->extents, of->rank, 0, s->splits[i], axis_name(of->flat)};
    for (uint32_t d = 0; d < of->rank; ++d) {
      s->extents[i][d] = of->extents[d];
      if (of->splits[d] != ' ') {
        s->splits[i][whole->split_count++] = (lathe_split_info){axis_name(of->splits[d]), d, 0};
        s->extents[i][d] /= s->sizes[along(of->splits[d])];
      }
      elements *= s->extents[i][d];
    }
    uint32_t rank_here = of->rank;
    if (of->flat != ' ') {
      elements = s->extents[i][0] = ceiling(elements, s->sizes[along(of->flat)]);
      rank_here = 1;
    }
    const int is_whole = whole->split_count == 0 && of->flat == ' ';
    const uint64_t size = (uint64_t)elements * lathe_dtype_size(of->dtype);
    s->variables[i] =
        (lathe_state_info){of->name, "", of->dtype, rank_here, s->extents[i], offset, size, 1, is_whole ? NULL : whole};
    offset += (size + 63) / 64 * 64;
  }
  s->module = (lathe_module_info){.magic = LATHE_INFO_MAGIC,
                                  .abi_version = LATHE_ABI_VERSION,
                                  .state_count = VARIABLES,
                                  .state_size = offset,
                                  .state = s->variables};
  s->memory = calloc(1, offset);
}

/* The value of element `place` of a whole variable, at a time. */
static inline uint64_t whole_value(uint32_t variable, int64_t place, int time) {
  uint64_t x = ((uint64_t)variable + 1) * 0x9E3779B97F4A7C15u + (uint64_t)place * 0xBF58476D1CE4E5B9u + (uint64_t)time * 12345;
  x ^= x >> 29;
  return divisions[variable].dtype == LATHE_I1 ? x & 1 : x;
}

/* The place in the whole variable of element i of a rank's part; -1: it is padding. */
static inline int64_t whole_place(const ranks_state *s, uint32_t variable, int64_t i) {
  const division *of = &divisions[variable];
  int64_t block[DIMENSIONS] = {0}, all = 1, place = 0, coordinates[DIMENSIONS] = {0};
  for (uint32_t d = 0; d < of->rank; ++d) {
    block[d] = of->extents[d] / (of->splits[d] == ' ' ? 1 : s->sizes[along(of->splits[d])]);
    all *= block[d];
  }
  if (of->flat != ' ')
    i += s->indices[along(of->flat)] * ceiling(all, s->sizes[along(of->flat)]);
  if (i >= all)
    return -1;
  for (uint32_t d = of->rank; d-- > 0; i /= block[d])
    coordinates[d] = i % block[d] + (of->splits[d] == ' ' ? 0 : s->indices[along(of->splits[d])] * block[d]);
  for (uint32_t d = 0; d < of->rank; ++d)
    place = place * of->extents[d] + coordinates[d];
  return place;
}

/* Calls for each element of the state. */
static inline void fill_state(ranks_state *s, int time) {
  for (uint32_t v = 0; v < VARIABLES; ++v) {
    const size_t size = lathe_dtype_size(divisions[v].dtype);
    for (int64_t i = 0; i < (int64_t)(s->variables[v].size / size); ++i) {
      const int64_t place = whole_place(s, v, i);
      const uint64_t value = place < 0 ? 0 : whole_value(v, place, time);
      memcpy(s->memory + s->variables[v].offset + (size_t)i * size, &value, size);
    }
  }
}

/* Returns the number of elements that are not those of the time. */
static inline int64_t wrong_elements(const ranks_state *s, int time) {
  int64_t wrong = 0;
  for (uint32_t v = 0; v < VARIABLES; ++v) {
    const size_t size = lathe_dtype_size(divisions[v].dtype);
    for (int64_t i = 0; i < (int64_t)(s->variables[v].size / size); ++i) {
      const int64_t place = whole_place(s, v, i);
      const uint64_t value = place < 0 ? 0 : whole_value(v, place, time);
      wrong += memcmp(s->memory + s->variables[v].offset + (size_t)i * size, &value, size) != 0;
    }
  }
  return wrong;
}

#endif /* LATHE_TEST_RUNTIME_RANKS_STATE_H */
