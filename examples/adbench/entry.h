/* Calls any entry of an object by what its tables say: arguments come from files of their names, results go into such.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ADBENCH_ENTRY_H
#define ADBENCH_ENTRY_H

#include "app.h"

typedef struct entry {
  const lathe_function_info *info;
  char *args;             /* its args struct */
  lathe_array arrays[16]; /* its arguments, inputs and outputs */
  void *workspace;
} entry;

static inline void put(entry *e, uint32_t offset, const void *value, size_t size) {
  if (offset != LATHE_ABSENT)
    memcpy(e->args + offset, value, size);
}

/* Sizes of named dimensions from an input's: "f64[K][D]" has those of the dimensions K and D. */
static inline void note_sizes(const lathe_function_info *info, const lathe_argument_info *argument, const lathe_array *array,
                              int64_t *dims) {
  const char *bracket = argument->type_text;
  for (uint32_t d = 0; d < array->rank; ++d) {
    bracket = strchr(bracket, '[') + 1;
    for (uint32_t i = 0; i < info->dimension_count; ++i) {
      const size_t length = strlen(info->dimensions[i].name);
      if (strncmp(bracket, info->dimensions[i].name, length) == 0 && bracket[length] == ']')
        dims[i] = array->extents[d];
    }
  }
}

/* The function of that name, with inputs from the folder. */
static inline entry open_entry(const lathe_module_info *module, const char *name, const char *folder) {
  entry e = {0};
  for (uint32_t i = 0; i < module->function_count; ++i)
    if (strcmp(module->functions[i].name, name) == 0)
      e.info = &module->functions[i];
  require(e.info && e.info->argument_count <= 16 && e.info->dimension_count <= 8, "no such function");
  e.args = allocate(e.info->args_size);
  int64_t dims[8] = {0}, extents[64], *next = extents;
  for (uint32_t i = 0; i < e.info->argument_count; ++i) {
    const lathe_argument_info *argument = &e.info->arguments[i];
    char file[256];
    snprintf(file, sizeof file, "%s.npy", argument->name);
    if (!argument->is_output) {
      e.arrays[i] = load(folder, file, argument->dtype, argument->rank);
      note_sizes(e.info, argument, &e.arrays[i], dims);
    }
  }
  e.info->shapes(dims, extents);
  for (uint32_t i = 0; i < e.info->argument_count; next += e.info->arguments[i++].rank) {
    const lathe_argument_info *argument = &e.info->arguments[i];
    if (argument->is_output) {
      e.arrays[i] = (lathe_array){argument->dtype, argument->rank, {0}, NULL, lathe_dtype_size(argument->dtype)};
      for (uint32_t d = 0; d < argument->rank; ++d)
        e.arrays[i].size *= (size_t)(e.arrays[i].extents[d] = next[d]);
      e.arrays[i].data = allocate(e.arrays[i].size);
    }
    put(&e, argument->offset, &e.arrays[i].data, sizeof(void *));
  }
  for (uint32_t i = 0; i < e.info->dimension_count; ++i)
    put(&e, e.info->dimensions[i].offset, &dims[i], sizeof dims[i]);
  const uint64_t size = e.info->workspace_size(dims);
  e.workspace = allocate(size);
  const lathe_error *report = &error;
  put(&e, e.info->workspace_offset, &e.workspace, sizeof e.workspace);
  put(&e, e.info->workspace_size_offset, &size, sizeof size);
  put(&e, e.info->error_offset, &report, sizeof report);
  return e;
}

static inline void call(entry *e) { check(e->info->call(e->args)); }

/* PREFIX.NAME.npy for each result. */
static inline void store_results(const entry *e, const char *folder, const char *prefix) {
  for (uint32_t i = 0; i < e->info->argument_count; ++i) {
    char file[256];
    snprintf(file, sizeof file, "%s.%s.npy", prefix, e->info->arguments[i].name);
    if (e->info->arguments[i].is_output)
      check(lathe_npy_write(path(folder, file), &e->arrays[i], &error));
  }
}

static inline void close_entry(entry *e) {
  for (uint32_t i = 0; i < e->info->argument_count; ++i)
    lathe_array_release(&e->arrays[i]);
  lathe_free(e->args);
  lathe_free(e->workspace);
}

#endif /* ADBENCH_ENTRY_H */
