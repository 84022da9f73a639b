/* Ranks over NCCL, on a library that writes down its calls and the fake driver. Each process opens NCCL once.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "comm_threads.h"
#include "fake_nccl.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static fake_nccl *fake;
static const char *(*fake_log)(void);
static void (*fake_clear)(void);

/* Opens the stand-ins by their paths; the runtime's dlopen then finds them by their names. */
static void *open_fake(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return library;
}

static void find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

/* Calls a collective between memory that begins with 1 and 2, and compares the calls of NCCL. */
static void expect_calls(lathe_comm *comm, lathe_collective_info info, int64_t count, const char *expected) {
  int x[64] = {1}, y[64] = {2};
  lathe_error error = {.status = LATHE_OK};
  for (int i = 0; i < 64; ++i) { /* the place in 4-byte units shows which part is meant */
    x[i] = 100 + i;
    y[i] = 200 + i;
  }
  fake_clear();
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, count, &error), LATHE_OK);
  CHECK_EQUAL(comm->wait(comm, NULL, &info, &error), LATHE_OK);
  if (strcmp(fake_log(), expected) != 0) {
    ++check_failures;
    fprintf(stderr, "calls: %s\nexpected: %s\n", fake_log(), expected);
  }
}

static lathe_collective_info info_of(lathe_collective kind, lathe_reduction reduction, lathe_dtype dtype, int64_t parameter,
                                     const char *axis) {
  return (lathe_collective_info){kind, reduction, dtype, 0, parameter, axis, "f", &case_kernel};
}

/* data = 2, model = 1: the group of `model` has one rank, and an id of its own. */
static void every_kind(lathe_comm *comm) {
  const int is_second = comm->rank == 1;
  const lathe_reduction none = (lathe_reduction)0;
  lathe_error error = {.status = LATHE_OK};
  const lathe_collective_info missing = info_of(LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, "depth");
  const lathe_collective_info shorts = info_of(LATHE_ALL_REDUCE, LATHE_SUM, LATHE_I16, 0, "data");
  expect_calls(comm, info_of(LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, "data"), 5,
               is_second ? "all_reduce A1/2 from 100 to 200 count 5 type 7 0;"
                         : "all_reduce A0/2 from 100 to 200 count 5 type 7 0;");
  if (is_second)
    return;
  expect_calls(comm, info_of(LATHE_ALL_REDUCE, LATHE_MAX, LATHE_BF16, 0, "data"), 5,
               "all_reduce A0/2 from 100 to 200 count 5 type 9 2;");
  expect_calls(comm, info_of(LATHE_REDUCE_SCATTER, LATHE_MIN, LATHE_I64, 0, "data"), 3,
               "reduce_scatter A0/2 from 100 to 200 count 3 type 4 3;");
  expect_calls(comm, info_of(LATHE_ALL_GATHER, none, LATHE_I16, 0, "data"), 3,
               "all_gather A0/2 from 100 to 200 count 6 type 1 0;");
  expect_calls(comm, info_of(LATHE_BROADCAST, none, LATHE_F64, 1, "data"), 3,
               "broadcast A0/2 from 100 to 200 count 24 type 1 1;");
  expect_calls(comm, info_of(LATHE_ALL_TO_ALL, none, LATHE_F32, 0, "data"), 3,
               "{send A0/2 from 100 to -1 count 12 type 1 0;receive A0/2 from -1 to 200 count 12 type 1 0;"
               "send A0/2 from 103 to -1 count 12 type 1 1;receive A0/2 from -1 to 203 count 12 type 1 1;}");
  expect_calls(comm, info_of(LATHE_PERMUTE, none, LATHE_F32, -1, "data"), 3,
               "{send A0/2 from 100 to -1 count 12 type 1 1;receive A0/2 from -1 to 200 count 12 type 1 1;}");
  expect_calls(comm, info_of(LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, "data"), 0, "");
  float x[2] = {0}, y[2];
  CHECK_EQUAL(comm->start(comm, NULL, &missing, x, y, 1, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(comm->start(comm, NULL, &shorts, x, y, 1, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "NCCL does not reduce integers of 16 bits");
}

static pthread_barrier_t barrier;

static void run_rank(lathe_comm *host) {
  lathe_error error = {.status = LATHE_OK};
  lathe_comm *comm = NULL;
  lathe_context *context = lathe_context_create_cuda((int)host->rank, &error);
  CHECK(context != NULL);
  CHECK_EQUAL(lathe_comm_create_nccl(host, context, &comm, &error), LATHE_OK);
  if (!comm)
    return;
  CHECK_EQUAL(comm->takes_device_memory, 1);
  CHECK_EQUAL(comm->rank, host->rank);
  const int64_t n = 3;
  const lathe_ranks_info entry = {1, "f", "graph.mlir", 1, 0, NULL};
  CHECK_EQUAL(comm->begin(comm, &entry, &n, &error), LATHE_OK);
  every_kind(comm);
  pthread_barrier_wait(&barrier);
  fake->failure = 6; /* the other rank's process has ended */
  pthread_barrier_wait(&barrier);
  const lathe_collective_info sum = info_of(LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, "data");
  float x[2] = {0}, y[2];
  CHECK_EQUAL(comm->start(comm, NULL, &sum, x, y, 1, &error), LATHE_OK);
  CHECK_EQUAL(comm->wait(comm, NULL, &sum, &error), LATHE_ERROR_COMM);
  CHECK_MESSAGE(&error, "graph.mlir:12: error: f: lathe.all_reduce: axis 'data': remote process exited");
  CHECK_EQUAL(comm->start(comm, NULL, &sum, x, y, 1, NULL), LATHE_ERROR_COMM);
  CHECK_EQUAL(comm->begin(comm, &entry, &n, NULL), LATHE_ERROR_COMM);
  lathe_comm_destroy(comm);
  lathe_context_destroy(context);
}

/* Rank 1 has no device: both learn it. */
static void one_without_device(lathe_comm *host) {
  lathe_error error = {.status = LATHE_OK};
  lathe_comm *comm = NULL;
  lathe_context *context = host->rank == 0 ? lathe_context_create_cuda(0, &error) : lathe_context_create(1);
  CHECK_EQUAL(lathe_comm_create_nccl(host, context, &comm, &error), LATHE_ERROR_NO_DEVICE);
  CHECK_MESSAGE(&error, host->rank == 0 ? "another rank of the job has no device or no NCCL" : "not on a CUDA device");
  lathe_context_destroy(context);
}

/* The library is older than ncclSend. */
static void with_old_library(lathe_comm *host) {
  lathe_error error = {.status = LATHE_OK};
  lathe_comm *comm = NULL;
  lathe_context *context = lathe_context_create_cuda(0, &error);
  CHECK_EQUAL(lathe_comm_create_nccl(host, context, &comm, &error), LATHE_ERROR_NO_DEVICE);
  CHECK_MESSAGE(&error, "lathe_comm_create_nccl: NCCL cannot be used (ncclSend)");
  lathe_context_destroy(context);
}

int main(void) {
  const lathe_axis axes[] = {{"data", 2, 0}, {"model", 1, 0}};
  open_fake("../fake-cuda/libcuda.so.1");
  const pid_t child = fork();
  if (child == 0) {
    open_fake("../fake-nccl-old/libnccl.so.2");
    run_job(axes + 1, 1, 60, with_old_library, 0);
    exit(check_result());
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  void *library = open_fake("../fake-nccl/libnccl.so.2");
  find(library, "fake_nccl_state", &fake);
  find(library, "fake_nccl_log", &fake_log);
  find(library, "fake_nccl_clear", &fake_clear);
  pthread_barrier_init(&barrier, NULL, 2);
  run_job(axes, 2, 60, one_without_device, 0);
  CHECK_EQUAL(fake->live, 0);
  run_job(axes, 2, 60, run_rank, 0);
  CHECK_EQUAL(fake->ids, 3); /* one for `data`, one for `model` of each rank */
  CHECK_EQUAL(fake->live, 0);
  CHECK_EQUAL(fake->aborted, 4);
  CHECK_EQUAL(fake->destroyed, 0);
  CHECK_EQUAL(fake->misuse, 0);
  return check_result();
}
