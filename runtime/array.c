/* Element types and arrays.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "internal.h"

static const struct {
  const char *name;
  size_t size;
} dtypes[] = {
    [LATHE_I1] = {"i1", 1},   [LATHE_I8] = {"i8", 1},   [LATHE_I16] = {"i16", 2},   [LATHE_I32] = {"i32", 4},
    [LATHE_I64] = {"i64", 8}, [LATHE_U8] = {"u8", 1},   [LATHE_U16] = {"u16", 2},   [LATHE_U32] = {"u32", 4},
    [LATHE_U64] = {"u64", 8}, [LATHE_F16] = {"f16", 2}, [LATHE_BF16] = {"bf16", 2}, [LATHE_F32] = {"f32", 4},
    [LATHE_F64] = {"f64", 8},
};

static bool is_known(lathe_dtype dtype) { return dtype >= LATHE_I1 && dtype <= LATHE_F64; }

size_t lathe_dtype_size(lathe_dtype dtype) { return is_known(dtype) ? dtypes[dtype].size : 0; }

const char *lathe_dtype_name(lathe_dtype dtype) { return is_known(dtype) ? dtypes[dtype].name : "unknown"; }

bool lathe_array_bytes(lathe_dtype dtype, uint32_t rank, const int64_t *extents, uint64_t *bytes) {
  uint64_t product = lathe_dtype_size(dtype);
  bool empty = false, fits = true;
  for (uint32_t i = 0; i < rank; ++i) {
    if (extents[i] < 0)
      return false;
    empty |= extents[i] == 0;
    fits = fits && !__builtin_mul_overflow(product, (uint64_t)extents[i], &product) && product <= INT64_MAX;
  }
  *bytes = empty ? 0 : product;
  return empty || fits;
}

void lathe_normalise_booleans(void *data, uint64_t size) {
  unsigned char *bytes = data;
  for (uint64_t i = 0; i < size; ++i)
    bytes[i] = bytes[i] != 0;
}

void lathe_array_release(lathe_array *array) {
  if (!array)
    return;
  lathe_free(array->data);
  array->data = NULL;
  array->size = 0;
}
