/* Declarations that reading and writing of safetensors files share.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_SAFETENSORS_H
#define LATHE_RUNTIME_SAFETENSORS_H

#include "internal.h"

#pragma GCC visibility push(hidden)

#define LATHE_SAFETENSORS_METADATA "__metadata__" /* the one name that is not a tensor's */

/* The format's name of a type, and the text for a tensor that should have it and has not. */
const char *lathe_safetensors_dtype(lathe_dtype dtype);
const char *lathe_safetensors_mismatch(lathe_dtype dtype);

/* A module of another ABI, or whose state the format cannot express, is refused before a file is touched. */
lathe_status lathe_safetensors_check(const lathe_module_info *module, const char *function, const char *path,
                                     lathe_error *error);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_SAFETENSORS_H */
