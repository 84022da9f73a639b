/* NumPy's .npy files: one array after a header with the text of a Python dictionary.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#include "npy_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 1 << 20, PREFIX = 10, ALIGNMENT = 64 };

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* ---- Reading ---- */

static lathe_status fail(lathe_input *input, const char *what, const char *problem) {
  return lathe_fail_format(input->error, input->function, input->path, what, problem);
}

static lathe_status read_length(lathe_input *input, uint32_t *length) {
  unsigned char prefix[8], bytes[4] = {0, 0, 0, 0};
  lathe_status status = lathe_input_read(input, prefix, sizeof prefix, "magic number");
  if (status != LATHE_OK)
    return status;
  if (memcmp(prefix, magic, sizeof magic) != 0)
    return fail(input, "magic number", "not an .npy file");
  if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
    return fail(input, "version", "only formats 1.0, 2.0 and 3.0 are supported");
  status = lathe_input_read(input, bytes, prefix[6] == 1 ? 2 : 4, "header length");
  if (status != LATHE_OK)
    return status;
  memcpy(length, bytes, sizeof *length);
  if (*length <= MAX_HEADER)
    return LATHE_OK;
  return lathe_fail_format_values(input->error, input->function, input->path, "header length", "it is too large", MAX_HEADER,
                                  *length);
}

static lathe_status read_header(lathe_input *input, lathe_array *array, bool *fortran) {
  uint32_t length = 0;
  lathe_status status = read_length(input, &length);
  if (status != LATHE_OK)
    return status;
  char *text = malloc(length ? length : 1);
  if (!text)
    return lathe_fail_memory(input->error, input->function, input->path, length);
  status = lathe_input_read(input, text, length, "header");
  if (status == LATHE_OK) {
    const char *problem = lathe_npy_parse_header(text, length, array, fortran);
    if (problem)
      status = fail(input, "header", problem);
  }
  free(text);
  return status;
}

/* Transposes column-major `from` to row-major `to`, in the order of `to`. */
static void transpose(const lathe_array *shape, const char *from, char *to) {
  const size_t size = lathe_dtype_size(shape->dtype);
  int64_t index[LATHE_NPY_MAX_RANK] = {0}, strides[LATHE_NPY_MAX_RANK], stride = 1;
  for (uint32_t i = 0; i < shape->rank; ++i) {
    strides[i] = stride;
    stride *= shape->extents[i];
  }
  int64_t source = 0;
  for (size_t done = 0; done < shape->size; done += size) {
    memcpy(to + done, from + (size_t)source * size, size);
    for (uint32_t i = shape->rank; i-- > 0;) {
      source += strides[i];
      if (++index[i] < shape->extents[i])
        break;
      source -= index[i] * strides[i];
      index[i] = 0;
    }
  }
}

static lathe_status read_transposed(lathe_input *input, lathe_array *array) {
  char *columns = lathe_alloc(array->size);
  if (!columns)
    return lathe_fail_memory(input->error, input->function, input->path, array->size);
  const lathe_status status = lathe_input_read(input, columns, array->size, "data");
  if (status == LATHE_OK)
    transpose(array, columns, array->data);
  lathe_free(columns);
  return status;
}

static lathe_status read_data(lathe_input *input, lathe_array *array, bool fortran) {
  uint64_t size;
  if (!lathe_array_bytes(array->dtype, array->rank, array->extents, &size))
    return fail(input, "shape", "the array's size does not fit into 64 bits");
  if (size > input->size - input->position) /* checked before allocation */
    return lathe_fail_format_values(input->error, input->function, input->path, "data", "the file is truncated, bytes",
                                    (int64_t)size, (int64_t)(input->size - input->position));
  array->size = size;
  array->data = lathe_alloc(size);
  if (!array->data)
    return lathe_fail_memory(input->error, input->function, input->path, size);
  const bool columns = fortran && array->rank > 1 && size > 0; /* the strides of an empty array may overflow */
  lathe_status status = columns ? read_transposed(input, array) : lathe_input_read(input, array->data, size, "data");
  if (status == LATHE_OK)
    status = lathe_input_end(input);
  if (array->dtype == LATHE_I1)
    lathe_normalise_booleans(array->data, size);
  return status;
}

lathe_status lathe_npy_read(const char *path, lathe_array *array, lathe_error *error) {
  lathe_input input;
  lathe_status status = lathe_input_open(&input, __func__, path, error);
  if (status != LATHE_OK)
    return status;
  lathe_array result = {0};
  bool fortran = false;
  status = read_header(&input, &result, &fortran);
  if (status == LATHE_OK)
    status = read_data(&input, &result, fortran);
  lathe_input_close(&input);
  if (status == LATHE_OK)
    *array = result;
  else
    lathe_array_release(&result);
  return status;
}

/* ---- Writing ---- */

/* Writes a header of format 1.0: prefix, text, spaces and a newline, together a multiple of 64 bytes. Returns that length. */
static size_t make_header(const lathe_array *array, const char *description, char *header, size_t size) {
  const char order = description[1] == '1' ? '|' : '<';
  size_t length = PREFIX;
  length += (size_t)snprintf(header + length, size - length, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order,
                             description);
  for (uint32_t i = 0; i < array->rank; ++i)
    length += (size_t)snprintf(header + length, size - length, "%s%" PRId64 "%s", i ? " " : "", array->extents[i],
                               i + 1 < array->rank || array->rank == 1 ? "," : "");
  length += (size_t)snprintf(header + length, size - length, "), }");
  while ((length + 1) % ALIGNMENT != 0)
    header[length++] = ' ';
  header[length++] = '\n';
  const uint16_t text = (uint16_t)(length - PREFIX);
  memcpy(header, magic, sizeof magic);
  memcpy(header + 6, (const char[]){1, 0}, 2);
  memcpy(header + 8, &text, sizeof text);
  return length;
}

lathe_status lathe_npy_write(const char *path, const lathe_array *array, lathe_error *error) {
  const char *description = lathe_npy_type(array->dtype);
  uint64_t size = 0;
  if (!description)
    return lathe_fail_format(error, __func__, path, "dtype", array->dtype == LATHE_BF16 ? "NumPy has no bf16" : "unknown");
  if (array->rank > LATHE_NPY_MAX_RANK)
    return lathe_fail_format_values(error, __func__, path, "rank", "it is too large", LATHE_NPY_MAX_RANK, array->rank);
  if (!lathe_array_bytes(array->dtype, array->rank, array->extents, &size))
    return lathe_fail_format(error, __func__, path, "shape", "a dimension is negative, or the size overflows");
  if (size != array->size)
    return lathe_fail_format_values(error, __func__, path, "size", "it does not match dtype and shape", (int64_t)size,
                                    (int64_t)array->size);
  if (size > 0 && !array->data)
    return lathe_fail_format(error, __func__, path, "data", "it is NULL");

  lathe_output output;
  const lathe_status status = lathe_output_open(&output, __func__, path, error);
  if (status != LATHE_OK)
    return status;
  char header[512];
  lathe_output_write(&output, header, make_header(array, description, header, sizeof header));
  lathe_output_write(&output, array->data, size);
  return lathe_output_close(&output, true);
}
