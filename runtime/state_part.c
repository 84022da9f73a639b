/* Parts of variables: which elements a rank has, and what two parts have in common.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "state_ranks.h"

#include <string.h>

int64_t lathe_mesh_ranks(lathe_mesh mesh) {
  int64_t ranks = 1;
  for (uint32_t i = 0; i < mesh.axis_count; ++i)
    ranks *= mesh.axes[i].size;
  return ranks;
}

/* Returns the size of an axis, 1 if the mesh does not have it, and the rank's index along it. */
static int64_t size_along(lathe_mesh mesh, const char *axis, int64_t rank, int64_t *index) {
  for (uint32_t i = mesh.axis_count; i-- > 0; rank /= mesh.axes[i].size) {
    if (strcmp(mesh.axes[i].name, axis) != 0)
      continue;
    *index = rank % mesh.axes[i].size;
    return mesh.axes[i].size;
  }
  *index = 0;
  return 1;
}

static bool divides(const lathe_whole_info *whole, const char *axis) {
  if (whole->flat_axis && strcmp(whole->flat_axis, axis) == 0)
    return true;
  for (uint32_t i = 0; i < whole->split_count; ++i)
    if (strcmp(whole->splits[i].axis, axis) == 0)
      return true;
  return false;
}

bool lathe_part_of_rank(const lathe_whole_info *whole, lathe_mesh mesh, int64_t rank, lathe_part_info *part) {
  if (whole->rank > LATHE_PART_RANK)
    return false;
  *part = (lathe_part_info){.rank = whole->rank, .block = 1, .replicas = 1};
  for (uint32_t d = 0; d < whole->rank; ++d)
    part->whole[d] = part->extents[d] = whole->extents[d];
  for (uint32_t i = 0; i < whole->split_count; ++i) {
    int64_t index;
    const int64_t size = size_along(mesh, whole->splits[i].axis, rank, &index);
    const uint32_t d = whole->splits[i].dimension;
    if (d >= whole->rank || part->extents[d] % size != 0)
      return false;
    part->extents[d] /= size;
    part->first[d] = index * part->extents[d];
  }
  for (uint32_t d = 0; d < whole->rank; ++d)
    part->block *= part->extents[d];
  part->end = part->block;
  if (whole->flat_axis) {
    int64_t index;
    const int64_t size = size_along(mesh, whole->flat_axis, rank, &index), share = (part->block + size - 1) / size;
    part->begin = index * share;
    part->end = part->begin + share;
  }
  for (uint32_t i = 0; i < mesh.axis_count; ++i) {
    int64_t index;
    if (divides(whole, mesh.axes[i].name))
      continue;
    const int64_t size = size_along(mesh, mesh.axes[i].name, rank, &index);
    part->replica = part->replica * size + index;
    part->replicas *= size;
  }
  return true;
}

lathe_share_info lathe_share_of(const lathe_part_info *part) {
  const int64_t count = part->end - part->begin, share = count / part->replicas, more = count % part->replicas;
  const int64_t begin = part->replica * share + (part->replica < more ? part->replica : more);
  return (lathe_share_info){begin, begin + share + (part->replica < more)};
}

lathe_whole_info lathe_whole_of(const lathe_state_info *variable) {
  if (variable->whole)
    return *variable->whole;
  return (lathe_whole_info){.type_text = variable->type_text, .extents = variable->extents, .rank = variable->rank};
}

/* ---- Copies ---- */

/* Two blocks of one whole, with as few dimensions as describe them. */
typedef struct overlap {
  uint32_t rank;
  int64_t from_first[LATHE_PART_RANK + 1], from_extents[LATHE_PART_RANK + 1];
  int64_t to_first[LATHE_PART_RANK + 1], to_extents[LATHE_PART_RANK + 1];
} overlap;

/* Merges each dimension of which both blocks have all into the one before it. Dimensions go from the innermost one. */
static overlap overlap_of(const lathe_part_info *from, const lathe_part_info *to) {
  overlap o = {.rank = 1, .from_extents = {1}, .to_extents = {1}};
  bool is_whole = true;
  int64_t unit = 1; /* elements of the merged dimensions */
  for (uint32_t d = from->rank; d-- > 0;) {
    if (!is_whole) {
      ++o.rank;
      unit = 1;
    }
    const uint32_t last = o.rank - 1;
    o.from_first[last] = from->first[d] * unit;
    o.from_extents[last] = from->extents[d] * unit;
    o.to_first[last] = to->first[d] * unit;
    o.to_extents[last] = to->extents[d] * unit;
    is_whole = from->extents[d] == from->whole[d] && to->extents[d] == from->whole[d];
    unit *= from->whole[d];
  }
  return o;
}

/* Returns the row of `to` that is row `row` of `from`, where rows are along the innermost dimension; -1: it has no such row. */
static int64_t row_of(const overlap *o, int64_t row) {
  int64_t result = 0, stride = 1;
  for (uint32_t d = 1; d < o->rank; ++d) {
    const int64_t place = o->from_first[d] + row % o->from_extents[d] - o->to_first[d];
    row /= o->from_extents[d];
    if (place < 0 || place >= o->to_extents[d])
      return -1;
    result += place * stride;
    stride *= o->to_extents[d];
  }
  return result;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t lathe_part_copy(const lathe_part_info *from, lathe_share_info share, const void *data, const lathe_part_info *to,
                        void *target, size_t element) {
  const overlap o = overlap_of(from, to);
  const int64_t start = from->begin + share.begin, end = smaller(from->begin + share.end, from->block);
  const int64_t width = o.from_extents[0];
  int64_t copied = 0, length;
  for (int64_t at = start; at < end; at += length) {
    const int64_t column = o.from_first[0] + at % width, row = row_of(&o, at / width);
    length = smaller(width - at % width, end - at);
    const int64_t low = larger(column, o.to_first[0]), high = smaller(column + length, o.to_first[0] + o.to_extents[0]);
    if (row < 0 || low >= high)
      continue;
    const int64_t place = row * o.to_extents[0] + low - o.to_first[0]; /* in the target's block */
    const int64_t first = larger(place, to->begin), last = smaller(place + high - low, smaller(to->end, to->block));
    if (first >= last)
      continue;
    copied += last - first;
    if (data)
      memcpy((char *)target + (size_t)(first - to->begin) * element,
             (const char *)data + (size_t)(at - start + low - column + first - place) * element,
             (size_t)(last - first) * element);
  }
  return copied;
}
