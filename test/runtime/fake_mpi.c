/* A stand-in for an MPI that takes device memory, in front of one that does not. Linked before the real library, it answers
 * MPIX_Query_cuda_support, and copies what is in the memory of a device through the host. Addresses of the stand-in for the
 * driver are not mapped, so MPI itself cannot read them.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * It reads as early as MPI may, when a message is sent, and writes as late, when a test finds that one has arrived. It does
 * both on a stream of its own that waits for no other: who has not drained the stream of its kernels sends old bytes, or
 * overwrites what has come. Like real libraries, it needs a current context.
 */
#define _POSIX_C_SOURCE 200809L
#include "fake_mpi.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The driver ---- */

static struct {
  int (*attribute)(void *data, int which, uint64_t address);
  int (*current)(void **context);
  int (*create)(void **stream, unsigned flags);
  int (*synchronize)(void *stream);
  int (*to_host)(void *to, uint64_t from, size_t size, void *stream);
  int (*to_device)(uint64_t to, const void *from, size_t size, void *stream);
} driver;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static int is_open, most = -1, messages;

static int find(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

static void open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  is_open = library && find(library, "cuPointerGetAttribute", &driver.attribute) &&
            find(library, "cuCtxGetCurrent", &driver.current) && find(library, "cuStreamCreate", &driver.create) &&
            find(library, "cuStreamSynchronize", &driver.synchronize) &&
            find(library, "cuMemcpyDtoHAsync_v2", &driver.to_host) && find(library, "cuMemcpyHtoDAsync_v2", &driver.to_device);
}

static void fault(const char *what, size_t bytes) { fprintf(stderr, "fake_mpi failed: %s, %zu bytes\n", what, bytes); }

static uint64_t address_of(const void *data) { return (uint64_t)(uintptr_t)data; }

static int is_on_device(const void *data) {
  enum { MEMORY_TYPE = 2, MEMORY_OF_DEVICE = 2 };
  unsigned type = 0;
  pthread_once(&opened, open_driver);
  return is_open && driver.attribute(&type, MEMORY_TYPE, address_of(data)) == 0 && type == MEMORY_OF_DEVICE;
}

/* Copies, on a stream that no other waits for. */
static void copy(void *to, const void *from, size_t bytes, int is_upload) {
  enum { NON_BLOCKING = 1 };
  static void *stream;
  void *context = NULL;
  if (driver.current(&context) != 0 || !context) {
    fault("no context is current", bytes);
    return;
  }
  if (!stream && driver.create(&stream, NON_BLOCKING) != 0)
    fault("no stream", bytes);
  const int result =
      is_upload ? driver.to_device(address_of(to), from, bytes, stream) : driver.to_host(to, address_of(from), bytes, stream);
  if (result != 0 || driver.synchronize(stream) != 0)
    fault("a copy", bytes);
  ++messages;
}

/* ---- Requests ---- */

enum { MOST_REQUESTS = 256 };

/* A message between device memory and a copy on the host. */
static struct {
  MPI_Request request;
  char *bytes;
  void *target; /* NULL: it is sent */
  size_t size;
  int is_used;
} pending[MOST_REQUESTS];

static void remember(MPI_Request request, char *bytes, void *target, size_t size) {
  for (int i = 0; i < MOST_REQUESTS; ++i)
    if (!pending[i].is_used) {
      pending[i].request = request, pending[i].bytes = bytes, pending[i].target = target, pending[i].size = size;
      pending[i].is_used = 1;
      return;
    }
  fault("too many messages", size);
}

/* Ends a message. Without `arrived` MPI may still use the copy. */
static void forget(MPI_Request request, int arrived) {
  for (int i = 0; i < MOST_REQUESTS; ++i)
    if (pending[i].is_used && pending[i].request == request) {
      if (arrived && pending[i].target)
        copy(pending[i].target, pending[i].bytes, pending[i].size, 1);
      if (arrived)
        free(pending[i].bytes);
      pending[i].is_used = 0;
    }
}

/* Returns the bytes of a message in device memory; 0 for one in host memory, which must be small. */
static size_t device_bytes(const void *data, int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  const size_t bytes = (size_t)count * (size_t)size;
  if (is_on_device(data))
    return bytes;
  if (most >= 0 && bytes > (size_t)most)
    fault("a message in host memory", bytes);
  return 0;
}

/* ---- MPI ---- */

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return 1; }

int MPI_Isend(const void *data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  const size_t bytes = device_bytes(data, count, type);
  if (bytes == 0)
    return PMPI_Isend(data, count, type, rank, tag, comm, request);
  char *host = malloc(bytes);
  copy(host, data, bytes, 0);
  const int code = PMPI_Isend(host, count, type, rank, tag, comm, request);
  remember(*request, host, NULL, bytes);
  return code;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  const size_t bytes = device_bytes(data, count, type);
  if (bytes == 0)
    return PMPI_Irecv(data, count, type, rank, tag, comm, request);
  char *host = malloc(bytes);
  const int code = PMPI_Irecv(host, count, type, rank, tag, comm, request);
  remember(*request, host, data, bytes);
  return code;
}

int MPI_Test(MPI_Request *request, int *is_complete, MPI_Status *status) {
  const MPI_Request before = *request;
  const int code = PMPI_Test(request, is_complete, status);
  if (code == MPI_SUCCESS && *is_complete && before != MPI_REQUEST_NULL)
    forget(before, 1);
  return code;
}

int MPI_Request_free(MPI_Request *request) {
  forget(*request, 0);
  return PMPI_Request_free(request);
}

void fake_mpi_expect_device(int bytes) { most = bytes; }
int fake_mpi_messages(void) { return messages; }
