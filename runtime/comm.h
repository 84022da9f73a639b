/* The common parts of the runtime's communicators: the mesh, failures, checks of calls, and reductions.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_COMM_H
#define LATHE_RUNTIME_COMM_H

#include "internal.h"

#include "lathe/ranks.h"

#pragma GCC visibility push(hidden)

/* ---- comm.c ---- */

/* A communicator that the runtime made. */
typedef struct lathe_own_comm {
  lathe_comm base;     /* first */
  lathe_error failure; /* the first one; its status is LATHE_OK before that */
} lathe_own_comm;

/* The ranks that differ only in their index along one axis, or all ranks. */
typedef struct lathe_group {
  int64_t size, index;   /* index: this rank's */
  int64_t first, stride; /* the rank with index i is first + i * stride */
} lathe_group;

/* Checks the axes of a mesh, and returns its number of ranks, at most INT32_MAX; 0 for a failure, with the reason in *error. */
int64_t lathe_mesh_size(const lathe_axis *axes, uint32_t axis_count, const char *function, lathe_error *error);
/* Returns a copy of the axes, names included, with the indices of a rank. NULL without memory. free() releases it. */
lathe_axis *lathe_mesh_copy(const lathe_axis *axes, uint32_t axis_count, int64_t rank);
/* Returns false if the communicator does not have the axis. */
bool lathe_comm_group(const lathe_comm *comm, const char *axis, lathe_group *group);
lathe_group lathe_comm_all(const lathe_comm *comm);

/* Keeps the failure, unless there is one, and returns its status. `info` is the collective to which it happened; NULL: another
 * call, of `function`. */
lathe_status lathe_comm_fail(lathe_own_comm *comm, const lathe_collective_info *info, const char *function, lathe_error record,
                             lathe_error *error);
/* Returns the failure that the communicator has had. */
lathe_status lathe_comm_again(const lathe_own_comm *comm, lathe_error *error);

/* A call of `start`, or of `gather`. */
typedef struct lathe_comm_call {
  const lathe_collective_info *info; /* NULL: gather */
  const void *input;
  void *output;
  int64_t count, value; /* value: of gather */
  bool is_waited_for;   /* its `wait` has returned, or it is a gather */
} lathe_comm_call;

/* The calls of a communicator, by their numbers. Those from `done` on are not complete; those from `oldest` on are not
 * forgotten, because they are not complete or not waited for. */
typedef struct lathe_comm_queue {
  int64_t oldest, done, started, room;
  lathe_comm_call *calls; /* number n at n % room */
} lathe_comm_queue;

static inline lathe_comm_call *lathe_comm_call_at(const lathe_comm_queue *queue, int64_t number) {
  return &queue->calls[number % queue->room];
}

/* Adds a call. Returns false if the queue is full and there is no memory for a larger one. The first queue has room for 64
 * calls. */
bool lathe_comm_push(lathe_comm_queue *queue, lathe_comm_call call);
/* Checks a call of `start` and finds its group. A mistake of the caller's is not permanent. */
lathe_status lathe_comm_check(const lathe_comm *comm, const lathe_collective_info *info, const void *input, const void *output,
                              int64_t count, lathe_group *group, lathe_error *error);
/* Returns the number of the first call with this info that is not waited for; -1 if there is none. */
int64_t lathe_comm_find(const lathe_comm_queue *queue, const lathe_collective_info *info);
/* Marks a complete call as waited for. */
void lathe_comm_forget(lathe_comm_queue *queue, int64_t number);
/* Returns NULL if the two calls fit together, else the reason: "calls differ" or "sizes differ". */
const char *lathe_comm_differ(const lathe_comm_call *a, const lathe_comm_call *b);

/* ---- comm_reduce.c ---- */

/* True if values of the type can be combined. */
bool lathe_can_reduce(lathe_dtype dtype, lathe_reduction reduction);
/* Combines elements [begin, end) of `count` >= 1 inputs in the order of the tree, and writes them to the same elements of each
 * output. An output may equal an input. */
void lathe_reduce(lathe_dtype dtype, lathe_reduction reduction, const void *const *inputs, int64_t count, void *const *outputs,
                  int64_t output_count, int64_t begin, int64_t end);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_COMM_H */
