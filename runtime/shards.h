/* A training step on several contexts: declarations that shards.c, its thread team and its arithmetic share.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_SHARDS_H
#define LATHE_RUNTIME_SHARDS_H

#include "internal.h"

#pragma GCC visibility push(hidden)

/* ---- shards_team.c ---- */

/* A team of numbered threads. A context is always called from the same thread. */
typedef struct lathe_team lathe_team;
typedef void (*lathe_team_job)(void *closure, int number);

/* `count` >= 1 includes the caller, which is number 0. Returns NULL if memory or threads are not available. */
lathe_team *lathe_team_create(int count);
void lathe_team_destroy(lathe_team *team);
/* Runs job(closure, i) for each i below `active`, each on its own thread, and returns when all are done. */
void lathe_team_run(lathe_team *team, lathe_team_job job, void *closure, int active);

/* ---- shards_mean.c ---- */

/* Computes elements [begin, end) of the sum of weights[i] * parts[i] over all i < count, in this order, in f64, rounded
 * once. */
void lathe_weighted_sum(lathe_dtype dtype, void *sum, const void *const *parts, const double *weights, int count, int64_t begin,
                        int64_t end);

/* ---- shards_bind.c ---- */

/* The sources of the dimensions and arguments of one part of a step. */
typedef struct lathe_part {
  const lathe_function_info *function;
  int *dimensions; /* the step's numbers */
  int *arguments;  /* the step's numbers; -1 - i: output i of the gradients */
} lathe_part;

/* Returns false without memory, or if a name exists in neither function: *missing is that name. Release frees the lists in
 * any case. */
bool lathe_part_bind(lathe_part *part, const lathe_function_info *step, const lathe_function_info *gradients,
                     const char **missing);
void lathe_part_release(lathe_part *part);
/* True if the first dimension of an argument has this name. */
bool lathe_has_rows(const lathe_argument_info *argument, const char *dimension);
/* Returns the number of inputs, which come first. */
uint32_t lathe_input_count(const lathe_function_info *function);

/* Access to fields of an args struct. */
static inline void lathe_put_pointer(void *args, uint32_t offset, const void *value) {
  if (offset != LATHE_ABSENT)
    *(const void **)((char *)args + offset) = value;
}
static inline void *lathe_get_pointer(const void *args, uint32_t offset) {
  return offset == LATHE_ABSENT ? NULL : *(void *const *)((const char *)args + offset);
}
static inline void lathe_put_size(void *args, uint32_t offset, uint64_t value) {
  if (offset != LATHE_ABSENT)
    *(uint64_t *)((char *)args + offset) = value;
}
static inline int64_t lathe_get_dimension(const void *args, uint32_t offset) {
  return *(const int64_t *)((const char *)args + offset);
}

/* ---- shards.c ---- */

/* The state of a device's own region: CURRENT is complete, STALE lacks the variables that updates write, EMPTY lacks all. */
typedef enum lathe_freshness { CURRENT, STALE, EMPTY } lathe_freshness;

typedef struct lathe_shard {
  lathe_context *context; /* may be NULL */
  bool is_device;         /* state and workspace are in device memory */
  lathe_freshness state_is;
  void *state;     /* a device's own, or the shared one of the host */
  void *workspace; /* in the context's memory */
  uint64_t workspace_size;
  char *outputs; /* of its gradients; in host memory */
  char *args;    /* of its gradients */
  int64_t rows;
  lathe_error error;
} lathe_shard;

/* An output of the gradients, in the regions `outputs` and `means`. */
typedef struct lathe_shard_output {
  lathe_dtype dtype;
  uint64_t offset;
  int64_t elements;
} lathe_shard_output;

struct lathe_shards {
  const lathe_module_info *module;
  const lathe_function_info *step;
  lathe_part gradients, update;
  const lathe_shard_info *info;
  lathe_team *team;
  char *host_state;
  bool host_is_stale; /* the first context is a device and has updated its own state */
  uint32_t output_count;
  lathe_shard_output *outputs;
  uint64_t outputs_size; /* of each such region */
  char *means;
  char *update_args;
  int64_t *dimensions, *extents; /* room for those of the step or a part */
  uint64_t *row_bytes;           /* of each argument of the step; 0: all shards get the whole argument */
  double *weights;               /* of the shards */
  const void **places;           /* of one tensor in all shards, for each thread */
  int count, used;               /* used: by the current step */
  lathe_shard shards[];
};

/* ---- shards_create.c ---- */

/* Allocates device or host memory for a shard. */
void *lathe_shard_take(const lathe_shard *at, uint64_t size);
void lathe_shard_give_back(const lathe_shard *at, void *memory); /* NULL does nothing */

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_SHARDS_H */
