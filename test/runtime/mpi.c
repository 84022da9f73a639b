/* Collectives among processes of an MPI job: mpi MODE AXIS=SIZE.... The same cases as among threads, and faults.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each process prints "rank R: sound" or fails. In the modes with faults, the rank that is at fault prints nothing.
 *
 * With ON_DEVICE, the buffers are in the memory of a CUDA device, and MPI is the stand-in of fake_mpi.c, which finds a copy in
 * host memory. In the mode "mixed" only those of the odd ranks are.
 */
#define _POSIX_C_SOURCE 200809L
#include "comm_cases.h"

#include "lathe/mpi.h"
#ifdef ON_DEVICE
#include "fake_mpi.h"
#endif

#include <signal.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static const lathe_collective_info sum = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "data", "train_step", &case_kernel};

enum { MOST_COUNT = 1 << 20 };

static lathe_status call(lathe_comm *comm, const lathe_collective_info *info, int64_t count, lathe_error *error) {
  static float x[MOST_COUNT], y[MOST_COUNT];
  static void *from, *to; /* on the device */
  if (case_device && !to) {
    from = lathe_context_alloc(case_device, sizeof x);
    to = lathe_context_alloc(case_device, sizeof y);
  }
  const lathe_status status = comm->start(comm, case_device, info, case_device ? from : x, case_device ? to : y, count, error);
  return status == LATHE_OK ? comm->wait(comm, case_device, info, error) : status;
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

/* Every reduction of every type, with parts that are messages of their own. */
static void test_reductions(lathe_comm *comm) {
  const char *axis = comm->axes[0].name;
  for (int dtype = LATHE_I1; dtype <= LATHE_F64; ++dtype)
    for (int reduction = dtype == LATHE_I1 ? LATHE_MAX : LATHE_SUM; reduction <= LATHE_MIN; ++reduction)
      one_case(comm, LATHE_REDUCE_SCATTER, (lathe_reduction)reduction, (lathe_dtype)dtype, axis, 0, 1203,
               reduction != LATHE_SUM, 0);
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

#ifdef ON_DEVICE
/* A kernel of the sum does not run: this rank names the device's failure, and the others name this rank. */
static void test_failing_device(lathe_comm *comm, int64_t faulty) {
  lathe_error error = {.status = LATHE_OK}, again = {.status = LATHE_OK};
  if (comm->rank != faulty) {
    expect(comm, &sum, MOST_COUNT, "ended", faulty, 60);
    return;
  }
  CHECK_EQUAL(call(comm, &sum, MOST_COUNT, &error), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "graph.mlir:12: error: train_step: lathe.all_reduce: the device's driver reports CUDA_ERROR_");
  CHECK_EQUAL(call(comm, &sum, 1, &again), LATHE_ERROR_DEVICE);
  CHECK(memcmp(&again, &error, sizeof error) == 0);
}

/* An entry without code for the device runs on the CPU: its buffers are in host memory, in the context of a device. */
static void test_host_memory(lathe_comm *comm) {
  const lathe_collective_info info = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, comm->axes[0].name, "f", &case_kernel};
  float x[3] = {1, 2, 3}, y[3] = {0};
  lathe_error error;
  CHECK_EQUAL(comm->start(comm, case_device, &info, x, y, 3, &error), LATHE_OK);
  CHECK_EQUAL(comm->wait(comm, case_device, &info, &error), LATHE_OK);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(y[i], (float)((i + 1) * comm->axes[0].size));
}

/* Makes the context of a rank whose values are on a device. */
static void open_device(const char *mode, const lathe_comm *comm) {
  enum { HEADER_BYTES = 32, INLINE_BYTES = 1024 }; /* of the values that come with a header, through the host */
  lathe_error error;
  CHECK_EQUAL(comm->takes_device_memory, 1);
  case_is_short = 1;
  if (strcmp(mode, "mixed") == 0 && comm->rank % 2 == 0)
    return;
  case_device = lathe_context_create_cuda(0, &error);
  CHECK(case_device != NULL);
  if (!case_device)
    lathe_error_print(&error);
  fake_mpi_expect_device(HEADER_BYTES + INLINE_BYTES);
}
#endif

/* Tells the ranks of a test apart. */
static void run(const char *mode, lathe_comm *comm, double timeout) {
  const int64_t faulty = 1;
  lathe_error error;
  if (strcmp(mode, "reductions") == 0) {
    test_reductions(comm);
    return;
  }
  if (strcmp(mode, "cases") == 0 || strcmp(mode, "mixed") == 0) {
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
#ifdef ON_DEVICE
  } else if (strcmp(mode, "device") == 0) {
    test_failing_device(comm, faulty);
#endif
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
#ifdef ON_DEVICE
  const char *number = getenv("OMPI_COMM_WORLD_RANK");
  if (strcmp(mode, "device") == 0 && number && strcmp(number, "1") == 0)
    setenv("LATHE_STANDIN_FAIL", "cuLaunchKernel:1:719", 1); /* which the driver reads once, at its first call */
#endif
  if (lathe_comm_create_mpi(NULL, axes, count, timeout, &comm, &error) != LATHE_OK) {
    lathe_error_print(&error);
    return 1;
  }
  const int64_t rank = comm->rank;
#ifdef ON_DEVICE
  open_device(mode, comm);
  run(mode, comm, timeout);
  if (strcmp(mode, "reductions") == 0)
    test_host_memory(comm);
  if (case_device && comm->size > 1 && (strcmp(mode, "cases") == 0 || strcmp(mode, "mixed") == 0))
    CHECK(fake_mpi_messages() > 0);
#else
  run(mode, comm, timeout);
#endif
  const int failed = check_result();
  if (!failed)
    printf("rank %d: sound\n", (int)rank);
  fflush(stdout);
  lathe_context_destroy(case_device);
  lathe_comm_destroy(comm);
  return failed;
}
