/* Ranks that do not come, have ended, or make other calls: all others get a status that says so.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "comm_threads.h"

#include <time.h>

static const lathe_collective_info sum = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "data", "train_step", &case_kernel};
static const lathe_collective_info inner = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "model", "train_step", &case_kernel};

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void pause_for(double seconds) {
  const struct timespec span = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&span, NULL);
}

static lathe_status call(lathe_comm *comm, const lathe_collective_info *info, int64_t count, lathe_error *error) {
  float x[8] = {1}, y[8];
  const lathe_status status = comm->start(comm, NULL, info, x, y, count, error);
  return status == LATHE_OK ? comm->wait(comm, NULL, info, error) : status;
}

/* The failure names the op, its line and the rank. Every later call returns it at once. */
static void expect(lathe_comm *comm, const lathe_collective_info *info, int64_t count, const char *reason, int64_t rank,
                   const char *message) {
  lathe_error error = {.status = LATHE_OK}, again = {.status = LATHE_OK};
  CHECK_EQUAL(call(comm, info, count, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(error.status, LATHE_ERROR_COMM);
  CHECK(error.other && strcmp(error.other, reason) == 0);
  CHECK_EQUAL(error.actual, rank);
  CHECK_EQUAL(error.line, 12);
  CHECK_MESSAGE(&error, "graph.mlir:12: error: train_step: lathe.all_reduce: ");
  CHECK_MESSAGE(&error, message);
  const double begin = now();
  int64_t all[MOST_RANKS];
  CHECK_EQUAL(comm->gather(comm, 1, all, &again), LATHE_ERROR_COMM);
  CHECK(memcmp(&again, &error, sizeof error) == 0);
  CHECK_EQUAL(comm->begin(comm, &(lathe_ranks_info){1, "g", "graph.mlir", 0, 0, NULL}, NULL, NULL), LATHE_ERROR_COMM);
  CHECK_EQUAL(call(comm, info, count, NULL), LATHE_ERROR_COMM);
  CHECK(now() - begin < 5);
}

enum { TIMEOUT_MS = 300 };

/* Rank 1 comes too late for all, and is told that it was itself. */
static void late(lathe_comm *comm) {
  const double begin = now();
  if (comm->rank == 1)
    pause_for(3e-3 * TIMEOUT_MS);
  expect(comm, &sum, 2, "timed out", 1, "axis 'data': rank 1 did not come within the timeout");
  CHECK(now() - begin >= 0.9e-3 * TIMEOUT_MS);
  CHECK(now() - begin < 30);
}

/* Rank 3 of data = 2, model = 2 does not come to its group along `model`, so that rank 2 does not come to rank 0. All name
 * rank 3, even rank 0, which is the first to wait in vain. */
static void late_elsewhere(lathe_comm *comm) {
  lathe_error error = {.status = LATHE_OK};
  if (comm->rank == 3) {
    pause_for(3e-3 * TIMEOUT_MS);
    return;
  }
  if (comm->rank == 2)
    pause_for(0.5e-3 * TIMEOUT_MS);
  CHECK_EQUAL(call(comm, &inner, 2, &error), comm->rank < 2 ? LATHE_OK : LATHE_ERROR_COMM);
  if (comm->rank == 1)
    pause_for(0.5e-3 * TIMEOUT_MS);
  expect(comm, &sum, 2, "timed out", 3, "rank 3 did not come within the timeout");
}

/* A rank that has ended is known at once. What it did before holds. */
static void ends(lathe_comm *comm) {
  lathe_error error;
  const double begin = now();
  CHECK_EQUAL(call(comm, &sum, 3, &error), LATHE_OK);
  if (comm->rank != 2)
    expect(comm, &sum, 3, "ended", 2, "rank 2 has ended");
  CHECK(now() - begin < 30);
  lathe_comm_destroy(comm);
}

/* It ends with a call that it has started, whose buffers it frees. */
static void ends_early(lathe_comm *comm) {
  if (comm->rank == 0) {
    float *x = calloc(8, sizeof *x), *y = calloc(8, sizeof *y);
    CHECK_EQUAL(comm->start(comm, NULL, &sum, x, y, 8, NULL), LATHE_OK);
    lathe_comm_destroy(comm);
    free(x);
    free(y);
    return;
  }
  lathe_error error = {.status = LATHE_OK};
  CHECK_EQUAL(call(comm, &sum, 8, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(error.actual, 0);
  lathe_comm_destroy(comm);
}

/* At the beginning of an entry, there is no op yet. */
static void late_for_entry(lathe_comm *comm) {
  lathe_error error = {.status = LATHE_OK};
  if (comm->rank == 1)
    pause_for(3e-3 * TIMEOUT_MS);
  CHECK_EQUAL(comm->begin(comm, &(lathe_ranks_info){1, "g", "graph.mlir", 0, 0, NULL}, NULL, &error), LATHE_ERROR_COMM);
  CHECK_MESSAGE(&error, "graph.mlir: error: g: rank 1 did not come within the timeout");
}

static void other_size(lathe_comm *comm) {
  if (comm->rank == 1)
    expect(comm, &sum, 3, "sizes differ", 0, "axis 'data': this rank passes 3 elements and rank 0 passes 2");
  else
    expect(comm, &sum, 2, "sizes differ", 1, "axis 'data': this rank passes 2 elements and rank 1 passes 3");
}

static lathe_collective_info changed(const lathe_comm *comm, lathe_collective_info info) {
  return comm->rank == 1 ? info : sum;
}

/* Infos are constants of an object: they outlive the ranks, which look at those of others. */
static void expect_other(lathe_comm *comm, lathe_collective_info info) {
  static lathe_collective_info own[MOST_RANKS];
  own[comm->rank] = changed(comm, info);
  expect(comm, &own[comm->rank], 2, "calls differ", comm->rank == 1 ? 0 : 1, "makes another call here");
}

static void other_kind(lathe_comm *comm) {
  expect_other(
      comm, (lathe_collective_info){LATHE_BROADCAST, (lathe_reduction)0, LATHE_F32, 0, 0, "data", "train_step", &case_kernel});
}

static void other_reduction(lathe_comm *comm) {
  expect_other(comm, (lathe_collective_info){LATHE_ALL_REDUCE, LATHE_MAX, LATHE_F32, 0, 0, "data", "train_step", &case_kernel});
}

static void other_type(lathe_comm *comm) {
  expect_other(comm, (lathe_collective_info){LATHE_ALL_REDUCE, LATHE_SUM, LATHE_I32, 0, 0, "data", "train_step", &case_kernel});
}

/* Rank 1 is at its next entry while the others are still in theirs. */
static void other_call(lathe_comm *comm) {
  lathe_error error = {.status = LATHE_OK};
  if (comm->rank != 1) {
    expect(comm, &sum, 2, "calls differ", 1, "makes another call here");
    return;
  }
  CHECK_EQUAL(comm->begin(comm, &(lathe_ranks_info){1, "g", "graph.mlir", 0, 0, NULL}, NULL, &error), LATHE_ERROR_COMM);
  CHECK(error.other && strcmp(error.other, "calls differ") == 0);
}

/* ---- A communicator of an application's own ---- */

static int64_t given[4];

static lathe_status own_gather(lathe_comm *comm, int64_t mine, int64_t *all, lathe_error *error) {
  (void)error;
  for (int64_t r = 0; r < comm->size; ++r)
    all[r] = mine;
  all[2] += given[0]-- > 0;
  return LATHE_OK;
}

static void own_communicator(void) {
  lathe_comm own = {.abi_version = LATHE_ABI_VERSION, .size = 4, .gather = own_gather, .begin = lathe_comm_begin};
  const lathe_ranks_info info = {1, "f", "graph.mlir", 1, 0, NULL};
  const int64_t n = 5;
  lathe_error error;
  CHECK_EQUAL(own.begin(&own, &info, &n, &error), LATHE_OK);
  given[0] = 2; /* the sum, then the fingerprint */
  CHECK_EQUAL(own.begin(&own, &info, &n, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(error.actual, 2);
  CHECK_MESSAGE(&error, "object of another compilation");
  lathe_comm_destroy(&own); /* nothing to end */
}

int main(void) {
  const lathe_axis four[] = {{"data", 4, 0}}, square[] = {{"data", 2, 0}, {"model", 2, 0}};
  void (*const bodies[])(lathe_comm *) = {other_size, other_kind, other_reduction, other_type, other_call};
  run_job(four, 1, 1e-3 * TIMEOUT_MS, late, 0);
  run_job(square, 2, 1e-3 * TIMEOUT_MS, late_elsewhere, 0);
  run_job(four, 1, 1e-3 * TIMEOUT_MS, late_for_entry, 0);
  run_job(four, 1, 60, ends, 1);
  run_job(four, 1, 60, ends_early, 1);
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i)
    run_job(square + 0, 1, 60, bodies[i], 0);
  own_communicator();
  return check_result();
}
