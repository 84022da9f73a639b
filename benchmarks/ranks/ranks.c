/* Measures collectives among ranks: `ranks local N` among N threads, `mpirun -n N ranks mpi` among processes. Rank 0 prints a
 * line of JSON for each collective and size.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `bytes` is the size of the whole value: the input of all_reduce, reduce_scatter, all_to_all, broadcast and permute, and the
 * output of all_gather. The time is that of start and wait on rank 0, after a barrier; the median and the least of the rounds.
 */
#define _POSIX_C_SOURCE 200809L
#include "lathe/mpi.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RANKS = 64, MOST_ROUNDS = 2000, LEAST_ROUNDS = 7 };
static const int64_t largest = 64 << 20;
static const double seconds_each = 0.1;

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void check(lathe_status status, const lathe_error *error) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(error);
  exit(1);
}

typedef struct collective {
  const char *name;
  lathe_collective_info info;
  int is_divided; /* a rank's part is the count */
} collective;

static const collective collectives[] = {
    {"all_reduce", {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "ranks", "measure", NULL}, 0},
    {"all_gather", {LATHE_ALL_GATHER, (lathe_reduction)0, LATHE_F32, 0, 0, "ranks", "measure", NULL}, 1},
    {"reduce_scatter", {LATHE_REDUCE_SCATTER, LATHE_SUM, LATHE_F32, 0, 0, "ranks", "measure", NULL}, 1},
    {"all_to_all", {LATHE_ALL_TO_ALL, (lathe_reduction)0, LATHE_F32, 0, 0, "ranks", "measure", NULL}, 1},
    {"broadcast", {LATHE_BROADCAST, (lathe_reduction)0, LATHE_F32, 0, 0, "ranks", "measure", NULL}, 0},
    {"permute", {LATHE_PERMUTE, (lathe_reduction)0, LATHE_F32, 0, 1, "ranks", "measure", NULL}, 0},
};

/* Runs the rounds, as many on all ranks: rank 0 decides. */
static int measure(lathe_comm *comm, const collective *of, int64_t count, float *input, float *output, double *times) {
  int64_t all[MOST_RANKS];
  lathe_error error = {.status = LATHE_OK};
  const double begin = now();
  for (int round = 0;; ++round) {
    const int goes_on = round < LEAST_ROUNDS || (round < MOST_ROUNDS && now() - begin < seconds_each);
    check(comm->gather(comm, goes_on, all, &error), &error);
    if (!all[0])
      return round;
    const double start = now();
    check(comm->start(comm, NULL, &of->info, input, output, count, &error), &error);
    check(comm->wait(comm, NULL, &of->info, &error), &error);
    times[round] = now() - start;
  }
}

static void print(const lathe_comm *comm, const char *transport, const char *name, int64_t bytes, double *times, int rounds) {
  qsort(times, (size_t)rounds, sizeof *times, by_value);
  printf(
      "{\"transport\":\"%s\",\"ranks\":%d,\"collective\":\"%s\",\"bytes\":%lld,\"rounds\":%d,\"median_us\":%.2f,\"least_us\":%.2f}\n",
      transport, (int)comm->size, name, (long long)bytes, rounds, 1e6 * times[rounds / 2], 1e6 * times[0]);
  fflush(stdout);
}

static void measure_gather(lathe_comm *comm, const char *transport, double *times) {
  int64_t all[MOST_RANKS];
  lathe_error error = {.status = LATHE_OK};
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    const double start = now();
    check(comm->gather(comm, round, all, &error), &error);
    times[round] = now() - start;
  }
  if (comm->rank == 0)
    print(comm, transport, "gather", 8 * comm->size, times, MOST_ROUNDS);
}

static void measure_all(lathe_comm *comm, const char *transport) {
  float *input = lathe_alloc((size_t)largest), *output = lathe_alloc((size_t)largest);
  double *times = malloc(MOST_ROUNDS * sizeof *times);
  if (!input || !output || !times)
    exit(1);
  memset(input, 1, (size_t)largest);
  memset(output, 1, (size_t)largest);
  measure_gather(comm, transport, times);
  for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; ++i)
    for (int64_t bytes = 4 * comm->size; bytes <= largest; bytes *= bytes >= 16 << 20 ? 4 : 8) {
      const collective *of = &collectives[i];
      const int64_t count = bytes / 4 / (of->is_divided ? comm->size : 1);
      const int rounds = measure(comm, of, count, input, output, times);
      if (comm->rank == 0)
        print(comm, transport, of->name, bytes, times, rounds);
    }
  lathe_free(input);
  lathe_free(output);
  free(times);
}

static void *run(void *comm) {
  measure_all(comm, "local");
  return NULL;
}

static void run_threads(int64_t ranks) {
  const lathe_axis axis = {"ranks", ranks, 0};
  lathe_comm *comms[MOST_RANKS];
  pthread_t threads[MOST_RANKS];
  lathe_error error;
  check(lathe_comm_create_local(&axis, 1, INFINITY, comms, &error), &error);
  for (int64_t r = 0; r < ranks; ++r)
    if (pthread_create(&threads[r], NULL, run, comms[r]) != 0)
      exit(1);
  for (int64_t r = 0; r < ranks; ++r)
    pthread_join(threads[r], NULL);
  for (int64_t r = 0; r < ranks; ++r)
    lathe_comm_destroy(comms[r]);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "local") == 0) {
    const int ranks = atoi(argv[2]);
    if (ranks < 1 || ranks > MOST_RANKS)
      return 2;
    run_threads(ranks);
    return 0;
  }
  const lathe_axis axis = {"ranks", 0, 0};
  lathe_comm *comm;
  lathe_error error;
  check(lathe_comm_create_mpi(NULL, &axis, 1, 60, &comm, &error), &error);
  measure_all(comm, "mpi");
  lathe_comm_destroy(comm);
  return 0;
}
