/* The index of a checkpoint: a JSON text with the axes of the job that wrote it, and the variables.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   {"format":"lathe-ranks-1","axes":[["data",4]],
 *    "variables":[["w","F32",[64,32],[["model",0]],"data"], ...]}
 *
 * A variable has a name, a type as in safetensors files, extents, pairs of an axis and the dimension that it divides, and the
 * axis over which the elements are divided then, or "".
 */
#include "json.h"
#include "safetensors.h"
#include "state_ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "lathe-ranks-1"
enum { MAX_INDEX = 100 << 20, MAX_SPLITS = LATHE_PART_RANK };

/* ---- Writing ---- */

typedef struct writer {
  lathe_output output;
  uint64_t length;
} writer;

static void put(writer *to, const char *text) { lathe_write_text(&to->output, &to->length, text); }
static void put_json(writer *to, const char *text) { lathe_write_json_text(&to->output, &to->length, text); }

static void put_integer(writer *to, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  put(to, text);
}

/* Writes ["data",0]. */
static void put_pair(writer *to, const char *axis, int64_t value) {
  put(to, "[");
  put_json(to, axis);
  put(to, ",");
  put_integer(to, value);
  put(to, "]");
}

static void put_variable(writer *to, const lathe_state_info *variable) {
  const lathe_whole_info whole = lathe_whole_of(variable);
  put(to, "\n[");
  put_json(to, variable->name);
  put(to, ",");
  put_json(to, lathe_safetensors_dtype(variable->dtype));
  put(to, ",[");
  for (uint32_t d = 0; d < whole.rank; ++d) {
    put(to, d ? "," : "");
    put_integer(to, whole.extents[d]);
  }
  put(to, "],[");
  for (uint32_t i = 0; i < whole.split_count; ++i) {
    put(to, i ? "," : "");
    put_pair(to, whole.splits[i].axis, whole.splits[i].dimension);
  }
  put(to, "],");
  put_json(to, whole.flat_axis ? whole.flat_axis : "");
  put(to, "]");
}

lathe_status lathe_index_write(const char *path, const lathe_module_info *module, lathe_mesh mesh, const char *function,
                               lathe_error *error) {
  writer to = {.length = 0};
  const lathe_status status = lathe_output_open(&to.output, function, path, error);
  if (status != LATHE_OK)
    return status;
  put(&to, "{\"format\":\"" FORMAT "\",\"axes\":[");
  for (uint32_t i = 0; i < mesh.axis_count; ++i) {
    put(&to, i ? "," : "");
    put_pair(&to, mesh.axes[i].name, mesh.axes[i].size);
  }
  put(&to, "],\"variables\":[");
  for (uint32_t i = 0; i < module->state_count; ++i) {
    put(&to, i ? "," : "");
    put_variable(&to, &module->state[i]);
  }
  put(&to, "]}\n");
  return lathe_output_close(&to.output, true);
}

/* ---- Reading ---- */

/* Reads a string that ends with a zero: the quote after it has room for that. */
static bool read_text(lathe_json *json, const char **text) {
  lathe_json_string string;
  if (!lathe_json_read_string(json, &string))
    return false;
  ((char *)(uintptr_t)string.text)[string.length] = '\0';
  *text = string.text;
  return strlen(string.text) == string.length;
}

static bool read_pair(lathe_json *json, const char **axis, int64_t *value) {
  return lathe_json_accept(json, '[') && read_text(json, axis) && lathe_json_accept(json, ',') &&
         lathe_json_read_integer(json, value) && lathe_json_accept(json, ']');
}

/* Adds room for one more element, which is zero. */
static void *grow(void *array, uint32_t count, size_t size) {
  if ((count & (count - 1)) != 0) /* it has room up to the next power of two */
    return array;
  char *grown = realloc(array, (count ? 2 * (size_t)count : 1) * size);
  if (grown)
    memset(grown + count * size, 0, (count ? count : 1) * size);
  else
    free(array);
  return grown;
}

static bool read_key(lathe_json *json, const char *key) {
  const char *text;
  return read_text(json, &text) && strcmp(text, key) == 0 && lathe_json_accept(json, ':');
}

static bool read_axes(lathe_json *json, lathe_index *index) {
  int64_t ranks = 1;
  if (!lathe_json_accept(json, '['))
    return false;
  if (lathe_json_accept(json, ']'))
    return true;
  do {
    index->axes = grow(index->axes, index->axis_count, sizeof *index->axes);
    lathe_axis *axis = index->axes ? &index->axes[index->axis_count++] : NULL;
    if (!axis || !read_pair(json, &axis->name, &axis->size) || axis->size < 1 || axis->size > INT32_MAX / ranks)
      return false;
    ranks *= axis->size;
  } while (lathe_json_accept(json, ','));
  return lathe_json_accept(json, ']');
}

static bool read_extents(lathe_json *json, lathe_saved_variable *variable) {
  int64_t *extents = calloc(LATHE_PART_RANK, sizeof *extents);
  variable->whole.extents = extents;
  if (!extents || !lathe_json_accept(json, '['))
    return false;
  if (lathe_json_accept(json, ']'))
    return true;
  do {
    if (variable->whole.rank == LATHE_PART_RANK || !lathe_json_read_integer(json, &extents[variable->whole.rank++]))
      return false;
  } while (lathe_json_accept(json, ','));
  return lathe_json_accept(json, ']');
}

static bool read_splits(lathe_json *json, lathe_saved_variable *variable) {
  lathe_split_info *splits = calloc(MAX_SPLITS, sizeof *splits);
  variable->whole.splits = splits;
  if (!splits || !lathe_json_accept(json, '['))
    return false;
  if (lathe_json_accept(json, ']'))
    return true;
  do {
    int64_t dimension;
    if (variable->whole.split_count == MAX_SPLITS)
      return false;
    lathe_split_info *split = &splits[variable->whole.split_count++];
    if (!read_pair(json, &split->axis, &dimension) || dimension >= variable->whole.rank)
      return false;
    split->dimension = (uint32_t)dimension;
  } while (lathe_json_accept(json, ','));
  return lathe_json_accept(json, ']');
}

static bool read_variable(lathe_json *json, lathe_index *index) {
  const char *dtype, *flat_axis;
  index->variables = grow(index->variables, index->variable_count, sizeof *index->variables);
  if (!index->variables)
    return false;
  lathe_saved_variable *variable = &index->variables[index->variable_count++];
  if (!lathe_json_accept(json, '[') || !read_text(json, &variable->name) || !lathe_json_accept(json, ',') ||
      !read_text(json, &dtype) || !lathe_json_accept(json, ',') || !read_extents(json, variable) ||
      !lathe_json_accept(json, ',') || !read_splits(json, variable) || !lathe_json_accept(json, ',') ||
      !read_text(json, &flat_axis) || !lathe_json_accept(json, ']'))
    return false;
  variable->whole.flat_axis = *flat_axis ? flat_axis : NULL;
  for (int i = LATHE_I1; i <= LATHE_F64; ++i)
    if (strcmp(lathe_safetensors_dtype((lathe_dtype)i), dtype) == 0)
      variable->dtype = (lathe_dtype)i;
  uint64_t bytes;
  return lathe_array_bytes(variable->dtype, variable->whole.rank, variable->whole.extents, &bytes) &&
         lathe_dtype_size(variable->dtype) > 0;
}

static bool read_index(lathe_json *json, lathe_index *index) {
  const char *format;
  if (!lathe_json_accept(json, '{') || !read_key(json, "format") || !read_text(json, &format) || strcmp(format, FORMAT) != 0 ||
      !lathe_json_accept(json, ',') || !read_key(json, "axes") || !read_axes(json, index) || !lathe_json_accept(json, ',') ||
      !read_key(json, "variables") || !lathe_json_accept(json, '['))
    return false;
  if (!lathe_json_accept(json, ']')) {
    do
      if (!read_variable(json, index))
        return false;
    while (lathe_json_accept(json, ','));
    if (!lathe_json_accept(json, ']'))
      return false;
  }
  return lathe_json_accept(json, '}') && lathe_json_at_end(json);
}

void lathe_index_release(lathe_index *index) {
  for (uint32_t i = 0; i < index->variable_count && index->variables; ++i) {
    free((void *)(uintptr_t)index->variables[i].whole.extents);
    free((void *)(uintptr_t)index->variables[i].whole.splits);
  }
  free(index->variables);
  free(index->axes);
  free(index->text);
}

lathe_status lathe_index_read(const char *path, lathe_index *index, const char *function, lathe_error *error) {
  lathe_input input;
  *index = (lathe_index){.text = NULL};
  lathe_status status = lathe_input_open(&input, function, path, error);
  if (status != LATHE_OK)
    return status;
  index->text = input.size <= MAX_INDEX ? malloc(input.size + 1) : NULL;
  status = index->text ? lathe_input_read(&input, index->text, input.size, "index")
                       : lathe_fail_memory(error, function, path, input.size);
  lathe_input_close(&input);
  lathe_json json = {index->text, index->text ? index->text + input.size : NULL};
  if (status == LATHE_OK && !read_index(&json, index))
    status = lathe_fail_format(error, function, path, "index", "it is not the index of a checkpoint");
  return status;
}
