/* Writes a state region as a safetensors file.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "safetensors.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER_ALIGNMENT = 8 };

static void write_tensor(lathe_output *output, uint64_t *length, const lathe_state_info *variable, uint64_t begin) {
  char text[96];
  lathe_write_json_text(output, length, variable->name);
  snprintf(text, sizeof text, ":{\"dtype\":\"%s\",\"shape\":[", lathe_safetensors_dtype(variable->dtype));
  lathe_write_text(output, length, text);
  for (uint32_t i = 0; i < variable->rank; ++i) {
    snprintf(text, sizeof text, "%s%" PRId64, i ? "," : "", variable->extents[i]);
    lathe_write_text(output, length, text);
  }
  snprintf(text, sizeof text, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", begin, begin + variable->size);
  lathe_write_text(output, length, text);
}

/* Writes the header, padded with spaces so that the data is aligned. */
static void write_header(lathe_output *output, uint64_t *length, const lathe_module_info *module) {
  uint64_t begin = 0;
  lathe_write_text(output, length, "{");
  for (uint32_t i = 0; i < module->state_count; ++i) {
    if (i > 0)
      lathe_write_text(output, length, ",");
    write_tensor(output, length, &module->state[i], begin);
    begin += module->state[i].size;
  }
  lathe_write_text(output, length, "}");
  while (*length % HEADER_ALIGNMENT != 0)
    lathe_write_text(output, length, " ");
}

lathe_status lathe_state_save(const char *path, const lathe_module_info *module, const void *state, lathe_error *error) {
  lathe_status status = lathe_safetensors_check(module, __func__, path, error);
  if (status != LATHE_OK)
    return status;
  lathe_output output;
  status = lathe_output_open(&output, __func__, path, error);
  if (status != LATHE_OK)
    return status;
  uint64_t length = 0, written = 0;
  write_header(NULL, &length, module);
  lathe_output_write(&output, &length, sizeof length);
  write_header(&output, &written, module);
  for (uint32_t i = 0; i < module->state_count; ++i)
    lathe_output_write(&output, (const char *)state + module->state[i].offset, module->state[i].size);
  return lathe_output_close(&output, true);
}
