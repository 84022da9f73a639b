/* Waiting for messages of MPI. Whoever waits tests again and again, first at once and then with pauses, which leave the core to
 * other ranks: MPI's own waiting functions have neither pauses nor timeouts.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "mpi_comm.h"

#include <sched.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* Polls until the first pause of each kind. A yield takes a core only while no other thread wants it; values
 * of some megabytes arrive before the first sleep. */
enum { SPINS = 100, YIELDS = 20000, NAPS = 22000 };

/* Before poll number `polls` of a wait. Short waits cost no system call; long ones cost no core. */
static void pause_before(uint64_t polls) {
  if (polls < SPINS)
    return;
  if (polls < YIELDS) {
    sched_yield();
    return;
  }
  const struct timespec span = {0, polls < NAPS ? 20000 : 200000};
  nanosleep(&span, NULL);
}

mpi_patience lathe_mpi_begin_wait(double timeout) { return (mpi_patience){.timeout = timeout, .since = -1}; }

bool lathe_mpi_is_patient(mpi_patience *of, uint64_t events) {
  pause_before(of->polls++);
  if (events != of->events) {
    of->events = events;
    of->since = -1;
    of->polls = 1;
  }
  if (of->polls < SPINS)
    return true;
  const double at = now();
  if (of->since < 0)
    of->since = at;
  return at - of->since < of->timeout;
}
