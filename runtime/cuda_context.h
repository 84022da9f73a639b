/* A context on a CUDA device, as the files that make it up share it.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_CUDA_CONTEXT_H
#define LATHE_RUNTIME_CUDA_CONTEXT_H

#include "cuda_driver.h"

#pragma GCC visibility push(hidden)

enum { CUDA_GRAPHS = 32, CUDA_MAPS = 64 };

/* A kernel's code. */
typedef struct cuda_function {
  cu_handle handle;
  uint32_t most_blocks; /* of a persistent one: as many as run at once */
} cuda_function;

/* The code of an object, loaded. */
typedef struct cuda_module {
  struct cuda_module *next; /* the one used before it */
  const lathe_device_code *code;
  const lathe_device_image *image; /* which of it */
  cu_handle handle;
  cuda_function functions[]; /* by number of the kernel */
} cuda_module;

/* Something for the stream to do. */
typedef struct cuda_command {
  enum { CUDA_LAUNCH, CUDA_CLEAR, CUDA_COPY } kind;
  const lathe_kernel_info *row; /* NULL but for launches */
  cu_handle function;
  const lathe_device_kernel *kernel;
  unsigned blocks;
  const uint64_t *words;
  size_t first_word; /* where it is recorded: of `words` in the recording's own */
  cu_pointer to, from;
  uint64_t size;
} cuda_command;

/* A part of an entry that may be one graph, known by its code, by which arguments are where, and by its key. */
typedef struct cuda_graph {
  enum { CUDA_UNUSED, CUDA_SEEN, CUDA_READY, CUDA_PLAIN } state; /* PLAIN: it cannot be recorded */
  const lathe_device_code *code;
  uint64_t device_arguments, hash, size, last_use;
  void *key;
  cu_handle executable;
} cuda_graph;

/* A recording in progress. It runs nothing until it is complete, so that a failure loses nothing. */
typedef struct cuda_recording {
  cuda_graph *graph; /* NULL: nothing is being recorded */
  cuda_command *commands;
  uint64_t *words;
  size_t count, room, word_count, word_room;
} cuda_recording;

/* A tensor map that the driver has made. */
typedef struct cuda_map {
  const lathe_device_map *of; /* NULL: none */
  cu_pointer address;
  uint64_t extents[5];
  unsigned char bytes[CUDA_MAP_BYTES];
} cuda_map;

typedef struct cuda_constant {
  const void *data; /* NULL: a free place */
  uint64_t size;
  cu_pointer place;
} cuda_constant;

typedef struct cuda_scratch {
  void *memory;
  uint64_t size;
} cuda_scratch;

typedef struct cuda_context {
  lathe_own_context own; /* first */
  cu_device device;
  cu_handle primary;
  cu_handle stream, own_stream; /* which commands go to: the application's or the own one; captures are the own one's */
  bool is_given_stream, asynchronous;
  bool waits, logs, records; /* LATHE_CUDA_SYNC, LATHE_CUDA_LOG, LATHE_CUDA_GRAPHS */
  uint32_t capability, processors;

  lathe_error failure; /* the first of the call */
  lathe_error broken;  /* the one that the device's context did not survive */
  lathe_error queued;  /* the first of an asynchronous context's calls since the last synchronisation */
  uint32_t calls;      /* since the last synchronisation */
  const char *function;

  cuda_module *module; /* the attached one; the others follow, last used first */
  cuda_graph graphs[CUDA_GRAPHS];
  uint64_t uses; /* clock of the graphs' last_use */
  cuda_recording recording;
  cuda_constant *constants; /* open addressing: a power of two of places, at most half of them taken */
  size_t constant_count, constant_room;
  cuda_map maps[CUDA_MAPS]; /* each at the place that its hash gives */
  cuda_scratch *scratch;
  uint32_t scratch_count;
} cuda_context;

static inline cuda_context *cuda_of(lathe_context *context) { return (cuda_context *)context; }
static inline cu_pointer cuda_address(const void *place) { return (cu_pointer)(uintptr_t)place; }

/* ---- cuda_context.c ---- */

/* Makes the device's context the thread's current one, until lathe_cuda_leave. */
cu_result lathe_cuda_push(const cuda_context *context);
/* The same within a call. False: it has failed, before or now. */
bool lathe_cuda_enter(cuda_context *context);
void lathe_cuda_leave(void);
/* False, with the failure kept, where the driver reports one. `row` (may be NULL): of the launch that saw it; `size`: of the
 * memory asked for, or 0. */
bool lathe_cuda_check(cuda_context *context, cu_result result, const lathe_kernel_info *row, uint64_t size);
/* Keeps a failure, seen by the launch of `row` (may be NULL), unless there is one. */
void lathe_cuda_keep(cuda_context *context, lathe_error failure, const lathe_kernel_info *row);
/* Waits for the stream, whether the call has failed or not. */
cu_result lathe_cuda_wait(cuda_context *context);
/* The record of a failure outside of calls, told in *error (may be NULL). */
lathe_status lathe_cuda_tell(cuda_context *context, cu_result result, const char *function, uint64_t size, lathe_error *error);

/* ---- cuda_call.c ---- */

extern const lathe_device_api lathe_cuda_api;

/* ---- cuda_module.c ---- */

/* Makes the code's module the attached one. False, with the failure kept, where it cannot be loaded. */
bool lathe_cuda_load(cuda_context *context, const lathe_device_code *code);
void lathe_cuda_unload(cuda_context *context);

/* ---- cuda_map.c ---- */

/* Makes the parameter of a kernel with maps from its words, in memory aligned to CUDA_MAP_ALIGNMENT. */
cu_result lathe_cuda_add_maps(cuda_context *context, const cuda_command *command, unsigned char *parameter);

/* ---- cuda_launch.c ---- */

/* Hands a command to a stream. Within lathe_cuda_enter. */
cu_result lathe_cuda_issue(cuda_context *context, const cuda_command *command, cu_handle stream);
void lathe_cuda_launch(lathe_context *context, const lathe_kernel_info *row, uint32_t kernel, int64_t blocks,
                       const uint64_t *words);
void lathe_cuda_clear(lathe_context *context, void *place, uint64_t size);
void lathe_cuda_copy(lathe_context *context, void *to, const void *from, uint64_t size);

/* ---- cuda_graph.c ---- */

int32_t lathe_cuda_begin(lathe_context *context, const void *key, uint64_t size);
void lathe_cuda_end(lathe_context *context);
/* Adds a command to the recording; false where there is none, or no more. */
bool lathe_cuda_record(cuda_context *context, const cuda_command *command);
/* Runs what is recorded so far, and ends the recording without a graph. */
void lathe_cuda_flush(cuda_context *context);
void lathe_cuda_free_graphs(cuda_context *context);

/* ---- cuda_memory.c ---- */

const void *lathe_cuda_constant(lathe_context *context, const void *data, uint64_t size);
void *lathe_cuda_scratch(lathe_context *context, uint32_t number, uint64_t size);
void lathe_cuda_free_memory(cuda_context *context);
void *lathe_cuda_alloc(lathe_context *context, size_t size);
void lathe_cuda_free(lathe_context *context, void *memory);
lathe_status lathe_cuda_upload(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error);
lathe_status lathe_cuda_download(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_CUDA_CONTEXT_H */
