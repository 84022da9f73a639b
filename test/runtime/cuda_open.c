/* Machines without a driver or a device, or with the wrong ones. A process opens the driver once, so each case is a process,
 * and finds its libcuda.so.1 by LD_LIBRARY_PATH.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct machine {
  const char *name, *libraries, *variable, *value, *message;
  int64_t expected, actual;
} machine;

static const machine machines[] = {
    {"no-driver", "none", NULL, NULL,
     "there is no NVIDIA driver: libcuda.so.1 cannot be loaded; call entries without "
     "a device to run on the CPU",
     0, 0},
    {"old-driver", "../fake-cuda-old", NULL, NULL,
     "the NVIDIA driver is too old for CUDA 12.0: expected at least 12000, got 11080", 12000, 11080},
    {"incomplete-driver", "../fake-cuda-incomplete", NULL, NULL, "the NVIDIA driver lacks a function (cuMemsetD8Async)", 12000,
     12040},
    {"driver-that-fails", "../fake-cuda", "FAKE_CUDA_INIT", "803",
     "the NVIDIA driver cannot be initialised (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)", 0, 0},
    {"driver-without-device", "../fake-cuda", "FAKE_CUDA_INIT", "100", "there is no CUDA device;", 0, 0},
    {"no-devices", "../fake-cuda", "FAKE_CUDA_DEVICES", "0", "there is no CUDA device;", 0, 0},
};

static void check_machine(const machine *m) {
  for (int turn = 0; turn < 2; ++turn) {
    lathe_error error = {0};
    CHECK(!lathe_context_create_cuda(0, &error));
    CHECK_EQUAL(error.status, LATHE_ERROR_NO_DEVICE);
    CHECK_EQUAL(error.expected, m->expected);
    CHECK_EQUAL(error.actual, m->actual);
    CHECK_MESSAGE(&error, "error: lathe_context_create_cuda: ");
    CHECK_MESSAGE(&error, m->message);
    CHECK_EQUAL(lathe_cuda_device_count(&error), 0);
    CHECK_MESSAGE(&error, "error: lathe_cuda_device_count: ");
    CHECK_MESSAGE(&error, m->message);
    CHECK(!lathe_context_create_cuda_on_stream(0, NULL, NULL));
    CHECK_EQUAL(lathe_cuda_device_count(NULL), 0);
  }
  /* The CPU is as ever. */
  lathe_context *cpu = lathe_context_create(1);
  float *memory = lathe_context_alloc(cpu, 64), value = 3;
  CHECK_EQUAL(lathe_context_upload(cpu, memory, &value, sizeof value, NULL), LATHE_OK);
  CHECK_EQUAL(memory[0], 3);
  lathe_context_free(cpu, memory);
  lathe_context_destroy(cpu);
}

static void run(const machine *m) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_LIBRARY_PATH", m->libraries, 1);
    if (m->variable)
      setenv(m->variable, m->value, 1);
    execl("/proc/self/exe", "cuda_open", m->name, (char *)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (status != 0) {
    ++check_failures;
    fprintf(stderr, "%s failed\n", m->name);
  }
}

int main(int count, char **arguments) {
  for (size_t i = 0; count == 2 && i < sizeof machines / sizeof machines[0]; ++i)
    if (strcmp(arguments[1], machines[i].name) == 0) {
      check_machine(&machines[i]);
      return check_result();
    }
  /* A file that is no library ends the search, also on a machine that has a driver. */
  mkdir("none", 0777);
  write_file("none/libcuda.so.1", "none", 4);
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i)
    run(&machines[i]);
  return check_result();
}
