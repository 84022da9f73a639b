/* A rank of an MPI job on a device or a CPU: `mpi gpu|cpu` under mpirun calls `f` three times, and rank 0 prints the bits of
 * all ranks' results. With `gpu`, MPI must get addresses in the device's memory.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "lathe/mpi.h"
#include "../../runtime/fake_mpi.h"
#include "graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 700, MOST = 4, HEADER_AND_VALUES = 32 + 1024 };

static void require(lathe_status status, const lathe_error *error) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(error);
  exit(1);
}

static uint64_t hash(uint64_t before, const void *data, size_t size) {
  for (const unsigned char *byte = data; size-- > 0; ++byte)
    before = (before ^ *byte) * 0x100000001b3;
  return before;
}

int main(int argc, char **argv) {
  static float x[MOST * COLUMNS], sum[MOST * COLUMNS], own[COLUMNS], all[MOST * MOST * COLUMNS], next[MOST * COLUMNS], small[3];
  const lathe_axis axes[] = {{"data", 0, 0}};
  const int on_device = argc > 1 && strcmp(argv[1], "gpu") == 0;
  lathe_comm *comm;
  lathe_error error = {.status = LATHE_OK};
  require(lathe_comm_create_mpi(NULL, axes, 1, 300, &comm, &error), &error);
  lathe_context *context = on_device ? lathe_context_create_cuda(0, &error) : lathe_context_create(1);
  require(context ? LATHE_OK : error.status, &error);
  context->comm = comm;
  if (on_device)
    fake_mpi_expect_device(HEADER_AND_VALUES);
  const int64_t ranks = comm->size;
  for (int64_t i = 0; i < ranks * COLUMNS; ++i)
    x[i] = ldexpf((float)((comm->rank * 7919 + i * 104729) % 10007 - 5003), (int)(i % 20) - 10);
  uint64_t bits = 0xcbf29ce484222325;
  const size_t size = graph_f_workspace_size(ranks);
  void *workspace = lathe_context_alloc(context, size);
  for (int call = 0; call < 3; ++call) {
    graph_f_args args = {.data = ranks,
                         .x = x,
                         .sum = sum,
                         .own = own,
                         .all = all,
                         .next = next,
                         .small = small,
                         .workspace = workspace,
                         .workspace_size = size,
                         .context = context,
                         .error = &error};
    require(graph_f(&args), &error);
    bits = hash(bits, sum, (size_t)ranks * COLUMNS * sizeof *sum);
    bits = hash(bits, own, sizeof own);
    bits = hash(bits, all, (size_t)(ranks * ranks) * COLUMNS * sizeof *all);
    bits = hash(bits, next, (size_t)ranks * COLUMNS * sizeof *next);
    bits = hash(bits, small, sizeof small);
    memcpy(x, next, sizeof next); /* the next call has other values */
  }
  int64_t of_all[MOST];
  require(comm->gather(comm, (int64_t)bits, of_all, &error), &error);
  for (int64_t r = 0; r < ranks && comm->rank == 0; ++r)
    printf("rank %d: %016" PRIx64 "\n", (int)r, (uint64_t)of_all[r]);
  const int is_right = (fake_mpi_messages() > 0) == (on_device && ranks > 1);
  if (!is_right)
    printf("rank %d: %d messages in device memory\n", (int)comm->rank, fake_mpi_messages());
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  lathe_comm_destroy(comm);
  return !is_right;
}
