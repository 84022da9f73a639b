/* A communicator whose collectives NCCL does among GPUs, on the streams of their contexts. The library is opened at run time.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the ranks compare on the host goes through another communicator, which also brings the ranks together: NCCL itself needs
 * the same 128 bytes on all of them.
 */
#define _POSIX_C_SOURCE 200809L
#include "comm.h"
#include "cuda_context.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library ---- */

typedef int nccl_result;
typedef int nccl_type;
typedef struct nccl_object *nccl_handle;
typedef struct nccl_id {
  char bytes[128];
} nccl_id;

enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7, NCCL_BYTES = 1 /* ncclUint8 */ };

/* X(member, symbol, parameters), of NCCL 2.7 and later. */
#define NCCL_FUNCTIONS(X)                                                                                                      \
  X(get_id, ncclGetUniqueId, (nccl_id * id))                                                                                   \
  X(init, ncclCommInitRank, (nccl_handle * comm, int ranks, nccl_id id, int rank))                                             \
  X(destroy, ncclCommDestroy, (nccl_handle comm))                                                                              \
  X(abort, ncclCommAbort, (nccl_handle comm))                                                                                  \
  X(get_failure, ncclCommGetAsyncError, (nccl_handle comm, nccl_result * result))                                              \
  X(all_reduce, ncclAllReduce,                                                                                                 \
    (const void *from, void *to, size_t count, nccl_type type, int reduction, nccl_handle comm, cu_handle stream))             \
  X(reduce_scatter, ncclReduceScatter,                                                                                         \
    (const void *from, void *to, size_t count, nccl_type type, int reduction, nccl_handle comm, cu_handle stream))             \
  X(all_gather, ncclAllGather, (const void *from, void *to, size_t count, nccl_type type, nccl_handle comm, cu_handle stream)) \
  X(broadcast, ncclBroadcast,                                                                                                  \
    (const void *from, void *to, size_t count, nccl_type type, int root, nccl_handle comm, cu_handle stream))                  \
  X(send, ncclSend, (const void *from, size_t count, nccl_type type, int peer, nccl_handle comm, cu_handle stream))            \
  X(receive, ncclRecv, (void *to, size_t count, nccl_type type, int peer, nccl_handle comm, cu_handle stream))                 \
  X(group_start, ncclGroupStart, (void))                                                                                       \
  X(group_end, ncclGroupEnd, (void))

static struct {
#define MEMBER(member, symbol, parameters) nccl_result(*member) parameters;
  NCCL_FUNCTIONS(MEMBER)
#undef MEMBER
  const char *(*text)(nccl_result result);
} nccl;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const char *missing = "libnccl.so.2 cannot be loaded"; /* NULL: nothing */

static bool find(void *library, const char *symbol, void *function) {
  void *address = dlsym(library, symbol);
  memcpy(function, &address, sizeof address);
  missing = address ? NULL : symbol;
  return address != NULL;
}

static void open_library(void) {
  void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
#define FIND(member, symbol, parameters) &&find(library, #symbol, &nccl.member)
  if (library && !(find(library, "ncclGetErrorString", &nccl.text) NCCL_FUNCTIONS(FIND)))
    dlclose(library);
#undef FIND
}

/* ---- Calls ---- */

typedef struct nccl_comm {
  lathe_own_comm own; /* first */
  lathe_comm *host;
  cuda_context *context;
  nccl_handle handles[]; /* by axis */
} nccl_comm;

/* The type's name in NCCL, which lacks 16-bit integers. Booleans are bytes of 0 or 1, whose max and min are what they should.
 */
static nccl_type type_of(lathe_dtype dtype) {
  static const signed char types[] = {
      [LATHE_I1] = 1,  [LATHE_I8] = 0,  [LATHE_I16] = -1, [LATHE_I32] = 2, [LATHE_I64] = 4, [LATHE_U8] = 1,   [LATHE_U16] = -1,
      [LATHE_U32] = 3, [LATHE_U64] = 5, [LATHE_F16] = 6,  [LATHE_F32] = 7, [LATHE_F64] = 8, [LATHE_BF16] = 9,
  };
  return types[dtype];
}

static lathe_status tell(nccl_comm *self, const lathe_collective_info *info, nccl_result result, lathe_error *error) {
  if (result == NCCL_SUCCESS || result == NCCL_IN_PROGRESS)
    return LATHE_OK;
  const lathe_error record = {.status = LATHE_ERROR_COMM, .other = nccl.text(result), .actual = -1};
  return lathe_comm_fail(&self->own, info, "lathe_comm_create_nccl", record, error);
}

/* Sends part i of the input to rank i, or the whole of it to one rank. */
static nccl_result exchange(const lathe_collective_info *info, lathe_group group, nccl_handle handle, cu_handle stream,
                            const char *input, char *output, size_t bytes) {
  nccl_result first = nccl.group_start(), last;
  const bool is_shift = info->kind == LATHE_PERMUTE;
  const int64_t shift = is_shift ? info->parameter % group.size : 0;
  for (int64_t i = 0; i < (is_shift ? 1 : group.size) && !first; ++i) {
    const int64_t to = is_shift ? (group.index + shift + group.size) % group.size : i;
    const int64_t from = is_shift ? (group.index - shift + group.size) % group.size : i;
    first = nccl.send(input + (size_t)i * bytes, bytes, NCCL_BYTES, (int)to, handle, stream);
    first = first ? first : nccl.receive(output + (size_t)i * bytes, bytes, NCCL_BYTES, (int)from, handle, stream);
  }
  last = nccl.group_end();
  return first ? first : last;
}

static nccl_result issue(const nccl_comm *self, const lathe_collective_info *info, lathe_group group, const void *input,
                         void *output, size_t count) {
  const lathe_comm *base = &self->own.base;
  uint32_t axis = 0;
  while (strcmp(base->axes[axis].name, info->axis) != 0)
    ++axis;
  nccl_handle handle = self->handles[axis];
  const cu_handle stream = self->context->stream;
  const size_t bytes = count * lathe_dtype_size(info->dtype);
  const int reduction = info->reduction == LATHE_SUM ? 0 : info->reduction == LATHE_MAX ? 2 : 3;
  switch (info->kind) {
  case LATHE_ALL_REDUCE:
    return nccl.all_reduce(input, output, count, type_of(info->dtype), reduction, handle, stream);
  case LATHE_REDUCE_SCATTER:
    return nccl.reduce_scatter(input, output, count, type_of(info->dtype), reduction, handle, stream);
  case LATHE_ALL_GATHER:
    return nccl.all_gather(input, output, bytes, NCCL_BYTES, handle, stream);
  case LATHE_BROADCAST:
    return nccl.broadcast(input, output, bytes, NCCL_BYTES, (int)info->parameter, handle, stream);
  default:
    return exchange(info, group, handle, stream, input, output, bytes);
  }
}

static lathe_status start(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, const void *input,
                          void *output, int64_t count, lathe_error *error) {
  (void)context;
  nccl_comm *self = (nccl_comm *)comm;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  lathe_group group;
  const lathe_status status = lathe_comm_check(comm, info, input, output, count, &group, error);
  if (status != LATHE_OK || count == 0)
    return status;
  if (info->reduction && type_of(info->dtype) < 0)
    return lathe_fail_format(error, info->function, NULL, info->axis, "NCCL does not reduce integers of 16 bits");
  const cu_result pushed = lathe_cuda_push(self->context);
  if (pushed != CU_SUCCESS)
    return lathe_cuda_tell(self->context, pushed, info->function, 0, error);
  const nccl_result result = issue(self, info, group, input, output, (size_t)count);
  lathe_cuda_leave();
  return tell(self, info, result, error);
}

/* The stream orders what follows. A failure of the network is known by now or by a later call. */
static lathe_status wait_for(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, lathe_error *error) {
  (void)context;
  nccl_comm *self = (nccl_comm *)comm;
  for (uint32_t i = 0; i < comm->axis_count && self->own.failure.status == LATHE_OK; ++i) {
    nccl_result result = NCCL_SUCCESS;
    const nccl_result asked = nccl.get_failure(self->handles[i], &result);
    (void)tell(self, info, asked ? asked : result, error);
  }
  return self->own.failure.status == LATHE_OK ? LATHE_OK : lathe_comm_again(&self->own, error);
}

static lathe_status gather(lathe_comm *comm, int64_t mine, int64_t *all, lathe_error *error) {
  nccl_comm *self = (nccl_comm *)comm;
  if (self->own.failure.status != LATHE_OK)
    return lathe_comm_again(&self->own, error);
  return self->host->gather(self->host, mine, all, error);
}

/* ---- Creation and end ---- */

/* NCCL waits for the other ranks in a proper end, not in an abort. */
static void destroy(lathe_comm *comm) {
  nccl_comm *self = (nccl_comm *)comm;
  const bool entered = lathe_cuda_push(self->context) == CU_SUCCESS;
  for (uint32_t i = 0; i < comm->axis_count; ++i)
    if (self->handles[i])
      (void)(self->own.failure.status == LATHE_OK ? nccl.destroy : nccl.abort)(self->handles[i]);
  if (entered)
    lathe_cuda_leave();
  free(self);
}

/* Makes NCCL's communicator of each axis. The first rank of each group makes the id, which all ranks see. */
static lathe_status join(nccl_comm *self, int64_t *all, lathe_error *error) {
  const lathe_comm *base = &self->own.base;
  for (uint32_t i = 0; i < base->axis_count; ++i) {
    lathe_group group;
    nccl_id id = {{0}};
    int64_t words[sizeof id / sizeof *all];
    lathe_comm_group(base, base->axes[i].name, &group);
    lathe_status status = group.index == 0 ? tell(self, NULL, nccl.get_id(&id), error) : LATHE_OK;
    memcpy(words, &id, sizeof id);
    for (size_t word = 0; word < sizeof words / sizeof *words && status == LATHE_OK; ++word) {
      status = self->host->gather(self->host, words[word], all, error);
      words[word] = all[group.first];
    }
    memcpy(&id, words, sizeof id);
    if (status == LATHE_OK)
      status = tell(self, NULL, nccl.init(&self->handles[i], (int)group.size, id, (int)group.index), error);
    if (status != LATHE_OK)
      return status;
  }
  return LATHE_OK;
}

/* Reports what is missing on this rank, or that another one cannot take part. */
static lathe_status check_all(lathe_comm *host, const lathe_context *context, int64_t *all, const char *function,
                              lathe_error *error) {
  pthread_once(&opened, open_library);
  const bool has_device = context && context->device;
  const char *problem = !has_device ? "the context is not on a CUDA device" : missing;
  const lathe_status status = host->gather(host, problem == NULL, all, error);
  for (int64_t r = 0; r < host->size && status == LATHE_OK && !problem; ++r)
    if (!all[r])
      problem = "another rank of the job has no device or no NCCL";
  if (status != LATHE_OK || !problem)
    return status;
  if (error)
    *error = (lathe_error){
        .status = LATHE_ERROR_NO_DEVICE, .function = function, .argument = problem, .other = "NCCL cannot be used"};
  return LATHE_ERROR_NO_DEVICE;
}

lathe_status lathe_comm_create_nccl(lathe_comm *host, lathe_context *context, lathe_comm **comm, lathe_error *error) {
  int64_t *all = malloc((size_t)host->size * sizeof *all);
  nccl_comm *self = calloc(1, sizeof *self + host->axis_count * sizeof(nccl_handle));
  lathe_status status = all && self ? check_all(host, context, all, __func__, error)
                                    : lathe_fail_memory(error, __func__, NULL, (uint64_t)host->size * sizeof *all);
  if (status == LATHE_OK) {
    self->own.base = *host;
    self->own.base.takes_device_memory = 1;
    self->own.base.gather = gather;
    self->own.base.begin = lathe_comm_begin;
    self->own.base.start = start;
    self->own.base.wait = wait_for;
    self->own.base.attach = NULL;
    self->own.base.destroy = destroy;
    self->host = host;
    self->context = cuda_of(context);
    const cu_result pushed = lathe_cuda_push(self->context);
    status = pushed == CU_SUCCESS ? join(self, all, error) : lathe_cuda_tell(self->context, pushed, __func__, 0, error);
    if (pushed == CU_SUCCESS)
      lathe_cuda_leave();
    if (status == LATHE_OK)
      *comm = &self->own.base;
    else
      destroy(&self->own.base);
  } else {
    free(self);
  }
  free(all);
  return status;
}
