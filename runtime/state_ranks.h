/* Checkpoints of a job of several ranks: declarations that their writer and reader share.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A checkpoint directory holds folders save-N, and latest.json, which names the one that counts. Each folder has a file of each
 * rank and index.json, which describes the mesh and the variables. Every element of the state is in one file: ranks that have
 * the same part of a variable each write an equal share of it.
 */
#ifndef LATHE_RUNTIME_STATE_RANKS_H
#define LATHE_RUNTIME_STATE_RANKS_H

#include "internal.h"

#include "lathe/ranks.h"

#pragma GCC visibility push(hidden)

enum { LATHE_PART_RANK = 16 }; /* dimensions of a variable, at most */

/* The axes of a job. */
typedef struct lathe_mesh {
  const lathe_axis *axes; /* their index is not used */
  uint32_t axis_count;
} lathe_mesh;

/* A variable as a whole. */
typedef struct lathe_saved_variable {
  const char *name;
  lathe_dtype dtype;
  lathe_whole_info whole;
} lathe_saved_variable;

/* The part of a variable that a rank has: elements [begin, end) of a block, in row-major order, where those past the block are
 * padding. */
typedef struct lathe_part_info {
  uint32_t rank;
  int64_t whole[LATHE_PART_RANK], first[LATHE_PART_RANK], extents[LATHE_PART_RANK]; /* first, extents: of the block */
  int64_t block;                                                                    /* its elements */
  int64_t begin, end;
  int64_t replica, replicas; /* of so many ranks that have this part, the number of this one */
} lathe_part_info;

/* The share of its part that a rank writes: elements [begin, end) of the part. */
typedef struct lathe_share_info {
  int64_t begin, end;
} lathe_share_info;

/* ---- state_part.c ---- */

int64_t lathe_mesh_ranks(lathe_mesh mesh);
/* Returns false if the axes do not divide the dimensions, or the variable has too many of them. */
bool lathe_part_of_rank(const lathe_whole_info *whole, lathe_mesh mesh, int64_t rank, lathe_part_info *part);
lathe_share_info lathe_share_of(const lathe_part_info *part);
/* Copies the elements that `to` has in common with a share of `from`, whose data begins with the share's first element. Returns
 * their number. With `data` NULL it only counts them. */
int64_t lathe_part_copy(const lathe_part_info *from, lathe_share_info share, const void *data, const lathe_part_info *to,
                        void *target, size_t element);
/* Returns the variable as a whole. A variable without `whole` is its own; the info refers to it. */
lathe_whole_info lathe_whole_of(const lathe_state_info *variable);

/* ---- state_index.c ---- */

/* The contents of index.json. */
typedef struct lathe_index {
  lathe_axis *axes;
  uint32_t axis_count;
  lathe_saved_variable *variables;
  uint32_t variable_count;
  char *text; /* which names refer to */
} lathe_index;

lathe_status lathe_index_write(const char *path, const lathe_module_info *module, lathe_mesh mesh, const char *function,
                               lathe_error *error);
lathe_status lathe_index_read(const char *path, lathe_index *index, const char *function, lathe_error *error);
void lathe_index_release(lathe_index *index);

/* ---- state_pieces.c ---- */

/* The file of a rank, as a module whose variables are the tensors in it. NULL without memory. free() releases it. With
 * `offsets` the variables are where the module has them; without, one after the other. */
lathe_module_info *lathe_pieces(const lathe_saved_variable *variables, uint32_t count, const lathe_state_info *offsets,
                                lathe_mesh mesh, int64_t rank);

/* ---- state_folder.c ---- */

enum { LATHE_PATH = 4096 };

/* Returns the path of a file in the folder of save `number`; of the folder itself if `file` is NULL. The text belongs to the
 * thread, and lives until its fourth next call. */
const char *lathe_save_path(const char *directory, int64_t number, const char *file);
const char *lathe_rank_path(const char *directory, int64_t number, int64_t rank);
/* Returns the number of the save that latest.json names; -1 without one. */
int64_t lathe_latest(const char *directory);
lathe_status lathe_set_latest(const char *directory, int64_t number, const char *function, lathe_error *error);
/* Returns the largest number below `limit` of a folder save-N; -1: there is none. */
int64_t lathe_save_below(const char *directory, int64_t limit);
/* Makes the directory, or the folder of a save in it, unless it exists. */
lathe_status lathe_make_folder(const char *path, const char *function, lathe_error *error);
/* Removes the folder of a save with all in it. */
void lathe_remove_save(const char *directory, int64_t number);

/* ---- state_ranks.c ---- */

/* The variables of a module. NULL without memory. free() releases it. */
lathe_saved_variable *lathe_saved_variables(const lathe_module_info *module);
/* Refuses a module whose variables are not those of a rank of this mesh. */
lathe_status lathe_check_parts(const lathe_module_info *module, lathe_mesh mesh, int64_t rank, const char *function,
                               const char *directory, lathe_error *error);
/* Sets *value to that of rank 0. */
lathe_status lathe_from_first(lathe_comm *comm, int64_t *value, const char *function, lathe_error *error);
/* Exchanges statuses. Returns the rank's own failure if it has one, else the first one of the others. */
lathe_status lathe_agree(lathe_comm *comm, lathe_status mine, const char *function, const char *directory, lathe_error *error);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_STATE_RANKS_H */
