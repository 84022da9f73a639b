/* Safetensors files: eight bytes of header length, a JSON header, then the tensors.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Format: https://huggingface.co/docs/safetensors
 */
#include "safetensors.h"

#include <string.h>

static const struct {
  const char *name, *mismatch;
} dtypes[] = {
#define DTYPE(dtype, name) [dtype] = {name, "the tensor's type is not " name}
    DTYPE(LATHE_I1, "BOOL"), DTYPE(LATHE_I8, "I8"),   DTYPE(LATHE_I16, "I16"),   DTYPE(LATHE_I32, "I32"),
    DTYPE(LATHE_I64, "I64"), DTYPE(LATHE_U8, "U8"),   DTYPE(LATHE_U16, "U16"),   DTYPE(LATHE_U32, "U32"),
    DTYPE(LATHE_U64, "U64"), DTYPE(LATHE_F16, "F16"), DTYPE(LATHE_BF16, "BF16"), DTYPE(LATHE_F32, "F32"),
    DTYPE(LATHE_F64, "F64"),
#undef DTYPE
};

const char *lathe_safetensors_dtype(lathe_dtype dtype) { return dtypes[dtype].name; }

const char *lathe_safetensors_mismatch(lathe_dtype dtype) { return dtypes[dtype].mismatch; }

lathe_status lathe_safetensors_check(const lathe_module_info *module, const char *function, const char *path,
                                     lathe_error *error) {
  if (module->abi_version != LATHE_ABI_VERSION) {
    if (error)
      *error = (lathe_error){.status = LATHE_ERROR_ABI,
                             .file = path,
                             .function = function,
                             .expected = LATHE_ABI_VERSION,
                             .actual = module->abi_version};
    return LATHE_ERROR_ABI;
  }
  for (uint32_t i = 0; i < module->state_count; ++i) {
    const lathe_state_info *variable = &module->state[i];
    uint64_t size;
    if (strcmp(variable->name, LATHE_SAFETENSORS_METADATA) == 0)
      return lathe_fail_format(error, function, path, variable->name, "the format reserves this name");
    if (!lathe_dtype_size(variable->dtype) || !lathe_array_bytes(variable->dtype, variable->rank, variable->extents, &size) ||
        size != variable->size)
      return lathe_fail_format(error, function, path, variable->name, "the module's type, shape and size disagree");
  }
  return LATHE_OK;
}

void lathe_write_text(lathe_output *output, uint64_t *length, const char *text) {
  if (output)
    lathe_output_write(output, text, strlen(text));
  *length += strlen(text);
}

void lathe_write_json_text(lathe_output *output, uint64_t *length, const char *text) {
  lathe_write_text(output, length, "\"");
  for (; *text; ++text) {
    char escaped[8] = {*text, '\0'};
    if (*text == '"' || *text == '\\')
      snprintf(escaped, sizeof escaped, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*text);
    lathe_write_text(output, length, escaped);
  }
  lathe_write_text(output, length, "\"");
}
