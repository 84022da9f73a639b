/* Collectives over MPI whose buffers are in the memory of a CUDA device.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MPI does not know streams. So the stream is drained before MPI reads or writes a buffer, and MPI has written the result
 * before the entry queues what reads it. Values that fit into the messages with the headers go through the host's memory: the
 * host has to wait for the stream in any case, and one copy costs less than a message of its own for each rank. All others
 * travel between the devices' memories, and kernels add them.
 */
#define _POSIX_C_SOURCE 200809L
#include "mpi_comm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Is it there? ---- */

/* An extension of Open MPI and of MPICH; NULL in a library without it. */
extern int MPIX_Query_cuda_support(void) __attribute__((weak));

bool lathe_mpi_takes_device_memory(void) {
  const char *word = getenv("LATHE_MPI_CUDA");
  if (word && (strcmp(word, "0") == 0 || strcmp(word, "1") == 0))
    return word[0] == '1';
  return MPIX_Query_cuda_support && MPIX_Query_cuda_support() == 1;
}

static int (*pointer_attribute)(void *data, int attribute, uint64_t address); /* of the driver; NULL: there is no driver */
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_driver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *address = driver ? dlsym(driver, "cuPointerGetAttribute") : NULL;
  memcpy(&pointer_attribute, &address, sizeof address);
}

/* Entries without code for the device run on the CPU, also in a context of a device: then their buffers are in host memory. */
static bool is_on_device(const void *place) {
  enum { MEMORY_TYPE = 2, MEMORY_OF_DEVICE = 2 }; /* of the driver's header */
  unsigned type = 0;
  pthread_once(&opened, open_driver);
  return pointer_attribute && pointer_attribute(&type, MEMORY_TYPE, (uint64_t)(uintptr_t)place) == 0 &&
         type == MEMORY_OF_DEVICE;
}

/* ---- Within a call ---- */

lathe_status lathe_mpi_enter(lathe_context *device, const char *function, lathe_error *error) {
  if (!device || device->device->enter(device))
    return LATHE_OK;
  return device->device->finish(device, function, error);
}

void lathe_mpi_leave(lathe_context *device) {
  if (device)
    device->device->leave(device);
}

int lathe_mpi_settle(mpi_comm *comm, const mpi_flight *flight) {
  lathe_context *device = flight->device;
  if (device->device->enter(device)) {
    device->device->leave(device);
    return MPI_SUCCESS;
  }
  comm->has_device_failed = true;
  return MPI_ERR_OTHER;
}

static bool reserve(mpi_flight *flight, uint64_t size) {
  if (flight->stage_size >= size)
    return true;
  lathe_free(flight->stage);
  flight->stage = lathe_alloc(size);
  flight->stage_size = flight->stage ? size : 0;
  return flight->stage != NULL;
}

int lathe_mpi_place(mpi_comm *comm, mpi_flight *flight, uint64_t input_bytes, uint64_t output_bytes) {
  const lathe_comm_call *call = flight->call;
  const uint64_t offset = (input_bytes + 63) / 64 * 64;
  flight->device = NULL;
  flight->input = call->input;
  flight->output = call->output;
  if (!comm->device || output_bytes == 0 || !is_on_device(call->output))
    return MPI_SUCCESS;
  flight->device = comm->device;
  if (!flight->is_inline)
    return MPI_SUCCESS;
  if (!reserve(flight, offset + output_bytes))
    return MPI_ERR_NO_MEM;
  flight->input = flight->stage;
  flight->output = flight->stage + offset;
  flight->device->device->read(flight->device, flight->stage, call->input, input_bytes);
  return lathe_mpi_settle(comm, flight);
}

int lathe_mpi_unstage(mpi_comm *comm, const mpi_flight *flight, uint64_t output_bytes) {
  flight->device->device->write(flight->device, flight->call->output, flight->output, output_bytes);
  return lathe_mpi_settle(comm, flight);
}
