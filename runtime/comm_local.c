/* A communicator whose ranks are threads of one process, which read each other's buffers.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `start` only enters a call into the rank's queue. Whoever waits for a call completes the rank's queue up to it, one call
 * after the other: it waits until all ranks of the group have entered the call, does its own share of the work, and waits until
 * all have done theirs. The shares are disjoint, so that an all_reduce may work in place: rank i reduces part i of all inputs
 * and writes part i of all outputs.
 *
 * Among the calls that are not complete, the ranks of the one with the lowest number all come to it, since each completes its
 * calls in order. So ranks that make the same calls cannot wait for each other in a circle.
 */
#define _POSIX_C_SOURCE 200809L
#include "comm.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct local_job local_job;

typedef struct local_rank {
  lathe_own_comm own; /* first */
  local_job *job;
  const void **inputs; /* of a group, by index */
  void **outputs;
  /* Protected by the job's lock: */
  lathe_comm_queue queue;
  int64_t moved;   /* calls of which this rank has done its share */
  int64_t missing; /* the rank for which this one waits; -1: it does not wait */
  bool has_ended;
} local_rank;

struct local_job {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  double timeout;
  /* Protected by the lock: */
  int64_t alive;      /* ranks that have not ended */
  int64_t moving;     /* ranks that access buffers of other ranks */
  lathe_error broken; /* the first failure; its status is LATHE_OK before that */
  local_rank ranks[];
};

/* ---- Waiting. All of these hold the lock. ---- */

static void break_job(local_job *job, lathe_error record) {
  record.status = LATHE_ERROR_COMM;
  if (job->broken.status == LATHE_OK)
    job->broken = record;
  pthread_cond_broadcast(&job->changed);
}

/* Returns the rank on which `rank` depends in the end, because that one does not wait. */
static int64_t culprit(const local_job *job, int64_t rank) {
  for (int64_t links = 0; links < job->ranks[0].own.base.size && job->ranks[rank].missing >= 0; ++links)
    rank = job->ranks[rank].missing;
  return rank;
}

static struct timespec deadline_of(double timeout) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  const double seconds = timeout < 1e9 ? timeout : 1e9;
  at.tv_sec += (time_t)seconds;
  at.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
  if (at.tv_nsec >= 1000000000) {
    at.tv_nsec -= 1000000000;
    ++at.tv_sec;
  }
  return at;
}

static int64_t started_of(const local_rank *rank) { return rank->queue.started; }
static int64_t moved_of(const local_rank *rank) { return rank->moved; }

/* Waits until all ranks of the group have come past call `number`. Returns false if the job is broken. */
static bool await(local_rank *self, lathe_group group, int64_t number, int64_t (*progress)(const local_rank *)) {
  local_job *job = self->job;
  const struct timespec deadline = deadline_of(job->timeout);
  int code = 0;
  for (int64_t i = 0; i < group.size; ++i) {
    const int64_t rank = group.first + i * group.stride;
    const local_rank *other = &job->ranks[rank];
    while (progress(other) <= number && job->broken.status == LATHE_OK) {
      self->missing = rank;
      if (other->has_ended)
        break_job(job, (lathe_error){.other = "ended", .actual = rank});
      else if (code == ETIMEDOUT)
        break_job(job, (lathe_error){.other = "timed out", .actual = culprit(job, rank)});
      else
        code = pthread_cond_timedwait(&job->changed, &job->lock, &deadline);
    }
    self->missing = -1;
    if (progress(other) <= number)
      return false;
  }
  return true;
}

/* Waits until no rank accesses buffers of others, since their owners get them back. New accesses do not begin. */
static void settle(local_job *job) {
  while (job->moving > 0)
    pthread_cond_wait(&job->changed, &job->lock);
}

/* Returns true if a rank of the group has entered another call, with the record that says so. Each rank finds that itself, so
 * that each names the other one. */
static bool differs(const local_rank *self, lathe_group group, int64_t number, lathe_error *record) {
  const lathe_comm_call *own = lathe_comm_call_at(&self->queue, number);
  for (int64_t i = 0; i < group.size; ++i) {
    const int64_t rank = group.first + i * group.stride;
    const lathe_comm_call *other = lathe_comm_call_at(&self->job->ranks[rank].queue, number);
    const char *reason = lathe_comm_differ(own, other);
    *record = (lathe_error){
        .status = LATHE_ERROR_COMM, .other = reason, .actual = rank, .expected = own->count, .index = {other->count}};
    if (reason)
      return true;
  }
  return false;
}

/* ---- A rank's share of a call ---- */

static void copy(void *to, const void *from, size_t size) {
  if (size > 0 && to != from)
    memcpy(to, from, size);
}

static void move(const local_rank *self, const lathe_comm_call *call, lathe_group group) {
  const lathe_collective_info *info = call->info;
  const void *const *inputs = self->inputs;
  const int64_t count = call->count, own = group.index, size = group.size;
  const size_t bytes = (size_t)count * lathe_dtype_size(info->dtype);
  char *output = call->output;
  if (count == 0)
    return;
  switch (info->kind) {
  case LATHE_ALL_REDUCE: {
    const int64_t share = count / size, more = count % size;
    const int64_t begin = own * share + (own < more ? own : more), end = begin + share + (own < more);
    lathe_reduce(info->dtype, info->reduction, inputs, size, self->outputs, size, begin, end);
    return;
  }
  case LATHE_REDUCE_SCATTER: {
    void *shifted = (void *)((uintptr_t)output - (uintptr_t)own * bytes); /* its elements [own * count, ...) are the output */
    lathe_reduce(info->dtype, info->reduction, inputs, size, &shifted, 1, own * count, (own + 1) * count);
    return;
  }
  case LATHE_ALL_GATHER:
    for (int64_t i = 0; i < size; ++i)
      copy(output + (size_t)i * bytes, inputs[i], bytes);
    return;
  case LATHE_ALL_TO_ALL:
    for (int64_t i = 0; i < size; ++i)
      copy(output + (size_t)i * bytes, (const char *)inputs[i] + (size_t)own * bytes, bytes);
    return;
  case LATHE_BROADCAST:
    copy(output, inputs[info->parameter], bytes);
    return;
  case LATHE_PERMUTE: {
    const int64_t from = (own - info->parameter % size + size) % size;
    copy(output, inputs[from], bytes);
    return;
  }
  }
}

/* ---- Calls ---- */

/* Finds what the share needs, under the lock: queues change. */
static void look(local_rank *self, lathe_group group, int64_t number) {
  for (int64_t i = 0; i < group.size; ++i) {
    const lathe_comm_call *call = lathe_comm_call_at(&self->job->ranks[group.first + i * group.stride].queue, number);
    self->inputs[i] = call->input;
    self->outputs[i] = call->output;
  }
}

static void move_gathered(local_rank *self, int64_t number, int64_t *all) {
  for (int64_t i = 0; i < self->own.base.size; ++i)
    all[i] = lathe_comm_call_at(&self->job->ranks[i].queue, number)->value;
}

/* Completes the first call that is not complete. Takes and leaves the lock held. */
static lathe_status complete_next(local_rank *self, lathe_error *error) {
  local_job *job = self->job;
  const int64_t number = self->queue.done;
  const lathe_comm_call call = *lathe_comm_call_at(&self->queue, number);
  lathe_group group = lathe_comm_all(&self->own.base);
  if (call.info)
    lathe_comm_group(&self->own.base, call.info->axis, &group);
  lathe_error record;
  if (await(self, group, number, started_of) && differs(self, group, number, &record)) {
    break_job(job, record);
    settle(job);
    return lathe_comm_fail(&self->own, call.info, "gather", record, error);
  }
  bool ok = job->broken.status == LATHE_OK;
  if (ok && call.info) {
    look(self, group, number);
    ++job->moving;
    pthread_mutex_unlock(&job->lock);
    move(self, &call, group);
    pthread_mutex_lock(&job->lock);
    --job->moving;
  } else if (ok) {
    move_gathered(self, number, call.output);
  }
  if (ok) {
    self->moved = number + 1;
    pthread_cond_broadcast(&job->changed);
    ok = await(self, group, number, moved_of);
  }
  if (!ok) {
    settle(job);
    return lathe_comm_fail(&self->own, call.info, "gather", job->broken, error);
  }
  ++self->queue.done;
  return LATHE_OK;
}

static lathe_status complete(local_rank *self, int64_t number, lathe_error *error) {
  while (self->queue.done <= number) {
    const lathe_status status = complete_next(self, error);
    if (status != LATHE_OK)
      return status;
  }
  lathe_comm_forget(&self->queue, number);
  return LATHE_OK;
}

/* Enters a call, which takes place after those before it. */
static lathe_status enter(local_rank *self, lathe_comm_call call, lathe_error *error) {
  if (!lathe_comm_push(&self->queue, call)) {
    const lathe_error record = {.status = LATHE_ERROR_OUT_OF_MEMORY, .expected = 2 * self->queue.room * (int64_t)sizeof call};
    return lathe_comm_fail(&self->own, call.info, "gather", record, error);
  }
  pthread_cond_broadcast(&self->job->changed);
  return LATHE_OK;
}

static lathe_status start(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, const void *input,
                          void *output, int64_t count, lathe_error *error) {
  (void)context;
  local_rank *self = (local_rank *)comm;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  lathe_group group;
  lathe_status status = lathe_comm_check(comm, info, input, output, count, &group, error);
  if (status != LATHE_OK)
    return status;
  pthread_mutex_lock(&self->job->lock);
  status = enter(self, (lathe_comm_call){.info = info, .input = input, .output = output, .count = count}, error);
  pthread_mutex_unlock(&self->job->lock);
  return status;
}

static lathe_status wait_for(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, lathe_error *error) {
  (void)context;
  local_rank *self = (local_rank *)comm;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  pthread_mutex_lock(&self->job->lock);
  const int64_t number = lathe_comm_find(&self->queue, info);
  const lathe_status status = number < 0
                                  ? lathe_fail_format(error, info->function, NULL, "wait", "the collective was not started")
                                  : complete(self, number, error);
  pthread_mutex_unlock(&self->job->lock);
  return status;
}

static lathe_status gather(lathe_comm *comm, int64_t mine, int64_t *all, lathe_error *error) {
  local_rank *self = (local_rank *)comm;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  pthread_mutex_lock(&self->job->lock);
  lathe_status status = enter(self, (lathe_comm_call){.output = all, .value = mine}, error);
  if (status == LATHE_OK)
    status = complete(self, self->queue.started - 1, error);
  pthread_mutex_unlock(&self->job->lock);
  return status;
}

/* ---- Creation and end ---- */

static void release(local_job *job) {
  for (int64_t i = 0; i < job->ranks[0].own.base.size; ++i) {
    local_rank *rank = &job->ranks[i];
    free((void *)(uintptr_t)rank->own.base.axes);
    free(rank->inputs);
    free(rank->outputs);
    free(rank->queue.calls);
  }
  pthread_cond_destroy(&job->changed);
  pthread_mutex_destroy(&job->lock);
  lathe_free(job);
}

static void destroy(lathe_comm *comm) {
  local_rank *self = (local_rank *)comm;
  local_job *job = self->job;
  pthread_mutex_lock(&job->lock);
  self->has_ended = true;
  if (self->queue.done < self->queue.started) { /* other ranks must not access the buffers of these calls any more */
    break_job(job, (lathe_error){.other = "ended", .actual = comm->rank});
    settle(job);
  }
  const bool is_last = --job->alive == 0;
  pthread_cond_broadcast(&job->changed);
  pthread_mutex_unlock(&job->lock);
  if (is_last)
    release(job);
}

static bool reserve(local_job *job, const lathe_axis *axes, uint32_t axis_count, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    local_rank *rank = &job->ranks[i];
    rank->own.base = (lathe_comm){.abi_version = LATHE_ABI_VERSION,
                                  .axis_count = axis_count,
                                  .axes = lathe_mesh_copy(axes, axis_count, i),
                                  .rank = i,
                                  .size = size,
                                  .gather = gather,
                                  .begin = lathe_comm_begin,
                                  .start = start,
                                  .wait = wait_for,
                                  .destroy = destroy};
    rank->job = job;
    rank->missing = -1;
    rank->inputs = malloc((size_t)size * sizeof *rank->inputs);
    rank->outputs = malloc((size_t)size * sizeof *rank->outputs);
    if (!rank->own.base.axes || !rank->inputs || !rank->outputs)
      return false;
  }
  return true;
}

lathe_status lathe_comm_create_local(const lathe_axis *axes, uint32_t axis_count, double timeout_seconds, lathe_comm **comms,
                                     lathe_error *error) {
  lathe_error own;
  error = error ? error : &own;
  if (!comms) {
    *error = (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT, .function = __func__, .argument = "comms"};
    return error->status;
  }
  if (!(timeout_seconds > 0))
    return lathe_fail_format(error, __func__, NULL, "timeout_seconds", "the timeout must be greater than 0");
  const int64_t size = lathe_mesh_size(axes, axis_count, __func__, error);
  if (size == 0)
    return error->status;
  const size_t bytes = sizeof(local_job) + (size_t)size * sizeof(local_rank);
  local_job *job = lathe_alloc(bytes);
  if (!job)
    return lathe_fail_memory(error, __func__, NULL, bytes);
  job->timeout = timeout_seconds;
  job->alive = size;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&job->lock, NULL);
  pthread_cond_init(&job->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  job->ranks[0].own.base.size = size;
  if (!reserve(job, axes, axis_count, size)) {
    release(job);
    return lathe_fail_memory(error, __func__, NULL, bytes);
  }
  for (int64_t i = 0; i < size; ++i)
    comms[i] = &job->ranks[i].own.base;
  return LATHE_OK;
}
