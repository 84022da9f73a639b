/* Texts of tensors, for lathe.print and for lathe-run.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_TEXT_H
#define LATHE_RUNTIME_TEXT_H

#include "lathe/runtime.h"

#include <stdio.h>

#pragma GCC visibility push(hidden)
#ifdef __cplusplus
extern "C" {
#endif

/* Writes the element at `index` of a row-major tensor as the shortest text that reads back as the same number; five digits for
 * a half. Decimal exponents from -4 to 15 are written as 0.0001 or 100000. */
void lathe_write_element(FILE *out, lathe_dtype dtype, const void *data, int64_t index);

/* Writes ": f32[2][3] min 1 max 6 mean 3.5: 1 2 3 4 5 6", or " = 300" for rank 0. */
void lathe_write_tensor(FILE *out, lathe_dtype dtype, uint32_t rank, const int64_t *extents, const void *data);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_TEXT_H */
