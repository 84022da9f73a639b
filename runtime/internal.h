/* Declarations that the runtime's sources share. Users do not see them.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_INTERNAL_H
#define LATHE_RUNTIME_INTERNAL_H

#include "lathe/runtime.h"

#include <stdbool.h>
#include <stdio.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files have the in-memory layout, which needs a little-endian machine"
#endif

#pragma GCC visibility push(hidden)

/* ---- pool.c ---- */

typedef struct lathe_pool lathe_pool;

/* `threads` >= 1 counts the caller. Returns NULL if memory or threads are not available. */
lathe_pool *lathe_pool_create(int threads);
void lathe_pool_destroy(lathe_pool *pool);
int lathe_pool_threads(const lathe_pool *pool);
/* Runs a parallel loop, like lathe_parallel_for. A nested loop, or one that starts while another runs, stays on its calling
 * thread. */
void lathe_pool_run(lathe_pool *pool, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots);
/* Returns the number of cores that this process may run on. */
int lathe_cpu_count(void);

/* ---- cpu.c ---- */

/* Returns the name of a level of x86-64, "x86-64-v4-vnni", and "none" for any other number. */
const char *lathe_level_name(int64_t level);

/* ---- context.c ---- */

/* The functions of a context with a device. This is a table so that programs without a device do not link it. */
typedef struct lathe_backend {
  void (*release)(lathe_context *context); /* frees all but the lathe_own_context */
  void (*set_asynchronous)(lathe_context *context, int asynchronous);
  lathe_status (*synchronize)(lathe_context *context, lathe_error *error);
  void *(*alloc)(lathe_context *context, size_t size);
  void (*free)(lathe_context *context, void *memory);
  lathe_status (*upload)(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error);
  lathe_status (*download)(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error);
} lathe_backend;

/* A context that the runtime made. */
typedef struct lathe_own_context {
  lathe_context base; /* first: generated code and applications see only this */
  lathe_pool *pool;
  const lathe_backend *backend; /* NULL: the CPU */
} lathe_own_context;

/* Returns a zeroed context of `size` bytes that begins with a lathe_own_context and works on the CPU; NULL without memory. */
lathe_own_context *lathe_context_make(size_t size, int threads);

/* ---- error.c ---- */

/* Each of these sets *error, if it is not NULL, and returns the status. */
lathe_status lathe_fail_format(lathe_error *error, const char *function, const char *path, const char *what,
                               const char *expectation);
lathe_status lathe_fail_format_values(lathe_error *error, const char *function, const char *path, const char *what,
                                      const char *expectation, int64_t expected, int64_t actual);
lathe_status lathe_fail_io(lathe_error *error, const char *function, const char *path, const char *action, int code);
lathe_status lathe_fail_memory(lathe_error *error, const char *function, const char *path, uint64_t size);

/* ---- file.c ---- */

/* A file being read, with the names for its errors. */
typedef struct lathe_input {
  FILE *stream;
  const char *function, *path;
  lathe_error *error;
  uint64_t size; /* of the file; UINT64_MAX if it is not a regular file */
  uint64_t position;
} lathe_input;

lathe_status lathe_input_open(lathe_input *input, const char *function, const char *path, lathe_error *error);
/* Reads `size` bytes. A shorter file is a format error that names `what`. */
lathe_status lathe_input_read(lathe_input *input, void *data, uint64_t size, const char *what);
/* Refuses further bytes in the file. */
lathe_status lathe_input_end(lathe_input *input);
void lathe_input_close(lathe_input *input);

/* A file being written under a temporary name beside its own. */
typedef struct lathe_output {
  FILE *stream;
  const char *function, *path;
  lathe_error *error;
  char *temporary, *target; /* NULL: written in place, since the target is not a regular file */
  int code;                 /* errno of the first write that failed */
} lathe_output;

lathe_status lathe_output_open(lathe_output *output, const char *function, const char *path, lathe_error *error);
void lathe_output_write(lathe_output *output, const void *data, size_t size);
/* Renames the file to its final name, or removes it if a write has failed or `keep` is false. */
lathe_status lathe_output_close(lathe_output *output, bool keep);

/* ---- array.c ---- */

/* Returns false if a dimension is negative or the bytes do not fit into an int64_t. */
bool lathe_array_bytes(lathe_dtype dtype, uint32_t rank, const int64_t *extents, uint64_t *bytes);
/* Maps every nonzero byte to 1. Files may store any byte for true; generated code requires 1. */
void lathe_normalise_booleans(void *data, uint64_t size);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_INTERNAL_H */
