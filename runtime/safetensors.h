/* Declarations shared by the reader and the writer of safetensors files.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_SAFETENSORS_H
#define LATHE_RUNTIME_SAFETENSORS_H

#include "internal.h"

#pragma GCC visibility push(hidden)

#define LATHE_SAFETENSORS_METADATA "__metadata__" /* the only name that is not a tensor's */

/* Return the format's name of a type, and the message for a tensor that should have it but does not. */
const char *lathe_safetensors_dtype(lathe_dtype dtype);
const char *lathe_safetensors_mismatch(lathe_dtype dtype);

/* Refuses a module of another ABI, or with a state that the format cannot express, before any file access. */
lathe_status lathe_safetensors_check(const lathe_module_info *module, const char *function, const char *path,
                                     lathe_error *error);

/* Writes a text, as it is or as a string of JSON. Without an output only its length is added. */
void lathe_write_text(lathe_output *output, uint64_t *length, const char *text);
void lathe_write_json_text(lathe_output *output, uint64_t *length, const char *text);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_SAFETENSORS_H */
