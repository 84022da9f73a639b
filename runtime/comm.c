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

int64_t lathe_mesh_size(const lathe_axis *axes, uint32_t axis_count, const char *function, lathe_error *error) {
  int64_t size = 1;
  lathe_error record = {.status = LATHE_OK, .function = function, .argument = "axes"};
  if (!axes && axis_count > 0)
    record.status = LATHE_ERROR_NULL_ARGUMENT;
  for (uint32_t i = 0; i < axis_count && record.status == LATHE_OK; ++i) {
    const lathe_axis *axis = &axes[i];
    if (!axis->name) {
      record.status = LATHE_ERROR_NULL_ARGUMENT;
      break;
    }
    record.argument = axis->name;
    record.expected = axis->size < 1 ? 1 : INT32_MAX / size;
    record.actual = axis->size;
    if (axis->size < 1 || axis->size > INT32_MAX / size)
      record.status = LATHE_ERROR_DIMENSION;
    for (uint32_t j = 0; j < i; ++j)
      if (strcmp(axis->name, axes[j].name) == 0) {
        lathe_fail_format(error, function, NULL, axis->name, "two axes have this name");
        return 0;
      }
    size *= record.status == LATHE_OK ? axis->size : 1;
  }
  if (record.status == LATHE_OK)
    return size;
  fail(error, record);
  return 0;
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

lathe_status lathe_comm_check(const lathe_comm *comm, const lathe_collective_info *info, const void *input, const void *output,
                              int64_t count, lathe_group *group, lathe_error *error) {
  lathe_error record = {.status = LATHE_OK, .actual = -1};
  const bool has_axis = lathe_comm_group(comm, info->axis, group);
  const bool reduces = info->kind == LATHE_ALL_REDUCE || info->kind == LATHE_REDUCE_SCATTER;
  const int64_t size = (int64_t)lathe_dtype_size(info->dtype), most = size && has_axis ? INT64_MAX / size / group->size : 0;
  if (!has_axis) {
    record.status = LATHE_ERROR_COMM;
    record.other = "no such axis";
  } else if (info->kind < LATHE_ALL_REDUCE || info->kind > LATHE_PERMUTE || size == 0 ||
             (reduces && !lathe_can_reduce(info->dtype, info->reduction))) {
    record.status = LATHE_ERROR_FORMAT;
    record.other = "the communicator does not know this kind of collective op or its element type";
    record.expected = -1;
  } else if (info->kind == LATHE_BROADCAST && (info->parameter < 0 || info->parameter >= group->size)) {
    record.status = LATHE_ERROR_DIMENSION;
    record.expected = info->parameter < 0 ? 0 : group->size - 1;
    record.actual = info->parameter;
  } else if (count < 0 || count > most) {
    record.status = LATHE_ERROR_DIMENSION;
    record.expected = count < 0 ? 0 : most;
    record.actual = count;
  } else if (count > 0 && (!input || !output)) {
    record.status = LATHE_ERROR_NULL_ARGUMENT;
    record.argument = input ? "output" : "input";
    record.actual = 0;
  }
  if (record.status == LATHE_OK)
    return LATHE_OK;
  tell_place(&record, info);
  return fail(error, record);
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
