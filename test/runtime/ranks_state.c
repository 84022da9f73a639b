/* Checkpoints of jobs of threads: saved by one mesh and loaded by another, full disks, damaged files.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _XOPEN_SOURCE 700
#include "ranks_state.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "checkpoints";

/* One rank that saves or loads. */
typedef struct worker {
  pthread_t thread;
  lathe_comm *comm;
  int64_t data, model, rank;
  int time, loads;
  lathe_status status;
  int64_t wrong; /* elements after loading */
  lathe_error error;
  char message[512];
} worker;

static void *work(void *argument) {
  worker *w = argument;
  ranks_state s;
  make_state(&s, w->data, w->model, w->rank);
  if (w->loads) {
    memset(s.memory, 0xA5, s.module.state_size);
    w->status = lathe_state_load_ranks(folder, &s.module, s.memory, w->comm, &w->error);
    w->wrong = w->status == LATHE_OK ? wrong_elements(&s, w->time) : 0;
    for (uint64_t i = 0; w->status != LATHE_OK && i < s.module.state_size; ++i)
      w->wrong += s.memory[i] != 0xA5; /* a failure changes nothing */
  } else {
    fill_state(&s, w->time);
    w->status = lathe_state_save_ranks(folder, &s.module, s.memory, w->comm, &w->error);
  }
  if (w->status != LATHE_OK)
    lathe_error_format(&w->error, w->message, sizeof w->message);
  free(s.memory);
  return NULL;
}

/* Runs a job. All ranks must return the status, and a message with `text`. */
static void job(int64_t data, int64_t model, int loads, int time, lathe_status expected, const char *text) {
  const lathe_axis axes[] = {{"data", data, 0}, {"model", model, 0}};
  lathe_comm *comms[8] = {NULL};
  worker workers[8] = {{.rank = 0}};
  const int size = (int)(data * model);
  lathe_error error;
  if (size > 1) /* one rank needs no communicator */
    CHECK_EQUAL(lathe_comm_create_local(axes, 2, INFINITY, comms, &error), LATHE_OK);
  for (int r = 0; r < size; ++r) {
    workers[r] = (worker){.comm = comms[r], .data = data, .model = model, .rank = r, .time = time, .loads = loads};
    CHECK_EQUAL(pthread_create(&workers[r].thread, NULL, work, &workers[r]), 0);
  }
  for (int r = 0; r < size; ++r) {
    pthread_join(workers[r].thread, NULL);
    lathe_comm_destroy(comms[r]);
    CHECK_EQUAL(workers[r].status, expected);
    CHECK_EQUAL(workers[r].wrong, 0);
    if (workers[r].status != expected || !strstr(workers[r].message, text)) {
      ++check_failures;
      fprintf(stderr, "rank %d of %d x %d, expected '%s': %s\n", r, (int)data, (int)model, text, workers[r].message);
    }
  }
}

static void save(int64_t data, int64_t model, int time) { job(data, model, 0, time, LATHE_OK, ""); }
static void load(int64_t data, int64_t model, int time) { job(data, model, 1, time, LATHE_OK, ""); }

static int count_entries(const char *path) {
  DIR *at = opendir(path);
  int count = 0;
  while (at && readdir(at))
    ++count;
  if (at)
    closedir(at);
  return count - 2;
}

/* Every mesh loads what every mesh saved. */
static void every_mesh(void) {
  const int64_t meshes[][2] = {{1, 1}, {2, 1}, {1, 3}, {2, 2}, {4, 1}, {3, 2}, {1, 6}};
  const int count = sizeof meshes / sizeof meshes[0];
  for (int i = 0; i < count; ++i) {
    save(meshes[i][0], meshes[i][1], i);
    for (int k = 0; k < count; ++k)
      load(meshes[k][0], meshes[k][1], i);
  }
  CHECK_EQUAL(count_entries(folder), 3); /* the current one, the one before it, and latest.json */
}

/* Each rank writes about as much: no element is written twice. */
static void shares(void) {
  struct stat info;
  int64_t bytes = 0, least = INT64_MAX, most = 0;
  save(3, 2, 1);
  for (int r = 0; r < 6; ++r) {
    char path[96];
    snprintf(path, sizeof path, "%s/save-7/rank-%05d.safetensors", folder, r);
    if (stat(path, &info) != 0)
      info.st_size = 0;
    bytes += info.st_size;
    least = info.st_size < least ? info.st_size : least;
    most = info.st_size > most ? info.st_size : most;
  }
  const int64_t state = LARGE * 7 * 4; /* nearly all of it is one variable */
  CHECK(bytes >= state && bytes < state + 12000);
  CHECK(least > state / 6 && most < state / 6 + 2000);
}

static void overwrite(const char *path, long size, int removes) {
  size_t length;
  unsigned char *bytes = read_file(path, &length);
  CHECK(length > (size_t)size);
  if (removes)
    CHECK(remove(path) == 0);
  else
    write_file(path, bytes, (size_t)size);
  free(bytes);
}

/* Damage of the current checkpoint: the one before it is loaded. Without one, all ranks get the reason. */
static void damage(void) {
  save(2, 2, 20); /* save-8 */
  save(2, 2, 21);
  overwrite("checkpoints/save-9/rank-00002.safetensors", 30000, 0);
  load(3, 1, 20);
  save(2, 2, 22); /* save-10; save-9 was the current one, and is kept */
  overwrite("checkpoints/latest.json", 3, 0);
  load(1, 2, 22);
  overwrite("checkpoints/save-10/index.json", 40, 0);
  job(2, 1, 1, 0, LATHE_ERROR_FORMAT, "");
  save(1, 1, 23);
  load(2, 1, 23);
  overwrite("checkpoints/latest.json", 3, 1);
  load(2, 1, 23);
  CHECK_EQUAL(mkdir("checkpoints/save-700", 0777), 0); /* of a job that was killed */
  load(2, 1, 23);
  save(2, 1, 24);
  load(1, 1, 24);
  CHECK(access("checkpoints/save-700", F_OK) != 0);
}

/* A file that becomes too large, as on a full disk: all ranks get a status, and the current checkpoint stays. */
static void full_disk(void) {
  struct rlimit before, small;
  CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 50000;
  signal(SIGXFSZ, SIG_IGN);
  save(2, 2, 30);
  const int entries = count_entries(folder);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
  job(2, 2, 0, 31, LATHE_ERROR_IO, "write the file: File too large");
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_EQUAL(count_entries(folder), entries);
  load(2, 1, 30);
}

static void refusals(void) {
  ranks_state s;
  lathe_error error = {.status = LATHE_OK};
  make_state(&s, 2, 1, 0); /* needs two ranks */
  CHECK_EQUAL(lathe_state_save_ranks(folder, &s.module, s.memory, NULL, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error,
                "both: the object was compiled for other sizes of the axes; elements of a rank's part: expected 144, got 72");
  free(s.memory);
  make_state(&s, 1, 1, 0);
  CHECK_EQUAL(lathe_state_load_ranks("no-such-folder", &s.module, s.memory, NULL, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "no-such-folder: error: lathe_state_load_ranks: there is no checkpoint in this directory");
  CHECK_EQUAL(lathe_state_save_ranks("no-such-folder/below", &s.module, s.memory, NULL, &error), LATHE_ERROR_IO);
  save(1, 1, 40);
  s.variables[1].name = "other";
  CHECK_EQUAL(lathe_state_load_ranks(folder, &s.module, s.memory, NULL, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "/index.json: error: lathe_state_load_ranks: other: the checkpoint has no variable of this name");
  s.variables[1].name = divisions[1].name;
  s.extents[1][0] = 12;
  s.variables[1].size = 48;
  CHECK_EQUAL(lathe_state_load_ranks(folder, &s.module, s.memory, NULL, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "a dimension of the whole variable differs: expected 12, got 13");
  s.extents[1][0] = 13;
  s.variables[1].size = 52;
  s.variables[1].dtype = LATHE_I32;
  CHECK_EQUAL(lathe_state_load_ranks(folder, &s.module, s.memory, NULL, NULL), LATHE_ERROR_FORMAT);
  s.variables[1].dtype = LATHE_F32;
  s.module.abi_version = 7;
  CHECK_EQUAL(lathe_state_load_ranks(folder, &s.module, s.memory, NULL, NULL), LATHE_ERROR_ABI);
  free(s.memory);
}

static void clean(void) {
  if (system("rm -rf checkpoints") != 0)
    exit(1);
}

int main(void) {
  clean();
  every_mesh();
  shares();
  damage();
  full_disk();
  refusals();
  clean();
  return check_result();
}
