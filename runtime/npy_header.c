/* The text in the header of an .npy file.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "npy_header.h"

#include <string.h>

/* NumPy's names without the byte order. NumPy has no bf16. */
static const struct {
  char name[3];
  lathe_dtype dtype;
} descriptions[] = {
    {"b1", LATHE_I1},  {"i1", LATHE_I8},  {"i2", LATHE_I16}, {"i4", LATHE_I32}, {"i8", LATHE_I64}, {"u1", LATHE_U8},
    {"u2", LATHE_U16}, {"u4", LATHE_U32}, {"u8", LATHE_U64}, {"f2", LATHE_F16}, {"f4", LATHE_F32}, {"f8", LATHE_F64},
};

enum { DESCRIPTIONS = sizeof descriptions / sizeof descriptions[0] };

const char *lathe_npy_type(lathe_dtype dtype) {
  for (int i = 0; i < DESCRIPTIONS; ++i)
    if (descriptions[i].dtype == dtype)
      return descriptions[i].name;
  return NULL;
}

typedef struct header {
  const char *at, *end;
  const char *problem; /* the first problem, or NULL */
  bool fortran;
  lathe_array *array;
  unsigned seen; /* bits of `enum key` */
} header;

enum key { DESCR = 1, FORTRAN_ORDER = 2, SHAPE = 4, ALL_KEYS = 7 };

static bool refuse(header *h, const char *problem) {
  if (!h->problem)
    h->problem = problem;
  return false;
}

static void skip_space(header *h) {
  while (h->at < h->end && (*h->at == ' ' || *h->at == '\t' || *h->at == '\n' || *h->at == '\r'))
    ++h->at;
}

static bool accept(header *h, char c) {
  skip_space(h);
  if (h->at == h->end || *h->at != c)
    return false;
  ++h->at;
  return true;
}

static bool expect(header *h, char c) {
  return accept(h, c) || refuse(h, "the header is not a Python dictionary of descr, fortran_order and shape");
}

static bool accept_word(header *h, const char *word) {
  const size_t length = strlen(word);
  skip_space(h);
  if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0)
    return false;
  h->at += length;
  return true;
}

/* Returns a string without escapes, or NULL if there is none. */
static const char *read_string(header *h, size_t *length) {
  skip_space(h);
  if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
    return NULL;
  const char quote = *h->at, *begin = ++h->at;
  while (h->at < h->end && *h->at != quote && *h->at != '\\')
    ++h->at;
  *length = (size_t)(h->at - begin);
  return accept(h, quote) ? begin : NULL;
}

static bool read_descr(header *h) {
  size_t length;
  const char *text = read_string(h, &length);
  if (!text || length != 3)
    return refuse(h, "the element type is not one of b1, i1 to i8, u1 to u8, f2, f4, f8");
  const char order = text[0];
  const bool ordered = text[2] != '1';
  if (order == '>' && ordered)
    return refuse(h, "the elements are big-endian: expected little-endian ones");
  if (order == '\0' || !strchr(ordered ? "<=" : "<=|>", order))
    return refuse(h, "the element type has an unknown byte order");
  for (int i = 0; i < DESCRIPTIONS; ++i) {
    if (memcmp(descriptions[i].name, text + 1, 2) == 0) {
      h->array->dtype = descriptions[i].dtype;
      return true;
    }
  }
  return refuse(h, "the element type is not one of b1, i1 to i8, u1 to u8, f2, f4, f8");
}

static bool read_order(header *h) {
  h->fortran = accept_word(h, "True");
  return h->fortran || accept_word(h, "False") || refuse(h, "fortran_order is neither True nor False");
}

static bool read_extent(header *h, int64_t *extent) {
  skip_space(h);
  const char *begin = h->at;
  *extent = 0;
  for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; ++h->at) {
    if (__builtin_mul_overflow(*extent, 10, extent) || __builtin_add_overflow(*extent, *h->at - '0', extent))
      return refuse(h, "a dimension does not fit into 64 bits");
  }
  if (h->at == begin)
    return refuse(h, "a dimension is not a number of 0 or more");
  (void)accept(h, 'L'); /* Python 2 writes this */
  return true;
}

static bool read_shape(header *h) {
  lathe_array *array = h->array;
  array->rank = 0;
  if (!expect(h, '('))
    return false;
  while (!accept(h, ')')) {
    if (array->rank == LATHE_NPY_MAX_RANK)
      return refuse(h, "the array has more than 8 dimensions");
    if (!read_extent(h, &array->extents[array->rank++]))
      return false;
    if (!accept(h, ',')) {
      if (array->rank == 1) /* "(3)" is a number, not a tuple */
        return refuse(h, "the shape is not a tuple");
      return expect(h, ')');
    }
  }
  return true;
}

static bool read_entry(header *h) {
  static const struct {
    const char *name;
    enum key key;
    bool (*read)(header *);
  } keys[] = {{"descr", DESCR, read_descr}, {"fortran_order", FORTRAN_ORDER, read_order}, {"shape", SHAPE, read_shape}};
  size_t length;
  const char *name = read_string(h, &length);
  for (int i = 0; name && i < 3; ++i) {
    if (strlen(keys[i].name) != length || memcmp(keys[i].name, name, length) != 0)
      continue;
    if (h->seen & keys[i].key)
      return refuse(h, "the header has a key twice");
    h->seen |= keys[i].key;
    return expect(h, ':') && keys[i].read(h);
  }
  return refuse(h, "the header has a key other than descr, fortran_order and shape");
}

static bool read_dictionary(header *h) {
  if (!expect(h, '{'))
    return false;
  while (!accept(h, '}')) {
    if (!read_entry(h))
      return false;
    if (!accept(h, ',')) {
      if (!expect(h, '}'))
        return false;
      break;
    }
  }
  skip_space(h);
  if (h->at != h->end)
    return refuse(h, "the header continues after its dictionary");
  return h->seen == ALL_KEYS || refuse(h, "the header lacks descr, fortran_order or shape");
}

const char *lathe_npy_parse_header(const char *text, size_t length, lathe_array *array, bool *fortran) {
  header h = {.at = text, .end = text + length, .array = array};
  const bool good = read_dictionary(&h);
  *fortran = h.fortran;
  return good ? NULL : h.problem;
}
