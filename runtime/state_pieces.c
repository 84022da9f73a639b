/* The tensors in the file of a rank.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "state_ranks.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

/* A tensor and its extents, in the memory of the module that describes the file. */
typedef struct piece {
  int64_t extents[LATHE_PART_RANK];
} piece;

/* The whole part has the extents of its block; a share of it, or a part of the elements, has one dimension. */
static uint32_t extents_of(const lathe_part_info *part, lathe_share_info share, int64_t *extents) {
  if (part->begin == 0 && part->end == part->block && share.begin == 0 && share.end == part->end) {
    for (uint32_t d = 0; d < part->rank; ++d)
      extents[d] = part->extents[d];
    return part->rank;
  }
  extents[0] = share.end - share.begin;
  return 1;
}

lathe_module_info *lathe_pieces(const lathe_saved_variable *variables, uint32_t count, const lathe_state_info *offsets,
                                lathe_mesh mesh, int64_t rank) {
  const size_t states = (size_t)count * sizeof(lathe_state_info);
  lathe_module_info *module = calloc(1, sizeof *module + states + (size_t)count * sizeof(piece));
  if (!module)
    return NULL;
  lathe_state_info *state = (lathe_state_info *)(module + 1);
  piece *pieces = (piece *)(void *)((char *)state + states);
  *module = (lathe_module_info){.magic = LATHE_INFO_MAGIC, .abi_version = LATHE_ABI_VERSION, .state = state};
  for (uint32_t i = 0; i < count; ++i) {
    lathe_part_info part;
    if (!lathe_part_of_rank(&variables[i].whole, mesh, rank, &part))
      continue; /* the caller has checked that */
    const lathe_share_info share = lathe_share_of(&part);
    if (share.begin == share.end)
      continue;
    const uint64_t size = lathe_dtype_size(variables[i].dtype);
    lathe_state_info *next = &state[module->state_count];
    int64_t *extents = pieces[module->state_count++].extents;
    *next = (lathe_state_info){.name = variables[i].name,
                               .dtype = variables[i].dtype,
                               .rank = extents_of(&part, share, extents),
                               .extents = extents,
                               .offset = offsets ? offsets[i].offset + (uint64_t)share.begin * size : module->state_size,
                               .size = (uint64_t)(share.end - share.begin) * size};
    module->state_size += (next->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  return module;
}
