/* Reads a safetensors file into a state region.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "json.h"
#include "safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 100 << 20 }; /* approximately the format's own limit */

/* The byte range of a variable in the file's data. */
typedef struct range {
  int64_t begin, end;
  bool seen;
} range;

/* Names for a message, as many as fit. */
typedef struct names {
  size_t count, shown, length;
  char text[112];
} names;

typedef struct reader {
  lathe_input input;
  const lathe_module_info *module;
  unsigned allowed;
  void (*tell)(void *user, lathe_state_difference what, const char *name);
  void *user;
  range *ranges;          /* one for each variable, then one for each remaining tensor */
  size_t count, capacity; /* of ranges */
  names missing, left_over;
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
  return fail(r, "header", "it is not the JSON header of a safetensors file");
}

static void differ(reader *r, lathe_state_difference what, lathe_json_string name) {
  names *all = what == LATHE_STATE_MISSING ? &r->missing : &r->left_over;
  char text[80]; /* longer names are cut */
  const int length = (int)(name.length < sizeof text ? name.length : sizeof text - 1);
  snprintf(text, sizeof text, "%.*s", length, name.text);
  if (r->tell)
    r->tell(r->user, what, text);
  ++all->count;
  if (all->shown + 1 == all->count && all->length + strlen(text) + 5 < sizeof all->text) {
    ++all->shown;
    all->length +=
        (size_t)snprintf(all->text + all->length, sizeof all->text - all->length, "%s'%s'", all->length ? ", " : "", text);
  }
}

/* Reports variables and tensors without a counterpart. The error record points to the text, which stays valid until the
 * thread's next failure of this kind. */
static lathe_status check_differences(const reader *r) {
  static _Thread_local char text[400];
  const names *missing = &r->missing, *left = &r->left_over;
  const bool lacks = missing->count && !(r->allowed & LATHE_STATE_MISSING),
             has = left->count && !(r->allowed & LATHE_STATE_LEFT_OVER);
  if (!lacks && !has)
    return LATHE_OK;
  int length = 0;
  if (lacks)
    length = snprintf(text, sizeof text, "the file has no tensor for %zu of the variables: %s%s", missing->count, missing->text,
                      missing->shown < missing->count ? ", ..." : "");
  if (has)
    snprintf(text + length, sizeof text - (size_t)length, "%sthe file has %zu tensors that match no variable: %s%s",
             lacks ? "; " : "", left->count, left->text, left->shown < left->count ? ", ..." : "");
  return fail(r, "header", text);
}

/* Reads the element type. A tensor without a variable may have any. */
static lathe_status read_dtype(reader *r, const lathe_state_info *variable, range *place) {
  (void)place;
  lathe_json_string dtype;
  if (!lathe_json_read_string(&r->json, &dtype))
    return fail_header(r);
  if (!variable || lathe_json_equal(dtype, lathe_safetensors_dtype(variable->dtype)))
    return LATHE_OK;
  return fail(r, variable->name, lathe_safetensors_mismatch(variable->dtype));
}

static lathe_status read_shape(reader *r, const lathe_state_info *variable, range *place) {
  (void)place;
  uint32_t rank = 0;
  if (!lathe_json_accept(&r->json, '['))
    return fail_header(r);
  if (!lathe_json_accept(&r->json, ']')) {
    do {
      int64_t extent;
      if (!lathe_json_read_integer(&r->json, &extent))
        return fail_header(r);
      if (variable && rank == variable->rank)
        return fail_values(r, variable->name, "the tensor has too many dimensions", variable->rank, (int64_t)rank + 1);
      if (variable && extent != variable->extents[rank])
        return fail_values(r, variable->name, "a dimension of the tensor differs", variable->extents[rank], extent);
      ++rank;
    } while (lathe_json_accept(&r->json, ','));
    if (!lathe_json_accept(&r->json, ']'))
      return fail_header(r);
  }
  return !variable || rank == variable->rank
             ? LATHE_OK
             : fail_values(r, variable->name, "the tensor has too few dimensions", variable->rank, rank);
}

static lathe_status read_offsets(reader *r, const lathe_state_info *variable, range *place) {
  lathe_json *json = &r->json;
  if (!lathe_json_accept(json, '[') || !lathe_json_read_integer(json, &place->begin) || !lathe_json_accept(json, ',') ||
      !lathe_json_read_integer(json, &place->end) || !lathe_json_accept(json, ']') || place->end < place->begin)
    return fail_header(r);
  if (variable && place->end - place->begin != (int64_t)variable->size)
    return fail_values(r, variable->name, "data_offsets do not fit the shape", (int64_t)variable->size,
                       place->end - place->begin);
  return LATHE_OK;
}

static lathe_status read_entry(reader *r, const lathe_state_info *variable, range *place, unsigned *seen) {
  static const struct {
    const char *name;
    enum key key;
    lathe_status (*read)(reader *, const lathe_state_info *, range *);
  } keys[] = {{"dtype", DTYPE, read_dtype}, {"shape", SHAPE, read_shape}, {"data_offsets", DATA_OFFSETS, read_offsets}};
  lathe_json_string name;
  if (!lathe_json_read_string(&r->json, &name) || !lathe_json_accept(&r->json, ':'))
    return fail_header(r);
  for (int i = 0; i < 3; ++i) {
    if (!lathe_json_equal(name, keys[i].name) || (*seen & keys[i].key))
      continue;
    *seen |= keys[i].key;
    return keys[i].read(r, variable, place);
  }
  return fail_header(r);
}

static lathe_status read_tensor(reader *r, const lathe_state_info *variable, range *place) {
  unsigned seen = 0;
  if (!lathe_json_accept(&r->json, '{'))
    return fail_header(r);
  do {
    const lathe_status status = read_entry(r, variable, place, &seen);
    if (status != LATHE_OK)
      return status;
  } while (lathe_json_accept(&r->json, ','));
  return lathe_json_accept(&r->json, '}') && seen == ALL_KEYS ? LATHE_OK : fail_header(r);
}

/* Skips a tensor without a variable of its name. Records its range, as all ranges together must cover the data. */
static lathe_status skip_tensor(reader *r, lathe_json_string name) {
  if (r->count == r->capacity) {
    const size_t capacity = r->capacity * 2 + 16;
    range *grown = realloc(r->ranges, capacity * sizeof *grown);
    if (!grown)
      return lathe_fail_memory(r->input.error, r->input.function, r->input.path, capacity * sizeof *grown);
    r->ranges = grown;
    r->capacity = capacity;
  }
  differ(r, LATHE_STATE_LEFT_OVER, name);
  range *place = &r->ranges[r->count++];
  *place = (range){0, 0, true};
  return read_tensor(r, NULL, place);
}

/* Skips an object of strings, which have no meaning here. */
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
    return read_tensor(r, &r->module->state[i], &r->ranges[i]);
  }
  return skip_tensor(r, name);
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
      differ(r, LATHE_STATE_MISSING, (lathe_json_string){r->module->state[i].name, strlen(r->module->state[i].name)});
  return check_differences(r);
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

/* Checks that the tensors cover the data without holes or overlaps, as the format demands. */
static lathe_status check_ranges(reader *r, uint64_t *size) {
  range *sorted = malloc((r->count + 1) * sizeof *sorted);
  if (!sorted)
    return lathe_fail_memory(r->input.error, r->input.function, r->input.path, r->count * sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < r->count; ++i)
    if (r->ranges[i].seen)
      sorted[count++] = r->ranges[i];
  int64_t end = 0;
  bool whole = true;
  qsort(sorted, count, sizeof *sorted, by_place);
  for (size_t i = 0; i < count; ++i) {
    whole = whole && sorted[i].begin == end;
    end = sorted[i].end;
  }
  free(sorted);
  *size = (uint64_t)end;
  return whole ? LATHE_OK : fail(r, "header", "the tensors' data_offsets leave a hole or overlap");
}

/* Reads all data before the first byte of the state is written. */
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
    if (!r->ranges[i].seen)
      continue;
    memcpy(state + variable->offset, data + r->ranges[i].begin, variable->size);
    if (variable->dtype == LATHE_I1)
      lathe_normalise_booleans(state + variable->offset, variable->size);
  }
  lathe_free(data);
  return status;
}

static lathe_status load(reader r, const char *function, const char *path, void *state, lathe_error *error) {
  lathe_status status = lathe_safetensors_check(r.module, function, path, error);
  if (status != LATHE_OK)
    return status;
  r.count = r.module->state_count;
  r.capacity = r.count + 1;
  r.ranges = calloc(r.capacity, sizeof *r.ranges);
  if (!r.ranges)
    return lathe_fail_memory(error, function, path, r.capacity * sizeof *r.ranges);
  status = lathe_input_open(&r.input, function, path, error);
  if (status == LATHE_OK)
    status = read_header(&r);
  if (status == LATHE_OK)
    status = read_data(&r, state);
  if (r.input.stream)
    lathe_input_close(&r.input);
  free(r.ranges);
  return status;
}

lathe_status lathe_state_load(const char *path, const lathe_module_info *module, void *state, lathe_error *error) {
  return load((reader){.module = module}, __func__, path, state, error);
}

lathe_status lathe_state_load_some(const char *path, const lathe_module_info *module, void *state, unsigned allowed,
                                   void (*tell)(void *user, lathe_state_difference what, const char *name), void *user,
                                   lathe_error *error) {
  return load((reader){.module = module, .allowed = allowed, .tell = tell, .user = user}, __func__, path, state, error);
}
