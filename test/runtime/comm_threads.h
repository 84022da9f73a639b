/* Jobs whose ranks are threads.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_COMM_THREADS_H
#define LATHE_TEST_RUNTIME_COMM_THREADS_H

#include "comm_cases.h"

#include <pthread.h>

typedef struct job_thread {
  pthread_t thread;
  lathe_comm *comm;
  void (*body)(lathe_comm *comm);
} job_thread;

static inline void *run_thread(void *argument) {
  job_thread *self = argument;
  self->body(self->comm);
  return NULL;
}

/* Runs the body on each rank of a new job. The ranks end their communicators when all bodies have returned, unless a body has
 * done it, which is for `destroys`. */
static inline void run_job(const lathe_axis *axes, uint32_t axis_count, double timeout, void (*body)(lathe_comm *comm),
                           int destroys) {
  lathe_comm *comms[MOST_RANKS] = {NULL};
  job_thread threads[MOST_RANKS];
  lathe_error error = {.status = LATHE_OK};
  CHECK_EQUAL(lathe_comm_create_local(axes, axis_count, timeout, comms, &error), LATHE_OK);
  if (!comms[0])
    exit(1);
  const int size = (int)comms[0]->size;
  for (int r = 0; r < size; ++r) {
    threads[r] = (job_thread){.comm = comms[r], .body = body};
    CHECK_EQUAL(pthread_create(&threads[r].thread, NULL, run_thread, &threads[r]), 0);
  }
  for (int r = 0; r < size; ++r)
    pthread_join(threads[r].thread, NULL);
  for (int r = 0; r < size && !destroys; ++r)
    lathe_comm_destroy(comms[r]);
}

#endif /* LATHE_TEST_RUNTIME_COMM_THREADS_H */
