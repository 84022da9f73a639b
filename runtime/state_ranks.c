/* Saves the state of a job of several ranks.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order on the disk: the ranks' files, the index, then latest.json. Each is complete before the next one begins, so that
 * latest.json always names a checkpoint that is whole.
 */
#include "state_ranks.h"
#include "safetensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

lathe_saved_variable *lathe_saved_variables(const lathe_module_info *module) {
  lathe_saved_variable *variables = calloc((size_t)module->state_count + 1, sizeof *variables);
  for (uint32_t i = 0; variables && i < module->state_count; ++i) {
    const lathe_state_info *from = &module->state[i];
    variables[i] = (lathe_saved_variable){from->name, from->dtype, lathe_whole_of(from)};
  }
  return variables;
}

lathe_status lathe_check_parts(const lathe_module_info *module, lathe_mesh mesh, int64_t rank, const char *function,
                               const char *directory, lathe_error *error) {
  const lathe_status status = lathe_safetensors_check(module, function, directory, error);
  if (status != LATHE_OK)
    return status;
  if (strlen(directory) > LATHE_PATH - 64)
    return lathe_fail_io(error, function, directory, "use the directory", ENAMETOOLONG);
  for (uint32_t i = 0; i < module->state_count; ++i) {
    const lathe_state_info *variable = &module->state[i];
    const lathe_whole_info whole = lathe_whole_of(variable);
    lathe_part_info part;
    if (!lathe_part_of_rank(&whole, mesh, rank, &part))
      return lathe_fail_format(error, function, directory, variable->name,
                               "the axes of the communicator do not divide the variable");
    const int64_t elements = (int64_t)(variable->size / lathe_dtype_size(variable->dtype));
    if (elements != part.end - part.begin)
      return lathe_fail_format_values(error, function, directory, variable->name,
                                      "the object was compiled for other sizes of the axes; elements of a rank's part",
                                      part.end - part.begin, elements);
  }
  return LATHE_OK;
}

/* A status and an errno in one integer. */
static int64_t packed(lathe_status status, const lathe_error *error) {
  const int64_t code = status == LATHE_ERROR_IO ? error->actual : 0;
  return (int64_t)status << 32 | (code & 0x7fffffff);
}

static lathe_status fail_other(int64_t value, const char *function, const char *directory, lathe_error *error) {
  const lathe_status status = (lathe_status)(value >> 32);
  *error = (lathe_error){.status = status, .file = directory, .function = function};
  if (status == LATHE_ERROR_IO) {
    error->op = "read or write the file of another rank";
    error->actual = value & 0x7fffffff;
  } else if (status == LATHE_ERROR_FORMAT) {
    error->argument = "another rank";
    error->other = "the checkpoint or the object is not as it should be; the record of that rank says why";
  }
  return status;
}

enum { SMALL = 64 };

/* Gathers one value of each rank into *all, which is `small` if that has room. */
static lathe_status gather(lathe_comm *comm, int64_t mine, int64_t *small, int64_t **all, const char *function,
                           lathe_error *error) {
  *all = comm->size <= SMALL ? small : malloc((size_t)comm->size * sizeof **all);
  return *all ? comm->gather(comm, mine, *all, error)
              : lathe_fail_memory(error, function, NULL, (uint64_t)comm->size * sizeof **all);
}

lathe_status lathe_agree(lathe_comm *comm, lathe_status mine, const char *function, const char *directory, lathe_error *error) {
  int64_t small[SMALL], *all;
  const lathe_error own = *error;
  if (!comm)
    return mine;
  lathe_status status = gather(comm, packed(mine, &own), small, &all, function, error);
  for (int64_t r = 0; r < comm->size && status == LATHE_OK; ++r)
    if (all[r] >> 32 != LATHE_OK)
      status = fail_other(all[r], function, directory, error);
  if (mine != LATHE_OK && status != LATHE_ERROR_COMM) {
    *error = own;
    status = mine;
  }
  if (all != small)
    free(all);
  return status;
}

lathe_status lathe_from_first(lathe_comm *comm, int64_t *value, const char *function, lathe_error *error) {
  int64_t small[SMALL], *all;
  if (!comm)
    return LATHE_OK;
  const lathe_status status = gather(comm, *value, small, &all, function, error);
  if (status == LATHE_OK)
    *value = all[0];
  if (all != small)
    free(all);
  return status;
}

/* Writes the rank's file into the folder of a save. */
static lathe_status write_file(const char *directory, int64_t number, const lathe_module_info *module, const void *state,
                               lathe_mesh mesh, int64_t rank, const char *function, lathe_error *error) {
  lathe_status status = lathe_make_folder(lathe_save_path(directory, number, NULL), function, error);
  if (status != LATHE_OK)
    return status;
  lathe_saved_variable *variables = lathe_saved_variables(module);
  lathe_module_info *pieces = variables ? lathe_pieces(variables, module->state_count, module->state, mesh, rank) : NULL;
  const char *path = lathe_rank_path(directory, number, rank);
  status = pieces ? lathe_state_save(path, pieces, state, error)
                  : lathe_fail_memory(error, function, path, module->state_count * sizeof *variables);
  if (status != LATHE_OK)
    error->function = function;
  free(pieces);
  free(variables);
  return status;
}

/* Chooses the number of the save: rank 0 knows the directory. */
static lathe_status choose_number(const char *directory, lathe_comm *comm, const char *function, int64_t *number,
                                  lathe_error *error) {
  lathe_status status = LATHE_OK;
  *number = 0;
  if (!comm || comm->rank == 0) {
    status = lathe_make_folder(directory, function, error);
    *number = lathe_save_below(directory, INT64_MAX) + 1;
  }
  status = lathe_agree(comm, status, function, directory, error);
  return status == LATHE_OK ? lathe_from_first(comm, number, function, error) : status;
}

lathe_status lathe_state_save_ranks(const char *directory, const lathe_module_info *module, const void *state, lathe_comm *comm,
                                    lathe_error *error) {
  lathe_error own;
  error = error ? error : &own;
  memset(error, 0, sizeof *error);
  const lathe_mesh mesh = {comm ? comm->axes : NULL, comm ? comm->axis_count : 0};
  const int64_t rank = comm ? comm->rank : 0;
  lathe_status status = lathe_check_parts(module, mesh, rank, __func__, directory, error);
  status = lathe_agree(comm, status, __func__, directory, error);
  if (status != LATHE_OK)
    return status;
  int64_t number;
  status = choose_number(directory, comm, __func__, &number, error);
  if (status != LATHE_OK)
    return status;
  status = write_file(directory, number, module, state, mesh, rank, __func__, error);
  status = lathe_agree(comm, status, __func__, directory, error);
  const int64_t before = rank == 0 ? lathe_latest(directory) : -1;
  const bool is_written = status == LATHE_OK;
  if (is_written && rank == 0) {
    status = lathe_index_write(lathe_save_path(directory, number, "index.json"), module, mesh, __func__, error);
    if (status == LATHE_OK)
      status = lathe_set_latest(directory, number, __func__, error);
  }
  if (rank == 0 && status == LATHE_OK) {
    for (int64_t old = number; (old = lathe_save_below(directory, old)) >= 0;)
      if (old != before)
        lathe_remove_save(directory, old);
  } else if (rank == 0 && status != LATHE_ERROR_COMM) {
    lathe_remove_save(directory, number);
  }
  return is_written ? lathe_agree(comm, status, __func__, directory, error) : status;
}
