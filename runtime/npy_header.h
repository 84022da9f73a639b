/* The text in the header of an .npy file: its types and its Python dictionary.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_NPY_HEADER_H
#define LATHE_RUNTIME_NPY_HEADER_H

#include "internal.h"

#pragma GCC visibility push(hidden)

enum { LATHE_NPY_MAX_RANK = 8 };

/* Returns NumPy's name without the byte order, e.g. "f4", or NULL for types that NumPy lacks. */
const char *lathe_npy_type(lathe_dtype dtype);

/* Sets dtype, rank and extents of the array. Returns NULL, or the problem. */
const char *lathe_npy_parse_header(const char *text, size_t length, lathe_array *array, bool *fortran);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_NPY_HEADER_H */
