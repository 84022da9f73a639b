/* Collectives among processes of an MPI job: mpi MODE AXIS=SIZE.... The same cases as among threads, and faults.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each process prints "rank R: sound" or fails. In the modes with faults, the rank that is at fault prints nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "comm_cases.h"

#include "lathe/mpi.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static const lathe_collective_info sum = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "data", "train_step", &case_kernel};

static lathe_status call(lathe_comm *comm, const lathe_collective_info *info, int64_t count, lathe_error *error) {
  static float x[1 << 20], y[1 << 20];
  const lathe_status status = comm->start(comm, NULL, info, x, y, count, error);
  return status == LATHE_OK ? comm->wait(comm, NULL, info, error) : status;
}

/* The failure names the op, its line and the rank, and stays. */
static void expect(lathe_comm *comm, const lathe_collective_info *info, int64_t count, const char *reason, int64_t rank,
                   double longest) {
  lathe_error error = {.status = LATHE_OK}, again = {.status = LATHE_OK};
  const double begin = now();
  lathe_status status = LATHE_OK;
  for (int i = 0; i < 3 && status == LATHE_OK; ++i) /* a rank that sends does not wait for those that receive little */
    status = call(comm, info, count, &error);
  CHECK_EQUAL(status, LATHE_ERROR_COMM);
  CHECK(now() - begin < longest);
  CHECK(error.other && strcmp(error.other, reason) == 0);
  CHECK_EQUAL(error.actual, rank);
  CHECK_MESSAGE(&error, "graph.mlir:12: error: train_step: lathe.all_reduce: ");
  int64_t all[MOST_RANKS];
  CHECK_EQUAL(comm->gather(comm, 1, all, &again), LATHE_ERROR_COMM);
  CHECK(memcmp(&again, &error, sizeof error) == 0);
  if (error.status == LATHE_OK || check_failures > 0)
    lathe_error_print(&error);
}

/* Values that do not fit into one part of a message, or into several. */
static void test_large(lathe_comm *comm) {
  const int64_t counts[] = {257, 100003, 1000001};
  const char *axis = comm->axes[0].name;
  for (int k = 0; k < 3; ++k)
    for (int in_place = 0; in_place < 2; ++in_place) {
      one_case(comm, LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, axis, 0, counts[k], 0, in_place);
      one_case(comm, LATHE_ALL_REDUCE, LATHE_SUM, LATHE_BF16, axis, 0, counts[k], 0, in_place);
      one_case(comm, LATHE_BROADCAST, (lathe_reduction)0, LATHE_F64, axis, 0, counts[k], 0, in_place);
    }
  one_case(comm, LATHE_REDUCE_SCATTER, LATHE_SUM, LATHE_F32, axis, 0, 400009, 0, 0);
  one_case(comm, LATHE_ALL_GATHER, (lathe_reduction)0, LATHE_I64, axis, 0, 400009, 0, 0);
  one_case(comm, LATHE_ALL_TO_ALL, (lathe_reduction)0, LATHE_F32, axis, 0, 400009, 0, 0);
  one_case(comm, LATHE_PERMUTE, (lathe_reduction)0, LATHE_F32, axis, 1, 400009, 0, 0);
}

static void test_refusals(void) {
  lathe_comm *comm;
  lathe_error error;
  const lathe_axis wrong[] = {{"data", 97, 0}}, twice[] = {{"data", 1, 0}, {"data", 0, 0}};
  CHECK_EQUAL(lathe_comm_create_mpi(NULL, wrong, 1, 10, &comm, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "axes: the product of their sizes must be the number of processes of the MPI job: expected ");
  CHECK_EQUAL(lathe_comm_create_mpi(NULL, twice, 2, 10, &comm, &error), LATHE_ERROR_FORMAT);
  CHECK_EQUAL(lathe_comm_create_mpi(NULL, wrong, 1, 0, &comm, NULL), LATHE_ERROR_FORMAT);
  CHECK_EQUAL(lathe_comm_create_mpi(NULL, wrong, 1, 10, NULL, NULL), LATHE_ERROR_NULL_ARGUMENT);
}

/* Tells the ranks of a test apart. */
static void run(const char *mode, lathe_comm *comm, double timeout) {
  const int64_t faulty = 1;
  lathe_error error;
  if (strcmp(mode, "cases") == 0) {
    test_refusals();
    test_rank(comm);
    test_large(comm);
    return;
  }
  CHECK_EQUAL(call(comm, &sum, 100, &error), LATHE_OK);
  if (strcmp(mode, "killed") == 0) {
    if (comm->rank == faulty)
      raise(SIGKILL);
    expect(comm, &sum, 100, "timed out", faulty, timeout + 60);
  } else if (strcmp(mode, "hung") == 0) {
    if (comm->rank == faulty) { /* longer than the others wait */
      sleep((unsigned)timeout * 4);
      _exit(1);
    }
    expect(comm, &sum, 1 << 20, "timed out", faulty, timeout + 60);
  } else if (strcmp(mode, "receiver") == 0) { /* it hangs before it receives what rank 2 sends to rank 0 too */
    const lathe_collective_info from_two = {LATHE_BROADCAST, (lathe_reduction)0, LATHE_F32,   0, 2,
                                            "data",          "train_step",       &case_kernel};
    if (comm->rank == faulty) {
      sleep((unsigned)timeout * 4);
      _exit(1);
    }
    expect(comm, &from_two, 1 << 20, "timed out", faulty, timeout + 60);
  } else if (strcmp(mode, "chain") == 0) { /* rank 3 does not come to rank 2, which does not come to rank 0 then */
    const lathe_collective_info inner = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "model", "train_step", &case_kernel};
    if (comm->rank == 3) {
      sleep((unsigned)timeout * 4);
      _exit(1);
    }
    if (comm->rank < 2)
      CHECK_EQUAL(call(comm, &inner, 100, &error), LATHE_OK);
    expect(comm, comm->rank < 2 ? &sum : &inner, 100, "timed out", 3, 2 * timeout + 60);
  } else if (strcmp(mode, "late") == 0) {
    if (comm->rank == faulty)
      sleep((unsigned)timeout * 3);
    expect(comm, &sum, 100, "timed out", faulty, 3 * timeout + 60);
  } else if (strcmp(mode, "ends") == 0) {
    if (comm->rank != faulty)
      expect(comm, &sum, 100, "ended", faulty, 60);
  } else if (strcmp(mode, "size") == 0) {
    const int64_t other = comm->rank == faulty ? 0 : faulty;
    expect(comm, &sum, comm->rank == faulty ? 7 : 100, "sizes differ", other, 60);
  } else if (strcmp(mode, "kind") == 0) {
    const lathe_collective_info max = {LATHE_ALL_REDUCE, LATHE_MAX, LATHE_F32, 0, 0, "data", "train_step", &case_kernel};
    expect(comm, comm->rank == faulty ? &max : &sum, 100000, "calls differ", comm->rank == faulty ? 0 : faulty, 60);
  } else {
    CHECK(!"a mode");
  }
}

int main(int argc, char **argv) {
  lathe_axis axes[4];
  lathe_comm *comm = NULL;
  lathe_error error = {.status = LATHE_OK};
  uint32_t count = 0;
  const char *mode = argv[1];
  const int has_lost = strcmp(mode, "killed") == 0 || strcmp(mode, "hung") == 0 || strcmp(mode, "receiver") == 0 ||
                       strcmp(mode, "chain") == 0 || strcmp(mode, "late") == 0;
  const double timeout = has_lost ? 4 : 300; /* other machines may be many times as slow */
  for (int i = 2; i < argc && count < 4; ++i) {
    char *size = strchr(argv[i], '=');
    *size++ = '\0';
    axes[count++] = (lathe_axis){argv[i], atoi(size), 0};
  }
  if (lathe_comm_create_mpi(NULL, axes, count, timeout, &comm, &error) != LATHE_OK) {
    lathe_error_print(&error);
    return 1;
  }
  const int64_t rank = comm->rank;
  run(mode, comm, timeout);
  const int failed = check_result();
  if (!failed)
    printf("rank %d: sound\n", (int)rank);
  fflush(stdout);
  lathe_comm_destroy(comm);
  return failed;
}
