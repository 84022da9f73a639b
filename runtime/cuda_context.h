/* A context on a CUDA device, as its source files share it.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_CUDA_CONTEXT_H
#define LATHE_RUNTIME_CUDA_CONTEXT_H

#include "cuda_driver.h"

#pragma GCC visibility push(hidden)

enum { CUDA_GRAPHS = 32, CUDA_MAPS = 64 };

/* The code of a kernel. */
typedef struct cuda_function {
  cu_handle handle;
  uint32_t most_blocks; /* of a persistent kernel: as many as run at once */
} cuda_function;

/* The loaded code of an object. */
typedef struct cuda_module {
  struct cuda_module *next; /* the one used before it */
  const lathe_device_code *code;
  const lathe_device_image *image; /* the loaded one */
  cu_handle handle;
  cuda_function functions[]; /* by kernel number */
} cuda_module;

/* A command for the stream. */
typedef struct cuda_command {
  enum { CUDA_LAUNCH, CUDA_CLEAR, CUDA_COPY } kind;
  const lathe_kernel_info *row; /* NULL except for launches */
  cu_handle function;
  const lathe_device_kernel *kernel;
  unsigned blocks;
  const uint64_t *words;
  size_t first_word; /* its offset in `words` of the recording */
  cu_pointer to, from;
  uint64_t size;
} cuda_command;

/* A part of an entry that may become one graph. Its code, the locations of its arguments and its key identify it. */
typedef struct cuda_graph {
  enum { CUDA_UNUSED, CUDA_SEEN, CUDA_READY, CUDA_PLAIN } state; /* PLAIN: it cannot be recorded */
  const lathe_device_code *code;
  uint64_t device_arguments, hash, size, last_use;
  void *key;
  cu_handle executable;
} cuda_graph;

/* A recording in progress. Nothing runs until it is complete, so that a failure loses nothing. */
typedef struct cuda_recording {
  cuda_graph *graph; /* NULL: nothing is being recorded */
  cuda_command *commands;
  uint64_t *words;
  size_t count, room, word_count, word_room;
} cuda_recording;

/* A tensor map that the driver has encoded. */
typedef struct cuda_map {
  const lathe_device_map *of; /* NULL: none */
  cu_pointer address;
  uint64_t extents[5];
  unsigned char bytes[CUDA_MAP_BYTES];
} cuda_map;

typedef struct cuda_constant {
  const void *data; /* NULL: free */
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
  cu_handle stream, own_stream; /* the target of commands: the application's or our own; captures use our own */
  bool is_given_stream, asynchronous;
  bool waits, logs, records; /* LATHE_CUDA_SYNC, LATHE_CUDA_LOG, LATHE_CUDA_GRAPHS */
  uint32_t capability, processors;

  lathe_error failure; /* the first one of the call */
  lathe_error broken;  /* the one that destroyed the device's context */
  lathe_error queued;  /* the first one in calls of an asynchronous context since the last synchronisation */
  uint32_t calls;      /* since the last synchronisation */
  const char *function;

  cuda_module *module; /* the attached one; the others follow, most recently used first */
  cuda_graph graphs[CUDA_GRAPHS];
  uint64_t uses; /* clock of the graphs' last_use */
  cuda_recording recording;
  cuda_constant *constants; /* open addressing: the number of slots is a power of two, and at most half of them are used */
  size_t constant_count, constant_room;
  cuda_map maps[CUDA_MAPS]; /* indexed by hash */
  cuda_scratch *scratch;    /* odd ones: memory of the device */
  uint32_t scratch_count;
} cuda_context;

static inline cuda_context *cuda_of(lathe_context *context) { return (cuda_context *)context; }
static inline cu_pointer cuda_address(const void *place) { return (cu_pointer)(uintptr_t)place; }

/* ---- cuda_context.c ---- */

/* Makes the device's context current for the thread, until lathe_cuda_leave. */
cu_result lathe_cuda_push(const cuda_context *context);
/* The same within a call. Returns false if the call has failed, before or now. */
bool lathe_cuda_enter(cuda_context *context);
void lathe_cuda_leave(void);
/* Returns false and records the failure if the driver reports one. `row` (may be NULL) is the launch that saw it; `size` is
 * the requested memory, or 0. */
bool lathe_cuda_check(cuda_context *context, cu_result result, const lathe_kernel_info *row, uint64_t size);
/* Records a failure, seen by the launch of `row` (may be NULL), unless there is one. */
void lathe_cuda_keep(cuda_context *context, lathe_error failure, const lathe_kernel_info *row);
/* Waits for the stream, even if the call has failed. */
cu_result lathe_cuda_wait(cuda_context *context);
/* Returns the status of a failure outside calls, and sets *error (may be NULL). */
lathe_status lathe_cuda_tell(cuda_context *context, cu_result result, const char *function, uint64_t size, lathe_error *error);

/* ---- cuda_call.c ---- */

extern const lathe_device_api lathe_cuda_api;

/* ---- cuda_module.c ---- */

/* Attaches the code's module. Returns false and records the failure if it cannot be loaded. */
bool lathe_cuda_load(cuda_context *context, const lathe_device_code *code);
void lathe_cuda_unload(cuda_context *context);

/* ---- cuda_map.c ---- */

/* Builds the parameter of a kernel with maps from its words, in memory aligned to CUDA_MAP_ALIGNMENT. */
cu_result lathe_cuda_add_maps(cuda_context *context, const cuda_command *command, unsigned char *parameter);

/* ---- cuda_launch.c ---- */

/* Issues a command to a stream. Requires lathe_cuda_enter. */
cu_result lathe_cuda_issue(cuda_context *context, const cuda_command *command, cu_handle stream);
void lathe_cuda_launch(lathe_context *context, const lathe_kernel_info *row, uint32_t kernel, int64_t blocks,
                       const uint64_t *words);
void lathe_cuda_clear(lathe_context *context, void *place, uint64_t size);
void lathe_cuda_copy(lathe_context *context, void *to, const void *from, uint64_t size);

/* ---- cuda_graph.c ---- */

int32_t lathe_cuda_begin(lathe_context *context, const void *key, uint64_t size);
void lathe_cuda_end(lathe_context *context);
/* Adds a command to the recording. Returns false if there is none, or no longer one. */
bool lathe_cuda_record(cuda_context *context, const cuda_command *command);
/* Runs the commands recorded so far, and ends the recording without a graph. */
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
