/* A safetensors file read into a state region.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "json.h"
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 100 << 20 }; /* the format's own limit, about */

/* Where a variable lies in the file's data. */
typedef struct range {
  int64_t begin, end;
  bool seen;
} range;

typedef struct reader {
  lathe_input input;
  const lathe_module_info *module;
  range *ranges; /* one a variable */
  lathe_json json;
} reader;

enum key { DTYPE = 1, SHAPE = 2, DATA_OFFSETS = 4, ALL_KEYS = 7 };

static lathe_status fail(const reader *r, const char *what, const char *problem) {
  return lathe_fail_format(r->input.error, r->input.function, r->input.path, what, problem);
}

static lathe_status fail_values(const reader *r, const char *what, const char *problem, int64_t expected, int64_t actual) {
  return lathe_fail_format_values(r->input.error, r->input.function, r->input.path, what, problem, expected, actual);
}

static lathe_status fail_header(const reader *r) {
  return fail(r, "header", "it is not the JSON text that safetensors prescribes");
}

static lathe_status read_dtype(reader *r, const lathe_state_info *variable) {
  lathe_json_string dtype;
  if (!lathe_json_read_string(&r->json, &dtype))
    return fail_header(r);
  if (lathe_json_equal(dtype, lathe_safetensors_dtype(variable->dtype)))
    return LATHE_OK;
  return fail(r, variable->name, lathe_safetensors_mismatch(variable->dtype));
}

static lathe_status read_shape(reader *r, const lathe_state_info *variable) {
  uint32_t rank = 0;
  if (!lathe_json_accept(&r->json, '['))
    return fail_header(r);
  if (!lathe_json_accept(&r->json, ']')) {
    do {
      int64_t extent;
      if (!lathe_json_read_integer(&r->json, &extent))
        return fail_header(r);
      if (rank == variable->rank)
        return fail_values(r, variable->name, "the tensor has too many dimensions", variable->rank, (int64_t)rank + 1);
      if (extent != variable->extents[rank])
        return fail_values(r, variable->name, "a dimension of the tensor differs", variable->extents[rank], extent);
      ++rank;
    } while (lathe_json_accept(&r->json, ','));
    if (!lathe_json_accept(&r->json, ']'))
      return fail_header(r);
  }
  return rank == variable->rank ? LATHE_OK
                                : fail_values(r, variable->name, "the tensor has too few dimensions", variable->rank, rank);
}

static lathe_status read_offsets(reader *r, const lathe_state_info *variable) {
  range *place = &r->ranges[variable - r->module->state];
  lathe_json *json = &r->json;
  if (!lathe_json_accept(json, '[') || !lathe_json_read_integer(json, &place->begin) || !lathe_json_accept(json, ',') ||
      !lathe_json_read_integer(json, &place->end) || !lathe_json_accept(json, ']'))
    return fail_header(r);
  if (place->end - place->begin != (int64_t)variable->size)
    return fail_values(r, variable->name, "data_offsets do not fit the shape", (int64_t)variable->size,
                       place->end - place->begin);
  return LATHE_OK;
}

static lathe_status read_entry(reader *r, const lathe_state_info *variable, unsigned *seen) {
  static const struct {
    const char *name;
    enum key key;
    lathe_status (*read)(reader *, const lathe_state_info *);
  } keys[] = {{"dtype", DTYPE, read_dtype}, {"shape", SHAPE, read_shape}, {"data_offsets", DATA_OFFSETS, read_offsets}};
  lathe_json_string name;
  if (!lathe_json_read_string(&r->json, &name) || !lathe_json_accept(&r->json, ':'))
    return fail_header(r);
  for (int i = 0; i < 3; ++i) {
    if (!lathe_json_equal(name, keys[i].name) || (*seen & keys[i].key))
      continue;
    *seen |= keys[i].key;
    return keys[i].read(r, variable);
  }
  return fail_header(r);
}

static lathe_status read_tensor(reader *r, const lathe_state_info *variable) {
  unsigned seen = 0;
  if (!lathe_json_accept(&r->json, '{'))
    return fail_header(r);
  do {
    const lathe_status status = read_entry(r, variable, &seen);
    if (status != LATHE_OK)
      return status;
  } while (lathe_json_accept(&r->json, ','));
  return lathe_json_accept(&r->json, '}') && seen == ALL_KEYS ? LATHE_OK : fail_header(r);
}

/* An object of strings, which mean nothing here. */
static lathe_status skip_metadata(reader *r) {
  lathe_json_string text;
  if (!lathe_json_accept(&r->json, '{'))
    return fail_header(r);
  if (lathe_json_accept(&r->json, '}'))
    return LATHE_OK;
  do {
    if (!lathe_json_read_string(&r->json, &text) || !lathe_json_accept(&r->json, ':') ||
        !lathe_json_read_string(&r->json, &text))
      return fail_header(r);
  } while (lathe_json_accept(&r->json, ','));
  return lathe_json_accept(&r->json, '}') ? LATHE_OK : fail_header(r);
}

static lathe_status read_member(reader *r) {
  lathe_json_string name;
  if (!lathe_json_read_string(&r->json, &name) || !lathe_json_accept(&r->json, ':'))
    return fail_header(r);
  if (lathe_json_equal(name, LATHE_SAFETENSORS_METADATA))
    return skip_metadata(r);
  for (uint32_t i = 0; i < r->module->state_count; ++i) {
    if (!lathe_json_equal(name, r->module->state[i].name))
      continue;
    if (r->ranges[i].seen)
      return fail(r, r->module->state[i].name, "the file has two tensors of this name");
    r->ranges[i].seen = true;
    return read_tensor(r, &r->module->state[i]);
  }
  return fail(r, "header", "a tensor has a name that no variable of the module has");
}

static lathe_status parse_header(reader *r) {
  if (!lathe_json_accept(&r->json, '{'))
    return fail_header(r);
  if (!lathe_json_accept(&r->json, '}')) {
    do {
      const lathe_status status = read_member(r);
      if (status != LATHE_OK)
        return status;
    } while (lathe_json_accept(&r->json, ','));
    if (!lathe_json_accept(&r->json, '}'))
      return fail_header(r);
  }
  if (!lathe_json_at_end(&r->json))
    return fail_header(r);
  for (uint32_t i = 0; i < r->module->state_count; ++i)
    if (!r->ranges[i].seen)
      return fail(r, r->module->state[i].name, "the file has no tensor of this name");
  return LATHE_OK;
}

static lathe_status read_header(reader *r) {
  uint64_t length = 0;
  lathe_status status = lathe_input_read(&r->input, &length, sizeof length, "header length");
  if (status != LATHE_OK)
    return status;
  if (length > MAX_HEADER)
    return fail_values(r, "header length", "it is too large", MAX_HEADER, (int64_t)(length & INT64_MAX));
  char *text = malloc(length ? length : 1);
  if (!text)
    return lathe_fail_memory(r->input.error, r->input.function, r->input.path, length);
  status = lathe_input_read(&r->input, text, length, "header");
  if (status == LATHE_OK) {
    r->json = (lathe_json){text, text + length};
    status = parse_header(r);
  }
  free(text);
  return status;
}

static int by_place(const void *a, const void *b) {
  const range *left = a, *right = b;
  if (left->begin != right->begin)
    return left->begin < right->begin ? -1 : 1;
  return (left->end > right->end) - (left->end < right->end);
}

/* The tensors must cover the data without holes or overlaps, as the format demands. */
static lathe_status check_ranges(reader *r, uint64_t *size) {
  const size_t count = r->module->state_count;
  range *sorted = malloc((count + 1) * sizeof *sorted);
  if (!sorted)
    return lathe_fail_memory(r->input.error, r->input.function, r->input.path, count * sizeof *sorted);
  int64_t end = 0;
  bool whole = true;
  if (count > 0)
    memcpy(sorted, r->ranges, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_place);
  for (size_t i = 0; i < count; ++i) {
    whole = whole && sorted[i].begin == end;
    end = sorted[i].end;
  }
  free(sorted);
  *size = (uint64_t)end;
  return whole ? LATHE_OK : fail(r, "header", "the tensors' data_offsets leave a hole or overlap");
}

/* All of the data is read before the first byte of the state is written. */
static lathe_status read_data(reader *r, char *state) {
  uint64_t size = 0;
  lathe_status status = check_ranges(r, &size);
  if (status != LATHE_OK)
    return status;
  char *data = lathe_alloc(size);
  if (!data)
    return lathe_fail_memory(r->input.error, r->input.function, r->input.path, size);
  status = lathe_input_read(&r->input, data, size, "data");
  if (status == LATHE_OK)
    status = lathe_input_end(&r->input);
  for (uint32_t i = 0; status == LATHE_OK && i < r->module->state_count; ++i) {
    const lathe_state_info *variable = &r->module->state[i];
    memcpy(state + variable->offset, data + r->ranges[i].begin, variable->size);
    if (variable->dtype == LATHE_I1)
      lathe_normalise_booleans(state + variable->offset, variable->size);
  }
  lathe_free(data);
  return status;
}

lathe_status lathe_state_load(const char *path, const lathe_module_info *module, void *state, lathe_error *error) {
  lathe_status status = lathe_safetensors_check(module, __func__, path, error);
  if (status != LATHE_OK)
    return status;
  reader r = {.module = module, .ranges = calloc((size_t)module->state_count + 1, sizeof *r.ranges)};
  if (!r.ranges)
    return lathe_fail_memory(error, __func__, path, module->state_count * sizeof *r.ranges);
  status = lathe_input_open(&r.input, __func__, path, error);
  if (status == LATHE_OK)
    status = read_header(&r);
  if (status == LATHE_OK)
    status = read_data(&r, state);
  if (r.input.stream)
    lathe_input_close(&r.input);
  free(r.ranges);
  return status;
}
