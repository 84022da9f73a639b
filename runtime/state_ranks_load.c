/* Loads the state of a job of several ranks from a checkpoint of a job with any other mesh.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each rank reads the files that have elements of its part, into a state of its own. When all ranks have all elements, they
 * copy them to the callers' states.
 */
#include "safetensors.h"
#include "state_ranks.h"

#include <stdlib.h>
#include <string.h>

typedef struct loader {
  const char *directory, *function;
  const lathe_module_info *module;
  lathe_mesh mesh;
  int64_t rank, number;
  lathe_index index;
  uint32_t *sources; /* of each variable of the module, its number in the index */
  int64_t *copied;   /* elements of each variable */
  char *state;
  lathe_error *error;
} loader;

static lathe_status fail(const loader *l, const char *name, const char *problem) {
  return lathe_fail_format(l->error, l->function, lathe_save_path(l->directory, l->number, "index.json"), name, problem);
}

static lathe_status fail_values(const loader *l, const char *name, const char *problem, int64_t expected, int64_t actual) {
  return lathe_fail_format_values(l->error, l->function, lathe_save_path(l->directory, l->number, "index.json"), name, problem,
                                  expected, actual);
}

/* Finds a variable in the index, and compares their whole shapes. */
static lathe_status match(loader *l, uint32_t variable) {
  const lathe_state_info *info = &l->module->state[variable];
  const lathe_whole_info whole = lathe_whole_of(info);
  uint32_t i = 0;
  while (i < l->index.variable_count && strcmp(l->index.variables[i].name, info->name) != 0)
    ++i;
  if (i == l->index.variable_count)
    return fail(l, info->name, "the checkpoint has no variable of this name");
  const lathe_saved_variable *saved = &l->index.variables[i];
  if (saved->dtype != info->dtype)
    return fail(l, info->name, lathe_safetensors_mismatch(info->dtype));
  if (saved->whole.rank != whole.rank)
    return fail_values(l, info->name, "the variable has another number of dimensions", whole.rank, saved->whole.rank);
  for (uint32_t d = 0; d < whole.rank; ++d)
    if (saved->whole.extents[d] != whole.extents[d])
      return fail_values(l, info->name, "a dimension of the whole variable differs", whole.extents[d], saved->whole.extents[d]);
  l->sources[variable] = i;
  return LATHE_OK;
}

static lathe_status read_index(loader *l) {
  lathe_status status =
      lathe_index_read(lathe_save_path(l->directory, l->number, "index.json"), &l->index, l->function, l->error);
  lathe_part_info part;
  for (uint32_t i = 0; status == LATHE_OK && i < l->index.variable_count; ++i)
    if (!lathe_part_of_rank(&l->index.variables[i].whole, (lathe_mesh){l->index.axes, l->index.axis_count}, 0, &part))
      status = fail(l, l->index.variables[i].name, "the axes do not divide the variable");
  if (status == LATHE_OK && l->index.variable_count != l->module->state_count)
    status = fail_values(l, "variables", "the checkpoint has another number of variables", l->module->state_count,
                         l->index.variable_count);
  for (uint32_t i = 0; status == LATHE_OK && i < l->module->state_count; ++i)
    status = match(l, i);
  return status;
}

/* Copies the elements that a rank of the checkpoint has of one variable. `data` is NULL to count them. */
static int64_t take(loader *l, uint32_t variable, int64_t saver, const char *data) {
  const lathe_state_info *info = &l->module->state[variable];
  const lathe_whole_info whole = lathe_whole_of(info);
  lathe_part_info from, to;
  if (!lathe_part_of_rank(&l->index.variables[l->sources[variable]].whole, (lathe_mesh){l->index.axes, l->index.axis_count},
                          saver, &from) ||
      !lathe_part_of_rank(&whole, l->mesh, l->rank, &to))
    return 0;
  return lathe_part_copy(&from, lathe_share_of(&from), data, &to, l->state + info->offset, lathe_dtype_size(info->dtype));
}

/* Returns the tensor of a variable in a file; NULL: it has no elements there. */
static const lathe_state_info *find(const lathe_module_info *pieces, const char *name) {
  for (uint32_t i = 0; i < pieces->state_count; ++i)
    if (strcmp(pieces->state[i].name, name) == 0)
      return &pieces->state[i];
  return NULL;
}

/* Reads the file of a rank of the checkpoint, unless it has nothing of ours. */
static lathe_status read_file(loader *l, int64_t saver) {
  int64_t useful = 0;
  for (uint32_t i = 0; i < l->module->state_count; ++i)
    useful += take(l, i, saver, NULL);
  if (useful == 0)
    return LATHE_OK;
  const char *path = lathe_rank_path(l->directory, l->number, saver);
  lathe_module_info *pieces =
      lathe_pieces(l->index.variables, l->index.variable_count, NULL, (lathe_mesh){l->index.axes, l->index.axis_count}, saver);
  char *data = pieces ? lathe_alloc(pieces->state_size + 1) : NULL;
  lathe_status status = data ? lathe_state_load(path, pieces, data, l->error)
                             : lathe_fail_memory(l->error, l->function, path, pieces ? pieces->state_size : 0);
  for (uint32_t i = 0; status == LATHE_OK && i < l->module->state_count; ++i) {
    const lathe_state_info *piece = find(pieces, l->module->state[i].name);
    if (piece)
      l->copied[i] += take(l, i, saver, data + piece->offset);
  }
  lathe_free(data);
  free(pieces);
  return status;
}

static lathe_status read_files(loader *l) {
  const int64_t savers = lathe_mesh_ranks((lathe_mesh){l->index.axes, l->index.axis_count});
  lathe_status status = LATHE_OK;
  for (int64_t saver = 0; saver < savers && status == LATHE_OK; ++saver)
    status = read_file(l, saver);
  for (uint32_t i = 0; status == LATHE_OK && i < l->module->state_count; ++i) {
    const lathe_whole_info whole = lathe_whole_of(&l->module->state[i]);
    lathe_part_info part;
    if (!lathe_part_of_rank(&whole, l->mesh, l->rank, &part))
      continue;
    const int64_t end = part.end < part.block ? part.end : part.block, wanted = end > part.begin ? end - part.begin : 0;
    if (l->copied[i] != wanted)
      status = fail_values(l, l->module->state[i].name, "the checkpoint lacks elements", wanted, l->copied[i]);
  }
  return status;
}

/* Loads one checkpoint into l->state. */
static lathe_status load(loader *l) {
  const size_t count = (size_t)l->module->state_count + 1;
  l->index = (lathe_index){.text = NULL};
  l->sources = calloc(count, sizeof *l->sources);
  l->copied = calloc(count, sizeof *l->copied);
  lathe_free(l->state);
  l->state = lathe_alloc(l->module->state_size + 1);
  lathe_status status = l->sources && l->copied && l->state
                            ? read_index(l)
                            : lathe_fail_memory(l->error, l->function, l->directory, l->module->state_size);
  if (status == LATHE_OK)
    status = read_files(l);
  if (status != LATHE_OK)
    l->error->function = l->function;
  lathe_index_release(&l->index);
  free(l->sources);
  free(l->copied);
  return status;
}

/* Chooses the next checkpoint to try: the current one, then the others from the newest on. All ranks follow rank 0. */
static lathe_status next_number(loader *l, lathe_comm *comm, int64_t latest, int64_t tried) {
  if (tried == INT64_MAX && latest >= 0) {
    l->number = latest;
  } else {
    const int64_t limit = tried == INT64_MAX || tried == latest ? INT64_MAX : tried;
    l->number = lathe_save_below(l->directory, limit);
    if (l->number >= 0 && l->number == latest)
      l->number = lathe_save_below(l->directory, latest);
  }
  return lathe_from_first(comm, &l->number, l->function, l->error);
}

/* Copies the variables, and leaves what is between them. */
static void publish(const loader *l, char *state) {
  for (uint32_t i = 0; i < l->module->state_count; ++i)
    memcpy(state + l->module->state[i].offset, l->state + l->module->state[i].offset, l->module->state[i].size);
}

/* Tries checkpoints until one is whole. The failure of the first one is the one that is reported; the text of its path belongs
 * to the thread. */
static lathe_status load_newest(loader *l, lathe_comm *comm) {
  static _Thread_local char path[LATHE_PATH];
  const int64_t latest = l->rank == 0 ? lathe_latest(l->directory) : -1;
  lathe_error first = {.status = LATHE_OK};
  for (int64_t tried = INT64_MAX;; tried = l->number) {
    lathe_status status = next_number(l, comm, latest, tried);
    if (status != LATHE_OK)
      return status;
    if (l->number < 0)
      break;
    status = lathe_agree(comm, load(l), l->function, l->directory, l->error);
    if (status == LATHE_OK || status == LATHE_ERROR_COMM)
      return status;
    if (first.status != LATHE_OK)
      continue;
    first = *l->error;
    if (first.file)
      first.file = strncpy(path, first.file, sizeof path - 1);
  }
  *l->error = first;
  if (first.status == LATHE_OK)
    return lathe_fail_format(l->error, l->function, l->directory, NULL, "there is no checkpoint in this directory");
  return first.status;
}

lathe_status lathe_state_load_ranks(const char *directory, const lathe_module_info *module, void *state, lathe_comm *comm,
                                    lathe_error *error) {
  lathe_error own;
  error = error ? error : &own;
  memset(error, 0, sizeof *error);
  loader l = {.directory = directory,
              .function = __func__,
              .module = module,
              .mesh = {comm ? comm->axes : NULL, comm ? comm->axis_count : 0},
              .rank = comm ? comm->rank : 0,
              .error = error};
  lathe_status status = lathe_check_parts(module, l.mesh, l.rank, __func__, directory, error);
  status = lathe_agree(comm, status, __func__, directory, error);
  if (status == LATHE_OK)
    status = load_newest(&l, comm);
  if (status == LATHE_OK)
    publish(&l, state);
  lathe_free(l.state);
  return status;
}
