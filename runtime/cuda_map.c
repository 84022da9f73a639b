/* Tensor maps, by which kernels copy boxes of matrices.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "cuda_context.h"

#include <string.h>

static cu_flag type_of(lathe_dtype dtype) {
  switch (dtype) {
  case LATHE_F16:
    return CU_TENSOR_F16;
  case LATHE_BF16:
    return CU_TENSOR_BF16;
  case LATHE_F64:
    return CU_TENSOR_F64;
  default:
    return CU_TENSOR_F32;
  }
}

static cu_flag swizzle_of(uint32_t bytes) {
  return bytes >= 128  ? CU_TENSOR_SWIZZLE_128
         : bytes == 64 ? CU_TENSOR_SWIZZLE_64
         : bytes == 32 ? CU_TENSOR_SWIZZLE_32
                       : CU_TENSOR_SWIZZLE_NONE;
}

static cu_result encode(const cuda_map *map, void *into) {
  const lathe_device_map *of = map->of;
  return lathe_cuda.tensor_map(into, type_of(of->dtype), of->rank, (void *)(uintptr_t)map->address, map->extents,
                               of->strides + 1, of->box, of->steps, CU_TENSOR_NOT_INTERLEAVED, swizzle_of(of->swizzle),
                               CU_TENSOR_PROMOTION_256, CU_TENSOR_FILL_ZEROS);
}

/* Returns the map for these words, without its bytes. The driver does not support empty tensors, but kernels copy no box of
 * these. */
static cuda_map resolve(const lathe_device_map *of, const uint64_t *words) {
  cuda_map map = {.of = of, .address = words[of->word] + of->offset};
  for (uint32_t i = 0; i < of->rank; ++i) {
    map.extents[i] = of->extents[i];
    if (of->extent_words[i] != UINT32_MAX)
      map.extents[i] *= words[of->extent_words[i]];
    if (map.extents[i] == 0)
      map.extents[i] = 1;
  }
  return map;
}

static cuda_map *place_of(cuda_context *context, const cuda_map *map) {
  uint64_t hash = (uintptr_t)map->of ^ map->address * 0x9E3779B97F4A7C15u;
  for (uint32_t i = 0; i < map->of->rank; ++i)
    hash = (hash ^ map->extents[i]) * 0xFF51AFD7ED558CCDu;
  return &context->maps[(hash >> 32) % CUDA_MAPS];
}

cu_result lathe_cuda_add_maps(cuda_context *context, const cuda_command *command, unsigned char *parameter) {
  const lathe_device_kernel *kernel = command->kernel;
  const size_t words = kernel->words * sizeof *command->words;
  unsigned char *to = parameter + (words + CUDA_MAP_ALIGNMENT - 1) / CUDA_MAP_ALIGNMENT * CUDA_MAP_ALIGNMENT;
  memcpy(parameter, command->words, words);
  for (uint32_t i = 0; i < kernel->map_count; ++i, to += CUDA_MAP_BYTES) {
    cuda_map wanted = resolve(&kernel->maps[i], command->words), *known = place_of(context, &wanted);
    if (known->of != wanted.of || known->address != wanted.address ||
        memcmp(known->extents, wanted.extents, sizeof wanted.extents) != 0) {
      const cu_result result = encode(&wanted, to);
      if (result != CU_SUCCESS)
        return result;
      memcpy(wanted.bytes, to, CUDA_MAP_BYTES);
      *known = wanted;
    }
    memcpy(to, known->bytes, CUDA_MAP_BYTES);
  }
  return CU_SUCCESS;
}
