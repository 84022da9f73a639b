/* Checkpoints of an MPI job: mpi_state MODE DATA MODEL. The modes come one after the other, in one folder.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _XOPEN_SOURCE 700
#include "ranks_state.h"

#include "lathe/mpi.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const char folder[] = "mpi-checkpoints";

/* From now on, the process cannot write files of more than 50,000 bytes, and dies or fails if it tries. */
static void limit_files(int dies) {
  const struct rlimit limit = {50000, 50000}, no_core = {0, 0};
  signal(SIGXFSZ, dies ? SIG_DFL : SIG_IGN);
  CHECK_EQUAL(setrlimit(RLIMIT_CORE, &no_core), 0);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void run(const char *mode, lathe_comm *comm, ranks_state *s) {
  lathe_error error = {.status = LATHE_OK};
  const int is_faulty = comm->rank == 1;
  if (strcmp(mode, "save") == 0) {
    fill_state(s, 1);
    CHECK_EQUAL(lathe_state_save_ranks(folder, &s->module, s->memory, comm, &error), LATHE_OK);
  } else if (strcmp(mode, "full") == 0) { /* the disk of one rank */
    fill_state(s, 2);
    if (is_faulty)
      limit_files(0);
    CHECK_EQUAL(lathe_state_save_ranks(folder, &s->module, s->memory, comm, &error), LATHE_ERROR_IO);
    CHECK_MESSAGE(&error, is_faulty ? "write the file: File too large" : "the file of another rank: File too large");
  } else if (strcmp(mode, "killed") == 0) { /* in the middle of its file */
    fill_state(s, 3);
    if (is_faulty)
      limit_files(1);
    CHECK_EQUAL(lathe_state_save_ranks(folder, &s->module, s->memory, comm, &error), LATHE_ERROR_COMM);
    CHECK(error.other && strcmp(error.other, "timed out") == 0);
    CHECK_EQUAL(error.actual, 1);
  } else {
    CHECK_EQUAL(lathe_state_load_ranks(folder, &s->module, s->memory, comm, &error), LATHE_OK);
    CHECK_EQUAL(wrong_elements(s, 1), 0);
  }
  if (check_failures > 0)
    lathe_error_print(&error);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 1;
  const lathe_axis axes[] = {{"data", atoi(argv[2]), 0}, {"model", atoi(argv[3]), 0}};
  lathe_comm *comm = NULL;
  lathe_error error;
  if (lathe_comm_create_mpi(NULL, axes, 2, strcmp(argv[1], "killed") == 0 ? 6 : 300, &comm, &error) != LATHE_OK) {
    lathe_error_print(&error);
    return 1;
  }
  ranks_state s;
  make_state(&s, axes[0].size, axes[1].size, comm->rank);
  run(argv[1], comm, &s);
  free(s.memory);
  const int failed = check_result();
  if (!failed)
    printf("rank %d: sound\n", (int)comm->rank);
  fflush(stdout);
  lathe_comm_destroy(comm);
  return failed;
}
