/* A communicator whose ranks are the processes of an MPI job.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls make progress in `start` and `wait`.
 */
#include "mpi_comm.h"

#pragma GCC visibility push(default) /* the library's only function that others see */
#include "lathe/mpi.h"
#pragma GCC visibility pop

#include <stdlib.h>
#include <string.h>

static lathe_status fail(lathe_error *error, lathe_error record) {
  if (error)
    *error = record;
  return record.status;
}

/* ---- Failures ---- */

/* The reasons of failures, as ranks tell each other by number. */
static const char *const reasons[] = {"ended", "timed out", "calls differ", "sizes differ", "MPI reports a failure"};
enum { REASON_ENDED, REASON_TIMED_OUT, REASON_MPI = 4 };

static int64_t number_of(const char *reason) {
  for (int i = 0; i < REASON_MPI; ++i)
    if (strcmp(reasons[i], reason) == 0)
      return i;
  return REASON_MPI;
}

/* Tells all others that this rank does not take part any more. They may not listen: nobody waits for these messages. */
static void say_ending(mpi_comm *self, int64_t reason, int64_t rank) {
  if (self->has_said)
    return;
  self->has_said = true;
  self->own_ending = (mpi_ending){reason, rank};
  for (int64_t r = 0; r < self->own.base.size; ++r)
    if (r != self->own.base.rank)
      MPI_Isend(&self->own_ending, sizeof self->own_ending, MPI_BYTE, (int)r, MPI_TAG_ENDED, self->comm,
                &self->own_requests[r]);
}

static mpi_flight *flight_at(mpi_comm *self, int64_t number) { return &self->flights[number % MPI_FLIGHTS]; }

/* Ends all calls with a failure. The first call that is not complete is the one that fails. */
static lathe_status give_up(mpi_comm *self, lathe_error record, lathe_error *error) {
  record.status = record.status ? record.status : LATHE_ERROR_COMM;
  const bool is_of_device = record.status == LATHE_ERROR_DEVICE; /* which names its op */
  const bool has_call = self->queue.done < self->queue.started && !is_of_device;
  const lathe_collective_info *info = has_call ? lathe_comm_call_at(&self->queue, self->queue.done)->info : NULL;
  const lathe_status status = lathe_comm_fail(&self->own, info, "gather", record, error);
  const int64_t reason = is_of_device ? REASON_ENDED : record.other ? number_of(record.other) : REASON_MPI;
  self->has_lost = self->has_lost || reason == REASON_TIMED_OUT || reason == REASON_MPI;
  for (int64_t n = self->queue.done; n < self->launched; ++n)
    lathe_mpi_abandon(flight_at(self, n));
  say_ending(self, reason, record.actual >= 0 ? record.actual : self->own.base.rank);
  return status;
}

static lathe_status give_up_code(mpi_comm *self, int code, lathe_error *error) {
  if (self->has_device_failed) {
    const lathe_collective_info *info = lathe_comm_call_at(&self->queue, self->queue.done)->info;
    lathe_error record = {.status = LATHE_ERROR_DEVICE, .actual = -1};
    (void)self->device->device->finish(self->device, info ? info->function : NULL, &record);
    return give_up(self, record, error);
  }
  if (code == MPI_ERR_NO_MEM)
    return give_up(self, (lathe_error){.status = LATHE_ERROR_OUT_OF_MEMORY, .actual = -1}, error);
  int length = 0;
  if (MPI_Error_string(code, self->text, &length) != MPI_SUCCESS)
    strcpy(self->text, reasons[REASON_MPI]);
  return give_up(self, (lathe_error){.other = self->text, .actual = -1}, error);
}

/* Returns true if the rank has said that it does not take part any more. */
static bool has_ended(mpi_comm *self, int64_t rank) {
  int is_complete = 0;
  if (rank < 0 || MPI_Test(&self->ending_requests[rank], &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return false;
  return is_complete != 0; /* also later: the request is null then */
}

/* A rank that waits in vain for another one says so, and others wait for it. All say it at about the same time; then they look
 * who is the one that says nothing. */
static lathe_status time_out(mpi_comm *self, int64_t rank, lathe_error *error) {
  say_ending(self, REASON_TIMED_OUT, rank);
  mpi_patience grace = lathe_mpi_begin_wait(self->timeout < 5 ? self->timeout / 10 : 0.5);
  while (lathe_mpi_is_patient(&grace, 0))
    (void)has_ended(self, rank); /* which lets MPI make progress */
  for (int64_t links = 0; links < self->own.base.size && rank != self->own.base.rank && has_ended(self, rank); ++links) {
    const mpi_ending *ending = &self->endings[rank];
    if (ending->reason != REASON_TIMED_OUT || ending->rank < 0 || ending->rank >= self->own.base.size)
      break;
    rank = ending->rank;
  }
  return give_up(self, (lathe_error){.other = reasons[REASON_TIMED_OUT], .actual = rank}, error);
}

/* Fails for the reason of the rank's own failure, or because it has ended. */
static lathe_status give_up_ended(mpi_comm *self, int64_t rank, lathe_error *error) {
  const mpi_ending *ending = &self->endings[rank];
  const bool is_known = ending->reason > REASON_ENDED && ending->reason <= REASON_MPI;
  const int64_t cause = ending->rank >= 0 && ending->rank < self->own.base.size ? ending->rank : rank;
  if (ending->reason == REASON_TIMED_OUT)
    return time_out(self, cause, error);
  return give_up(self, (lathe_error){.other = reasons[is_known ? ending->reason : REASON_ENDED], .actual = cause}, error);
}

/* ---- Progress ---- */

/* Does what can be done without waiting. */
static lathe_status progress(mpi_comm *self, lathe_error *error) {
  lathe_comm_queue *queue = &self->queue;
  for (;;) {
    while (self->launched < queue->started && self->launched - queue->done < MPI_FLIGHTS) {
      const int64_t number = self->launched++;
      const int code = lathe_mpi_launch(self, flight_at(self, number), number);
      if (code != MPI_SUCCESS)
        return give_up_code(self, code, error);
    }
    for (int64_t n = queue->done; n < self->launched; ++n) {
      const mpi_progress step = lathe_mpi_step(self, flight_at(self, n));
      if (step.code != MPI_SUCCESS)
        return give_up_code(self, step.code, error);
      if (step.reason)
        return give_up(self,
                       (lathe_error){.other = step.reason,
                                     .actual = step.rank,
                                     .expected = lathe_comm_call_at(queue, n)->count,
                                     .index = {step.count}},
                       error);
    }
    const int64_t done = queue->done;
    while (queue->done < self->launched && flight_at(self, queue->done)->phase == FLIGHT_DONE)
      ++queue->done;
    if (queue->done == done || self->launched == queue->started)
      return LATHE_OK;
  }
}

/* Looks whether the call still can be completed. Called from time to time. */
static lathe_status look_for_endings(mpi_comm *self, lathe_error *error) {
  const int64_t missing = lathe_mpi_missing(flight_at(self, self->queue.done));
  if (!has_ended(self, missing))
    return LATHE_OK;
  const lathe_status status = progress(self, error); /* what the rank sent before */
  if (status != LATHE_OK || lathe_mpi_missing(flight_at(self, self->queue.done)) != missing)
    return status;
  return give_up_ended(self, missing, error);
}

enum { LOOKS = 1000 }; /* polls until the first look at other ranks' endings */

static lathe_status complete(mpi_comm *self, int64_t number, lathe_error *error) {
  mpi_patience wait = lathe_mpi_begin_wait(self->timeout);
  for (;;) {
    lathe_status status = progress(self, error);
    if (status != LATHE_OK)
      return status;
    if (self->queue.done > number)
      break;
    if (wait.polls > LOOKS)
      status = look_for_endings(self, error);
    if (status != LATHE_OK)
      return status;
    if (self->queue.done <= number && !lathe_mpi_is_patient(&wait, self->events))
      return time_out(self, lathe_mpi_missing(flight_at(self, self->queue.done)), error);
  }
  lathe_comm_forget(&self->queue, number);
  return LATHE_OK;
}

/* ---- The table ---- */

static lathe_status enter(mpi_comm *self, lathe_comm_call call, lathe_error *error) {
  if (!lathe_comm_push(&self->queue, call))
    return give_up_code(self, MPI_ERR_NO_MEM, error);
  return progress(self, error);
}

/* The context whose device's memory may have the buffers of a call, or NULL. */
static lathe_context *device_of(const lathe_comm *comm, lathe_context *context) {
  return comm->takes_device_memory && context && context->device ? context : NULL;
}

static lathe_status start(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, const void *input,
                          void *output, int64_t count, lathe_error *error) {
  mpi_comm *self = (mpi_comm *)comm;
  lathe_context *device = device_of(comm, context);
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  lathe_group group;
  lathe_status status = lathe_comm_check(comm, info, input, output, count, &group, error);
  if (status != LATHE_OK)
    return status;
  if (device != self->device && self->queue.done < self->queue.started)
    return lathe_fail_format(error, info->function, NULL, "start", "collectives of another context have not ended");
  status = lathe_mpi_enter(device, info->function, error);
  if (status != LATHE_OK)
    return status;
  self->device = device;
  status = enter(self, (lathe_comm_call){.info = info, .input = input, .output = output, .count = count}, error);
  lathe_mpi_leave(device);
  return status;
}

static lathe_status wait_for(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, lathe_error *error) {
  mpi_comm *self = (mpi_comm *)comm;
  lathe_context *device = device_of(comm, context);
  lathe_error record;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  const int64_t number = lathe_comm_find(&self->queue, info);
  if (number < 0)
    return lathe_fail_format(error, info->function, NULL, "wait", "the collective was not started");
  if (lathe_mpi_enter(device, info->function, &record) != LATHE_OK)
    return give_up(self, record, error);
  const lathe_status status = complete(self, number, error);
  lathe_mpi_leave(device);
  return status;
}

static lathe_status gather(lathe_comm *comm, int64_t mine, int64_t *all, lathe_error *error) {
  mpi_comm *self = (mpi_comm *)comm;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  const lathe_status status = enter(self, (lathe_comm_call){.output = all, .value = mine}, error);
  return status == LATHE_OK ? complete(self, self->queue.started - 1, error) : status;
}

/* ---- End ---- */

/* Waits until the others have ended too, so that no message is left for a later communicator; false if they do not. */
static bool part(mpi_comm *self) {
  enum { LONGEST = 10 }; /* seconds */
  if (self->own.failure.status == LATHE_OK)
    say_ending(self, REASON_ENDED, -1);
  mpi_patience wait = lathe_mpi_begin_wait(self->timeout < LONGEST ? self->timeout : LONGEST);
  for (;;) {
    int is_sent = 0, is_complete = 0;
    if (MPI_Testall((int)self->own.base.size, self->own_requests, &is_sent, MPI_STATUSES_IGNORE) != MPI_SUCCESS ||
        MPI_Testall((int)self->own.base.size, self->ending_requests, &is_complete, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
      return false;
    if (is_sent && is_complete)
      return true;
    if (!lathe_mpi_is_patient(&wait, 0))
      return false;
  }
}

static void release(mpi_comm *self) {
  for (int i = 0; i < MPI_FLIGHTS; ++i) {
    mpi_flight *flight = &self->flights[i];
    free(flight->peers);
    free(flight->requests);
    free(flight->receivers);
    free(flight->incoming);
    free(flight->outgoing);
    lathe_free(flight->scratch);
    lathe_free(flight->stage);
  }
  free((void *)(uintptr_t)self->own.base.axes);
  free(self->queue.calls);
  free(self->ending_requests);
  free(self->endings);
  free(self->own_requests);
  free(self->inputs);
  free(self);
}

/* If ranks are missing, MPI may still use the memory of calls: it is not released. */
static void destroy(lathe_comm *comm) {
  mpi_comm *self = (mpi_comm *)comm;
  for (int64_t n = self->queue.done; n < self->launched; ++n)
    lathe_mpi_abandon(flight_at(self, n));
  const bool finalizes = self->finalizes && !self->has_lost;
  if (!self->has_lost && part(self)) {
    MPI_Comm_free(&self->comm);
    release(self);
  }
  if (finalizes)
    MPI_Finalize();
}

/* ---- Creation ---- */

static bool reserve_flight(mpi_flight *flight, size_t ranks) {
  flight->peers = calloc(ranks, sizeof *flight->peers);
  flight->requests = calloc(2 * ranks, sizeof(MPI_Request));
  flight->receivers = calloc(2 * ranks, sizeof *flight->receivers);
  flight->incoming = calloc(ranks, sizeof *flight->incoming);
  flight->outgoing = calloc(ranks, sizeof *flight->outgoing);
  flight->phase = FLIGHT_DONE;
  return flight->peers && flight->requests && flight->receivers && flight->incoming && flight->outgoing;
}

static bool reserve(mpi_comm *self) {
  const size_t ranks = (size_t)self->own.base.size;
  self->ending_requests = malloc(ranks * sizeof(MPI_Request));
  self->own_requests = malloc(ranks * sizeof(MPI_Request));
  self->endings = calloc(ranks, sizeof *self->endings);
  self->inputs = calloc(ranks, sizeof *self->inputs);
  bool ok = self->ending_requests && self->own_requests && self->endings && self->inputs && self->own.base.axes;
  for (int i = 0; i < MPI_FLIGHTS; ++i)
    ok = ok && reserve_flight(&self->flights[i], ranks);
  for (size_t r = 0; ok && r < ranks; ++r)
    self->ending_requests[r] = self->own_requests[r] = MPI_REQUEST_NULL;
  return ok;
}

static lathe_status fail_code(const char *function, int code, lathe_error *error) {
  static _Thread_local char text[MPI_MAX_ERROR_STRING + 1];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    strcpy(text, reasons[REASON_MPI]);
  return fail(error, (lathe_error){.status = LATHE_ERROR_COMM, .function = function, .other = text, .actual = -1});
}

/* Copies a communicator, whose errors are returned from now on, with a timeout. */
static lathe_status copy_communicator(mpi_comm *self, MPI_Comm from, const char *function, lathe_error *error) {
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(from, &before);
  MPI_Comm_set_errhandler(from, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Comm_idup(from, &self->comm, &request), is_complete = 0;
  mpi_patience wait = lathe_mpi_begin_wait(self->timeout);
  while (code == MPI_SUCCESS && !is_complete) {
    code = MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && !is_complete && !lathe_mpi_is_patient(&wait, 0))
      return fail(error, (lathe_error){.status = LATHE_ERROR_COMM,
                                       .function = function,
                                       .other = "not all ranks came to the creation of the communicator within the timeout",
                                       .actual = -1});
  }
  MPI_Comm_set_errhandler(from, before);
  MPI_Errhandler_free(&before);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_set_errhandler(self->comm, MPI_ERRORS_RETURN);
  return code == MPI_SUCCESS ? LATHE_OK : fail_code(function, code, error);
}

static int listen(mpi_comm *self) {
  int code = MPI_SUCCESS;
  for (int64_t r = 0; r < self->own.base.size && code == MPI_SUCCESS; ++r)
    if (r != self->own.base.rank)
      code = MPI_Irecv(&self->endings[r], sizeof *self->endings, MPI_BYTE, (int)r, MPI_TAG_ENDED, self->comm,
                       &self->ending_requests[r]);
  return code;
}

/* Sets the one size that may be 0, and checks the mesh against the number of processes. */
static lathe_status fit_axes(lathe_axis *sizes, const lathe_axis *axes, uint32_t axis_count, int processes,
                             const char *function, lathe_error *error) {
  int64_t open = -1, others = 1;
  memcpy(sizes, axes, axis_count * sizeof *sizes);
  for (uint32_t i = 0; i < axis_count; ++i)
    if (sizes[i].size == 0 && open < 0) {
      open = i;
      sizes[i].size = 1;
    }
  others = lathe_mesh_size(sizes, axis_count, function, error);
  if (others == 0)
    return error->status;
  if (open >= 0)
    sizes[open].size = processes / others;
  const int64_t ranks = open >= 0 ? others * sizes[open].size : others;
  if (ranks == processes)
    return LATHE_OK;
  return lathe_fail_format_values(error, function, NULL, "axes",
                                  "the product of their sizes must be the number of processes of the MPI job", processes,
                                  open >= 0 ? others : ranks);
}

static lathe_status create(mpi_comm *self, MPI_Comm from, const lathe_axis *axes, uint32_t axis_count, const char *function,
                           lathe_error *error) {
  int processes = 0, rank = 0;
  MPI_Comm_size(from, &processes);
  MPI_Comm_rank(from, &rank);
  lathe_axis *sizes = calloc(axis_count + 1, sizeof *sizes);
  if (!sizes)
    return lathe_fail_memory(error, function, NULL, axis_count * sizeof *sizes);
  const lathe_status status = fit_axes(sizes, axes, axis_count, processes, function, error);
  self->own.base = (lathe_comm){.abi_version = LATHE_ABI_VERSION,
                                .axis_count = axis_count,
                                .axes = status == LATHE_OK ? lathe_mesh_copy(sizes, axis_count, rank) : NULL,
                                .rank = rank,
                                .size = processes,
                                .takes_device_memory = lathe_mpi_takes_device_memory(),
                                .gather = gather,
                                .begin = lathe_comm_begin,
                                .start = start,
                                .wait = wait_for,
                                .destroy = destroy};
  free(sizes);
  if (status != LATHE_OK)
    return status;
  if (!reserve(self))
    return lathe_fail_memory(error, function, NULL, (uint64_t)processes * MPI_FLIGHTS * 2 * sizeof(mpi_message));
  const lathe_status copied = copy_communicator(self, from, function, error);
  if (copied != LATHE_OK)
    return copied;
  const int code = listen(self);
  return code == MPI_SUCCESS ? LATHE_OK : fail_code(function, code, error);
}

static lathe_status initialise(mpi_comm *self, const char *function, lathe_error *error) {
  int is_initialised = 0, is_finalised = 0, level = 0;
  MPI_Initialized(&is_initialised);
  MPI_Finalized(&is_finalised);
  if (is_finalised)
    return fail(error, (lathe_error){.status = LATHE_ERROR_COMM,
                                     .function = function,
                                     .other = "MPI is finalised, and cannot be initialised again",
                                     .actual = -1});
  if (is_initialised)
    return LATHE_OK;
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  if (code != MPI_SUCCESS)
    return fail_code(function, code, error);
  self->finalizes = true;
  return LATHE_OK;
}

lathe_status lathe_comm_create_mpi(const void *communicator, const lathe_axis *axes, uint32_t axis_count,
                                   double timeout_seconds, lathe_comm **comm, lathe_error *error) {
  lathe_error own;
  error = error ? error : &own;
  if (!comm || (!axes && axis_count > 0))
    return fail(error,
                (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT, .function = __func__, .argument = comm ? "axes" : "comm"});
  if (!(timeout_seconds > 0))
    return lathe_fail_format(error, __func__, NULL, "timeout_seconds", "the timeout must be greater than 0");
  mpi_comm *self = calloc(1, sizeof *self);
  if (!self)
    return lathe_fail_memory(error, __func__, NULL, sizeof *self);
  self->timeout = timeout_seconds;
  lathe_status status = initialise(self, __func__, error);
  if (status == LATHE_OK)
    status = create(self, communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD, axes, axis_count, __func__, error);
  if (status == LATHE_OK) {
    *comm = &self->own.base;
    return LATHE_OK;
  }
  if (status == LATHE_ERROR_COMM)
    return status; /* MPI may still write to it */
  if (self->finalizes)
    MPI_Finalize();
  release(self);
  return status;
}
