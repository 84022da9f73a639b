/* Compares what the ranks of a job run.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "comm.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t start, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; ++i)
    start = (start ^ bytes[i]) * 0x100000001b3;
  return start;
}

/* Values of all ranks, on the stack for small jobs. */
enum { SMALL = 64 };
typedef struct values {
  int64_t small[SMALL], *all;
} values;

static bool take(values *of, int64_t count) {
  of->all = count <= SMALL ? of->small : malloc((size_t)count * sizeof *of->all);
  return of->all != NULL;
}

static void give_back(values *of) {
  if (of->all != of->small)
    free(of->all);
}

/* Sets *rank to the first rank whose value is not that of rank 0, or to -1. A failure names the entry, unless it is an older
 * one of an op. */
static lathe_status compare(lathe_comm *comm, const lathe_ranks_info *info, int64_t mine, values *of, int64_t *rank,
                            lathe_error *error) {
  const lathe_status status = comm->gather(comm, mine, of->all, error);
  if (status != LATHE_OK && error && !error->op) {
    error->file = info->file;
    error->function = info->function;
  }
  *rank = -1;
  for (int64_t r = comm->size; status == LATHE_OK && r-- > 1;)
    if (of->all[r] != of->all[0])
      *rank = r;
  return status;
}

/* Finds the first difference. Every rank comes to the same one, because it is the same for all. */
static lathe_status explain(lathe_comm *comm, const lathe_ranks_info *info, const int64_t *dimensions, values *of,
                            lathe_error *error) {
  lathe_error record = {.status = LATHE_ERROR_COMM, .file = info->file, .function = info->function, .actual = -1};
  const int64_t whole[] = {(int64_t)info->fingerprint,
                           (int64_t)hash(info->dimension_count, info->function, strlen(info->function))};
  const char *const reasons[] = {"objects differ", "calls differ"};
  for (int i = 0; i < 2 && record.actual < 0; ++i) {
    record.other = reasons[i];
    const lathe_status status = compare(comm, info, whole[i], of, &record.actual, error);
    if (status != LATHE_OK)
      return status;
  }
  for (uint32_t i = 0; i < info->dimension_count && record.actual < 0; ++i) {
    const lathe_status status = compare(comm, info, dimensions[i], of, &record.actual, error);
    if (status != LATHE_OK)
      return status;
    record.other = "sizes differ";
    record.argument = info->dimensions ? info->dimensions[i] : NULL;
    if (record.actual >= 0) {
      record.expected = of->all[0];
      record.index[0] = of->all[record.actual];
    }
  }
  if (error)
    *error = record;
  return record.status;
}

lathe_status lathe_comm_begin(lathe_comm *comm, const lathe_ranks_info *info, const int64_t *dimensions, lathe_error *error) {
  values of;
  if (!take(&of, comm->size))
    return lathe_fail_memory(error, info->function, info->file, (uint64_t)comm->size * sizeof *of.all);
  uint64_t mine = hash(info->fingerprint ^ 0xcbf29ce484222325, info->function, strlen(info->function) + 1);
  mine = hash(mine, dimensions, (size_t)info->dimension_count * sizeof *dimensions);
  int64_t rank = -1;
  lathe_status status = compare(comm, info, (int64_t)mine, &of, &rank, error);
  if (status == LATHE_OK && rank >= 0)
    status = explain(comm, info, dimensions, &of, error);
  give_back(&of);
  return status;
}
