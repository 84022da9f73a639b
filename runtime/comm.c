/* Parts that all communicators share.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "comm.h"

#include <stdlib.h>
#include <string.h>

static lathe_status fail(lathe_error *error, lathe_error record) {
  if (error)
    *error = record;
  return record.status;
}

/* ---- The mesh ---- */

static lathe_status fail_axis(const char *function, const char *name, int64_t expected, int64_t actual, lathe_error *error) {
  return fail(
      error,
      (lathe_error){
          .status = LATHE_ERROR_DIMENSION, .function = function, .argument = name, .expected = expected, .actual = actual});
}

int64_t lathe_mesh_size(const lathe_axis *axes, uint32_t axis_count, const char *function, lathe_error *error) {
  int64_t size = 1;
  if (!axes && axis_count > 0) {
    fail(error, (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT, .function = function, .argument = "axes"});
    return 0;
  }
  for (uint32_t i = 0; i < axis_count; ++i) {
    if (!axes[i].name) {
      fail(error, (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT, .function = function, .argument = "name"});
      return 0;
    }
    for (uint32_t j = 0; j < i; ++j)
      if (strcmp(axes[i].name, axes[j].name) == 0) {
        lathe_fail_format(error, function, NULL, axes[i].name, "two axes have this name");
        return 0;
      }
    if (axes[i].size < 1) {
      fail_axis(function, axes[i].name, 1, axes[i].size, error);
      return 0;
    }
    if (axes[i].size > INT32_MAX / size) {
      fail_axis(function, axes[i].name, INT32_MAX / size, axes[i].size, error);
      return 0;
    }
    size *= axes[i].size;
  }
  return size;
}

lathe_axis *lathe_mesh_copy(const lathe_axis *axes, uint32_t axis_count, int64_t rank) {
  size_t bytes = (size_t)axis_count * sizeof *axes + 1;
  for (uint32_t i = 0; i < axis_count; ++i)
    bytes += strlen(axes[i].name) + 1;
  lathe_axis *copy = malloc(bytes);
  if (!copy)
    return NULL;
  char *names = (char *)(copy + axis_count);
  for (uint32_t i = axis_count; i-- > 0; rank /= axes[i].size) {
    copy[i] = (lathe_axis){strcpy(names, axes[i].name), axes[i].size, rank % axes[i].size};
    names += strlen(names) + 1;
  }
  return copy;
}

bool lathe_comm_group(const lathe_comm *comm, const char *axis, lathe_group *group) {
  int64_t stride = 1;
  for (uint32_t i = comm->axis_count; i-- > 0; stride *= comm->axes[i].size) {
    const lathe_axis *at = &comm->axes[i];
    if (strcmp(at->name, axis) != 0)
      continue;
    *group = (lathe_group){at->size, at->index, comm->rank - at->index * stride, stride};
    return true;
  }
  return false;
}

lathe_group lathe_comm_all(const lathe_comm *comm) { return (lathe_group){comm->size, comm->rank, 0, 1}; }

/* ---- Failures ---- */

static void tell_place(lathe_error *record, const lathe_collective_info *info) {
  record->function = info->function;
  if (!record->argument)
    record->argument = info->axis;
  if (!info->kernel)
    return;
  record->op = info->kernel->op;
  record->node = info->kernel->node;
  record->file = info->kernel->file;
  record->line = info->kernel->line;
}

lathe_status lathe_comm_fail(lathe_own_comm *comm, const lathe_collective_info *info, const char *function, lathe_error record,
                             lathe_error *error) {
  if (comm->failure.status == LATHE_OK) {
    if (info)
      tell_place(&record, info);
    else if (!record.function)
      record.function = function;
    comm->failure = record;
  }
  return lathe_comm_again(comm, error);
}

lathe_status lathe_comm_again(const lathe_own_comm *comm, lathe_error *error) { return fail(error, comm->failure); }

/* ---- Calls ---- */

static lathe_status fail_call(const lathe_collective_info *info, lathe_error record, lathe_error *error) {
  tell_place(&record, info);
  return fail(error, record);
}

lathe_status lathe_comm_check(const lathe_comm *comm, const lathe_collective_info *info, const void *input, const void *output,
                              int64_t count, lathe_group *group, lathe_error *error) {
  if (!lathe_comm_group(comm, info->axis, group))
    return fail_call(info, (lathe_error){.status = LATHE_ERROR_COMM, .other = "no such axis", .actual = -1}, error);
  const bool reduces = info->kind == LATHE_ALL_REDUCE || info->kind == LATHE_REDUCE_SCATTER;
  if (info->kind < LATHE_ALL_REDUCE || info->kind > LATHE_PERMUTE || lathe_dtype_size(info->dtype) == 0 ||
      (reduces && !lathe_can_reduce(info->dtype, info->reduction)))
    return fail_call(info,
                     (lathe_error){.status = LATHE_ERROR_FORMAT,
                                   .other = "the communicator does not know this kind of collective op or its element type"},
                     error);
  if (info->kind == LATHE_BROADCAST && (info->parameter < 0 || info->parameter >= group->size))
    return fail_call(info,
                     (lathe_error){.status = LATHE_ERROR_DIMENSION,
                                   .expected = info->parameter < 0 ? 0 : group->size - 1,
                                   .actual = info->parameter},
                     error);
  const uint64_t most = (uint64_t)INT64_MAX / lathe_dtype_size(info->dtype) / (uint64_t)group->size;
  if (count < 0 || (uint64_t)count > most)
    return fail_call(info,
                     (lathe_error){.status = LATHE_ERROR_DIMENSION, .expected = count < 0 ? 0 : (int64_t)most, .actual = count},
                     error);
  if (count > 0 && (!input || !output))
    return fail_call(info, (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT, .argument = input ? "output" : "input"}, error);
  return LATHE_OK;
}

bool lathe_comm_push(lathe_comm_queue *queue, lathe_comm_call call) {
  if (queue->started - queue->oldest == queue->room) {
    const lathe_comm_queue before = *queue;
    const int64_t room = before.room ? 2 * before.room : 64;
    lathe_comm_call *calls = malloc((size_t)room * sizeof *calls);
    if (!calls)
      return false;
    queue->room = room;
    queue->calls = calls;
    for (int64_t n = before.oldest; n < before.started; ++n)
      *lathe_comm_call_at(queue, n) = *lathe_comm_call_at(&before, n);
    free(before.calls);
  }
  *lathe_comm_call_at(queue, queue->started++) = call;
  return true;
}

int64_t lathe_comm_find(const lathe_comm_queue *queue, const lathe_collective_info *info) {
  for (int64_t n = queue->oldest; n < queue->started; ++n) {
    const lathe_comm_call *call = lathe_comm_call_at(queue, n);
    if (call->info == info && !call->is_waited_for)
      return n;
  }
  return -1;
}

void lathe_comm_forget(lathe_comm_queue *queue, int64_t number) {
  lathe_comm_call_at(queue, number)->is_waited_for = true;
  while (queue->oldest < queue->done && lathe_comm_call_at(queue, queue->oldest)->is_waited_for)
    ++queue->oldest;
}

const char *lathe_comm_differ(const lathe_comm_call *a, const lathe_comm_call *b) {
  const lathe_collective_info *left = a->info, *right = b->info;
  if (!left || !right)
    return left == right ? NULL : "calls differ";
  if (left != right && (left->kind != right->kind || left->reduction != right->reduction || left->dtype != right->dtype ||
                        left->parameter != right->parameter || strcmp(left->axis, right->axis) != 0))
    return "calls differ";
  return a->count == b->count ? NULL : "sizes differ";
}

void lathe_comm_destroy(lathe_comm *comm) {
  if (comm && comm->destroy)
    comm->destroy(comm);
}
