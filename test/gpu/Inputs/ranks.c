/* Ranks with contexts of devices: `ranks DEVICE...` starts a rank for each argument, gpu0, gpu1 or cpu, as a thread. Two calls
 * exchange values through a communicator of threads, whose buffers are in the host's memory, or for gpu0d and gpu1d through one
 * that takes the device's memory.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "lathe/ranks.h"
#include "graph.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2, MOST = 4 };

/* A communicator that takes the device's memory, as NCCL's does: it copies by the context and exchanges by another one. Memory
 * of the host would not pass: the device refuses to copy it. */
typedef struct device_comm {
  lathe_comm base;
  lathe_comm *host;
  void *to, *copy;
  size_t size;
  int exchanges;
} device_comm;

static device_comm *mine(lathe_comm *comm) { return (device_comm *)comm; }

static lathe_status gather(lathe_comm *comm, int64_t value, int64_t *all, lathe_error *error) {
  return mine(comm)->host->gather(mine(comm)->host, value, all, error);
}

static lathe_status start(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, const void *input,
                          void *output, int64_t count, lathe_error *error) {
  device_comm *it = mine(comm);
  const size_t bytes = (size_t)count * lathe_dtype_size(info->dtype);
  static _Thread_local float from[64], to[64];
  it->size = info->kind == LATHE_ALL_GATHER ? bytes * (size_t)comm->size : bytes;
  if (it->size > sizeof to)
    return LATHE_ERROR_COMM;
  it->to = output, it->copy = to, ++it->exchanges;
  const lathe_status status = lathe_context_download(context, from, input, bytes, error);
  return status != LATHE_OK ? status : it->host->start(it->host, context, info, from, to, count, error);
}

static lathe_status wait_for(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, lathe_error *error) {
  device_comm *it = mine(comm);
  const lathe_status status = it->host->wait(it->host, context, info, error);
  return status != LATHE_OK ? status : lathe_context_upload(context, it->to, it->copy, it->size, error);
}

static device_comm on_device(lathe_comm *host) {
  device_comm it = {.base = *host, .host = host};
  it.base.takes_device_memory = 1;
  it.base.gather = gather;
  it.base.begin = lathe_comm_begin;
  it.base.start = start;
  it.base.attach = NULL;
  it.base.destroy = NULL;
  it.base.wait = wait_for;
  return it;
}

typedef struct job {
  lathe_comm *comm;
  const char *where;
  int rank, ranks;
  float sum[3], all[MOST * ROWS * 3];
  int exchanges; /* in the device's memory */
  int done;      /* calls that succeeded */
  lathe_status status;
} job;

static int require(job *it, lathe_status status, const lathe_error *error) {
  if (status == LATHE_OK || it->status != LATHE_OK)
    return status == LATHE_OK;
  char text[512];
  lathe_error_format(error, text, sizeof text);
  printf("rank %d, after %d calls: %s\n", it->rank, it->done, text);
  it->status = status;
  return 0;
}

static void calls(job *it, lathe_context *context, void *state, void *workspace, size_t size) {
  lathe_error error = {.status = LATHE_OK};
  int64_t seed = 1;
  graph_init_args init = {
      .seed = &seed, .state = state, .workspace = workspace, .workspace_size = size, .context = context, .error = &error};
  if (!require(it, graph_init(&init), &error))
    return;
  float x[ROWS * 3];
  for (int i = 0; i < ROWS * 3; ++i)
    x[i] = (float)(10 * it->rank + i);
  graph_f_args f = {.N = ROWS,
                    .data = it->ranks,
                    .x = x,
                    .sum = it->sum,
                    .all = it->all,
                    .state = state,
                    .workspace = workspace,
                    .workspace_size = size,
                    .context = context,
                    .error = &error};
  for (; it->done < 2; ++it->done)
    if (!require(it, graph_f(&f), &error))
      return;
}

static void *run(void *argument) {
  job *it = argument;
  lathe_error error = {.status = LATHE_OK};
  lathe_context *context =
      strncmp(it->where, "gpu", 3) == 0 ? lathe_context_create_cuda(atoi(it->where + 3), &error) : lathe_context_create(1);
  if (!context) {
    lathe_error_print(&error);
    exit(1);
  }
  device_comm direct = on_device(it->comm);
  const int is_direct = strncmp(it->where, "gpu", 3) == 0 && strchr(it->where, 'd') != NULL;
  context->comm = is_direct ? &direct.base : it->comm;
  size_t size = graph_f_workspace_size(ROWS, it->ranks);
  void *state = lathe_context_alloc(context, GRAPH_STATE_SIZE), *workspace = lathe_context_alloc(context, size);
  calls(it, context, state, workspace, size);
  it->exchanges = direct.exchanges;
  lathe_context_free(context, state);
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  lathe_comm_destroy(it->comm);
  return NULL;
}

int main(int argc, char **argv) {
  static job jobs[MOST];
  lathe_comm *comms[MOST];
  pthread_t threads[MOST];
  int ranks = argc - 1;
  lathe_error error = {.status = LATHE_OK};
  lathe_axis data = {.name = "data", .size = ranks};
  if (ranks < 1 || ranks > MOST || lathe_comm_create_local(&data, 1, 60, comms, &error) != LATHE_OK)
    return 2;
  for (int i = 0; i < ranks; ++i) {
    jobs[i] = (job){.comm = comms[i], .where = argv[1 + i], .rank = i, .ranks = ranks};
    if (pthread_create(&threads[i], NULL, run, &jobs[i]))
      return 2;
  }
  int failed = 0;
  for (int i = 0; i < ranks; ++i) {
    pthread_join(threads[i], NULL);
    failed |= jobs[i].status != LATHE_OK;
  }
  for (int i = 0; i < ranks && !failed; ++i) {
    printf("rank %d on %s:", i, argv[1 + i]);
    for (int j = 0; j < 3; ++j)
      printf(" %g", jobs[i].sum[j]);
    printf(" |");
    for (int j = 0; j < ranks * ROWS * 3; ++j)
      printf(" %g", jobs[i].all[j]);
    printf(" | %d\n", jobs[i].exchanges);
  }
  return failed;
}
