/* A libnccl.so.2 that writes down what it is asked to do. It moves nothing.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "fake_nccl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct identity {
  char bytes[128];
} identity;

typedef struct endpoint {
  int ranks, rank;
  char id;
} endpoint;

fake_nccl fake_nccl_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Each rank is a thread. */
static _Thread_local char log_text[4096];

const char *fake_nccl_log(void) { return log_text; }
void fake_nccl_clear(void) { log_text[0] = '\0'; }

static int note(const char *call, const endpoint *at, const void *from, const void *to, size_t count, int type, int extra,
                void *stream) {
  const size_t used = strlen(log_text);
  snprintf(log_text + used, sizeof log_text - used, "%s %c%d/%d from %d to %d count %d type %d %d%s;", call, at->id, at->rank,
           at->ranks, from ? *(const int *)from : -1, to ? *(const int *)to : -1, (int)count, type, extra,
           stream ? "" : " no stream");
  return 0;
}

static void say(const char *what) { strncat(log_text, what, sizeof log_text - strlen(log_text) - 1); }

int ncclGetUniqueId(identity *id) {
  pthread_mutex_lock(&lock);
  memset(id, 'A' + fake_nccl_state.ids++, sizeof *id);
  pthread_mutex_unlock(&lock);
  return 0;
}

int ncclCommInitRank(endpoint **comm, int ranks, identity id, int rank) {
  *comm = malloc(sizeof **comm);
  **comm = (endpoint){ranks, rank, id.bytes[127]};
  pthread_mutex_lock(&lock);
  ++fake_nccl_state.live;
  fake_nccl_state.misuse += id.bytes[0] != id.bytes[127];
  pthread_mutex_unlock(&lock);
  return 0;
}

static int end(endpoint *comm, int32_t *count) {
  pthread_mutex_lock(&lock);
  --fake_nccl_state.live;
  ++*count;
  pthread_mutex_unlock(&lock);
  free(comm);
  return 0;
}

int ncclCommDestroy(endpoint *comm) { return end(comm, &fake_nccl_state.destroyed); }
int ncclCommAbort(endpoint *comm) { return end(comm, &fake_nccl_state.aborted); }

int ncclCommGetAsyncError(endpoint *comm, int *result) {
  (void)comm;
  *result = fake_nccl_state.failure;
  return 0;
}

const char *ncclGetErrorString(int result) { return result == 6 ? "remote process exited or there was a network error" : "?"; }

int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, endpoint *comm, void *stream) {
  return note("all_reduce", comm, from, to, count, type, op, stream);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, endpoint *comm, void *stream) {
  return note("reduce_scatter", comm, from, to, count, type, op, stream);
}

int ncclAllGather(const void *from, void *to, size_t count, int type, endpoint *comm, void *stream) {
  return note("all_gather", comm, from, to, count, type, 0, stream);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, endpoint *comm, void *stream) {
  return note("broadcast", comm, from, to, count, type, root, stream);
}

#ifndef FAKE_INCOMPLETE
int ncclSend(const void *from, size_t count, int type, int peer, endpoint *comm, void *stream) {
  return note("send", comm, from, NULL, count, type, peer, stream);
}

int ncclRecv(void *to, size_t count, int type, int peer, endpoint *comm, void *stream) {
  return note("receive", comm, NULL, to, count, type, peer, stream);
}
#endif

int ncclGroupStart(void) {
  say("{");
  return 0;
}

int ncclGroupEnd(void) {
  say("}");
  return 0;
}
