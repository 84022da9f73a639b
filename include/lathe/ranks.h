/* Ranks: entries that several processes or threads run together.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A job of several ranks runs the same entries of the same object in the same order, each rank with its own context and state.
 * The ranks form a mesh of named axes, such as data = 2, model = 4. The number of a rank is row-major over the axes: the last
 * axis varies fastest. A collective op exchanges values among the ranks that differ only in their index along one axis.
 *
 * A sum over n ranks is a balanced tree in the order of their indices: it is the sum of the first 2^k of them, the largest
 * power of two below n, plus the sum of the others. Each addition is in the element type, in f32 for f16 and bf16, which are
 * rounded at the end. Integers wrap. So the bits depend only on the values and the number of ranks. max and min are NaN if an
 * element is, and -0 is below 0.
 *
 * A failure of a communicator is permanent: all later calls return the same record, and the job has to end. Ranks can then be
 * at different places of an entry: its outputs are undefined. Only if `begin` finds a difference, no rank has done anything,
 * and the communicator can still be used. The reasons are these texts in `other` of LATHE_ERROR_COMM:
 * - "timed out": the rank `actual` did not come within the timeout.
 * - "ended": the rank `actual` has destroyed its communicator.
 * - "calls differ": the rank `actual` runs another entry or another collective op.
 * - "sizes differ": the dimension `argument` of the entry is `expected` on rank 0 and index[0] on the rank `actual`. If `op` is
 *   given, the numbers of elements differ: `expected` here, and index[0] on the rank `actual`.
 * - "other size": the axis `argument` has `actual` ranks, 1 without a communicator or if that does not have it; the entry was
 *   compiled for, or is called with, `expected` ones.
 * - "objects differ": the rank `actual` runs an object of another compilation.
 * - "no communicator": the entry has collectives over the axis `argument`, and the context's comm is NULL.
 * - "no such axis": the communicator does not have the axis `argument`.
 * - Other texts come from the library that transports the values; `actual` is -1 or the rank.
 */
#ifndef LATHE_RANKS_H
#define LATHE_RANKS_H

#include "lathe/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lathe_collective {
  LATHE_ALL_REDUCE = 1,     /* every rank gets the reduction of all values */
  LATHE_ALL_GATHER = 2,     /* every rank gets all values, in the order of the indices */
  LATHE_REDUCE_SCATTER = 3, /* rank i gets part i of the reduction of all values */
  LATHE_ALL_TO_ALL = 4,     /* rank i gets part i of each value, in the order of the indices */
  LATHE_BROADCAST = 5,      /* every rank gets the value of one */
  LATHE_PERMUTE = 6         /* rank i's value goes to rank i + shift, modulo the axis' size */
} lathe_collective;

typedef enum lathe_reduction { LATHE_SUM = 1, LATHE_MAX = 2, LATHE_MIN = 3 } lathe_reduction;

/* A collective op of an entry. Constant: a communicator may know it by its address. */
typedef struct lathe_collective_info {
  lathe_collective kind;
  lathe_reduction reduction; /* of ALL_REDUCE and REDUCE_SCATTER, else 0; i1 has no sum */
  lathe_dtype dtype;
  uint32_t reserved;
  int64_t parameter; /* BROADCAST: the index of the rank with the value; PERMUTE: the shift, of either sign; else 0 */
  const char *axis;
  const char *function;            /* entry */
  const lathe_kernel_info *kernel; /* its op, file and line; or NULL */
} lathe_collective_info;

typedef struct lathe_axis {
  const char *name;
  int64_t size, index; /* index: this rank's */
} lathe_axis;

/* An entry whose ranks must agree. */
typedef struct lathe_ranks_info {
  uint64_t fingerprint; /* of the compilation */
  const char *function; /* entry */
  const char *file;     /* base name of the graph */
  uint32_t dimension_count, reserved;
  const char *const *dimensions; /* their names, for messages; or NULL */
} lathe_ranks_info;

/* One rank's end of a job: a table of functions. An application may embed it as the first member of a communicator of its own.
 * One thread at a time uses it. All ranks make the same calls in the same order. Each function returns a status and fills
 * *error, which may be NULL. */
struct lathe_comm {
  uint32_t abi_version, axis_count;
  const lathe_axis *axes;
  int64_t rank, size;           /* in the whole job */
  uint32_t takes_device_memory; /* 1: `start` takes buffers in the memory of the context's device; 0: only in host memory */
  uint32_t reserved;
  /* Sets all[r] to `mine` of rank r, for each rank of the job. It returns only after all ranks have called it. */
  lathe_status (*gather)(lathe_comm *comm, int64_t mine, int64_t *all, lathe_error *error);
  /* The first call of an entry with collectives: the ranks compare what they run, and the values of its dimensions.
   * lathe_comm_begin is an implementation that uses `gather`. */
  lathe_status (*begin)(lathe_comm *comm, const lathe_ranks_info *info, const int64_t *dimensions, lathe_error *error);
  /* Starts a collective, which may go on after the return: until `wait` returns, the communicator reads `input` and writes
   * `output`. Both are contiguous. `count` is a number of elements: of the value for ALL_REDUCE, BROADCAST and PERMUTE; of the
   * input for ALL_GATHER, whose output has count elements for each rank of the axis; of the output for REDUCE_SCATTER, whose
   * input has count elements for each; of each part for ALL_TO_ALL, where both have count elements for each. `input` may equal
   * `output` for ALL_REDUCE and BROADCAST; otherwise they do not overlap. */
  lathe_status (*start)(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, const void *input,
                        void *output, int64_t count, lathe_error *error);
  /* Returns when the collective is complete that was first started with this info and not yet waited for; for a device's
   * memory, when the context's stream will complete it before later work. */
  lathe_status (*wait)(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info, lathe_error *error);
  /* Names memory that later collectives use, so that it can be registered once. NULL: nothing has to be registered. */
  lathe_status (*attach)(lathe_comm *comm, void *memory, size_t size);
  /* Ends the communicator; lathe_comm_destroy calls it. NULL: there is nothing to end. */
  void (*destroy)(lathe_comm *comm);
};

/* Makes the communicators of a job whose ranks are threads of this process: one for each rank, by number, into `comms`. The
 * `index` of the axes is ignored. A rank that waits longer than the timeout for another one fails; INFINITY waits for ever.
 * Each is destroyed by lathe_comm_destroy. Collectives are done by the threads that wait for them, and allocate nothing. */
lathe_status lathe_comm_create_local(const lathe_axis *axes, uint32_t axis_count, double timeout_seconds, lathe_comm **comms,
                                     lathe_error *error);
/* Makes a communicator whose collectives run on the stream of a CUDA context, by NCCL, which is opened at run time
 * (libnccl.so.2, 2.7 or later). It has the ranks and axes of `host`, any other communicator, through which it compares entries,
 * and which lives longer. All ranks call it, each with a context on a device of its own. Buffers are in device memory. NCCL
 * chooses the order of sums, and its max and min may lose a NaN; it does not reduce 16-bit integers. Only `begin` and `gather`
 * have a timeout: that of `host`. LATHE_ERROR_NO_DEVICE: there is no device or no NCCL, here or on another rank. */
lathe_status lathe_comm_create_nccl(lathe_comm *host, lathe_context *context, lathe_comm **comm, lathe_error *error);
/* Ends a communicator: the other ranks' calls that need it then fail with "ended". NULL does nothing. */
void lathe_comm_destroy(lathe_comm *comm);
/* Compares the ranks' entries and dimensions by `gather`; for the field `begin` of a communicator of the application's own. */
lathe_status lathe_comm_begin(lathe_comm *comm, const lathe_ranks_info *info, const int64_t *dimensions, lathe_error *error);

/* ---- Checkpoints ---- */

/* Saves the state of all ranks as a checkpoint in a directory that all of them see, and makes it the current one. Each rank
 * writes a safetensors file; ranks with the same part of a variable share the work. If a rank fails or dies before all files
 * are on the disk, the current checkpoint stays as it was. The one before the current one is kept too, older ones are removed.
 * All ranks call it, with states of the same step; comm is NULL for a job of one rank. If another rank fails, its status is
 * returned, and `actual` of LATHE_ERROR_IO is its errno. */
lathe_status lathe_state_save_ranks(const char *directory, const lathe_module_info *module, const void *state, lathe_comm *comm,
                                    lathe_error *error);
/* Loads the current checkpoint, which a job with any number of ranks and any mesh can have saved; if a file of it is damaged,
 * the newest one that is whole. All variables must have the name, type and whole shape that they have in the checkpoint. The
 * state changes on all ranks or on none, except that a rank which dies may have changed it. All ranks call it. */
lathe_status lathe_state_load_ranks(const char *directory, const lathe_module_info *module, void *state, lathe_comm *comm,
                                    lathe_error *error);

#ifdef __cplusplus
}
#endif
#endif /* LATHE_RANKS_H */
