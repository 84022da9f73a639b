/* Calls any entry of an object through its tables. Every array is a heap block of its exact size, so that an access past its
 * end is one past a block. */
#ifndef LATHE_TEST_OBJECT_CALL_H
#define LATHE_TEST_OBJECT_CALL_H

#include "lathe/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 32, MOST_EXTENTS = 128 };

typedef struct call {
  const lathe_function_info *function;
  char *args; /* the entry's args struct */
  void *arrays[MOST_ARRAYS];
  size_t sizes[MOST_ARRAYS];
  void *workspace, *cold_workspace;
  size_t workspace_size, cold_workspace_size;
  lathe_error error;
} call;

static inline void *exact(size_t size) {
  void *memory = NULL;
#ifdef LIE /* sizes that are too large by one must not make arrays overlap */
  if (posix_memalign(&memory, 64, 4096) != 0)
    exit(9);
#endif
  if (posix_memalign(&memory, 64, size) != 0)
    exit(9);
  return memory;
}

static inline const lathe_function_info *find_function(const lathe_module_info *module, const char *name) {
  for (uint32_t i = 0; i < module->function_count; ++i)
    if (strcmp(module->functions[i].name, name) == 0)
      return &module->functions[i];
  fprintf(stderr, "the object has no function '%s'\n", name);
  exit(9);
}

/* Floats from -1 to 1, or one small one; integers from 0 to 9. The same for each call with the same salt. */
static inline void fill(void *array, size_t size, lathe_dtype dtype, uint32_t salt) {
  const size_t width = lathe_dtype_size(dtype), count = size / width;
  uint32_t random = salt * 2654435761u + 1;
  for (size_t i = 0; i < count; ++i) {
    random = random * 1664525u + 1013904223u;
    const int64_t digit = (random >> 16) % (dtype == LATHE_I1 ? 2 : 10);
    const double real = count == 1 ? 0.001 : (double)(random >> 8) / (1 << 23) - 1;
    const float single = (float)real;
    if (dtype == LATHE_F32)
      memcpy((char *)array + i * width, &single, width);
    else if (dtype == LATHE_F64)
      memcpy((char *)array + i * width, &real, width);
    else
      memcpy((char *)array + i * width, &digit, width); /* little-endian */
  }
}

static inline void set_pointer(call *c, uint32_t offset, const void *pointer) {
  if (offset != LATHE_ABSENT)
    memcpy(c->args + offset, &pointer, sizeof pointer);
}

/* The allowed size of a dimension that is closest to `size`. */
static inline int64_t allowed_size(const lathe_dimension_info *dimension, int64_t size) {
  const int64_t step = dimension->multiple_of, least = (dimension->minimum + step - 1) / step * step;
  const int64_t most = dimension->maximum / step * step, rounded = size / step * step;
  return rounded < least ? least : rounded > most ? most : rounded;
}

/* A call with every named dimension `size`, or the closest allowed size, and inputs made from `salt`. */
static inline void prepare(call *c, const lathe_module_info *module, const char *name, int64_t size, uint32_t salt, void *state,
                           lathe_context *context) {
  int64_t dimensions[MOST_ARRAYS], extents[MOST_EXTENTS], *extent = extents;
  const lathe_function_info *f = c->function = find_function(module, name);
  c->args = exact(f->args_size);
  memset(c->args, 0, f->args_size);
  for (uint32_t i = 0; i < f->dimension_count; ++i) {
    dimensions[i] = allowed_size(&f->dimensions[i], size);
    memcpy(c->args + f->dimensions[i].offset, &dimensions[i], sizeof dimensions[i]);
  }
  f->shapes(dimensions, extents);
  for (uint32_t i = 0; i < f->argument_count; ++i) {
    const lathe_argument_info *argument = &f->arguments[i];
    c->sizes[i] = lathe_dtype_size(argument->dtype);
    for (uint32_t d = 0; d < argument->rank; ++d)
      c->sizes[i] *= (size_t)*extent++;
    c->arrays[i] = exact(c->sizes[i]);
    if (argument->is_output)
      memset(c->arrays[i], 0xA5, c->sizes[i]);
    else
      fill(c->arrays[i], c->sizes[i], argument->dtype, salt + i);
    set_pointer(c, argument->offset, c->arrays[i]);
  }
  c->workspace_size = (size_t)f->workspace_size(dimensions);
  c->workspace = exact(c->workspace_size);
  c->cold_workspace_size = f->cold_workspace_size ? (size_t)f->cold_workspace_size(dimensions) : 0;
  c->cold_workspace = exact(c->cold_workspace_size);
  set_pointer(c, f->cold_workspace_offset, c->cold_workspace);
  if (f->cold_workspace_size_offset != LATHE_ABSENT)
    memcpy(c->args + f->cold_workspace_size_offset, &c->cold_workspace_size, sizeof c->cold_workspace_size);
  set_pointer(c, f->state_offset, state);
  set_pointer(c, f->workspace_offset, c->workspace);
  memcpy(c->args + f->workspace_size_offset, &c->workspace_size, sizeof c->workspace_size);
  set_pointer(c, f->context_offset, context);
  set_pointer(c, f->error_offset, &c->error);
}

static inline void run(call *c) {
  if (c->function->call(c->args) == LATHE_OK)
    return;
  lathe_error_print(&c->error);
  exit(8);
}

static inline void release(call *c) {
  for (uint32_t i = 0; i < c->function->argument_count; ++i)
    free(c->arrays[i]);
  free(c->workspace);
  free(c->cold_workspace);
  free(c->args);
}

/* True if the outputs of two calls of one function are the same, bit for bit. */
static inline int same_outputs(const call *a, const call *b) {
  for (uint32_t i = 0; i < a->function->argument_count; ++i)
    if (a->function->arguments[i].is_output && memcmp(a->arrays[i], b->arrays[i], a->sizes[i]) != 0)
      return 0;
  return 1;
}

/* The state region as @init leaves it; bytes between variables are zero. */
static inline void *make_state(const lathe_module_info *module, lathe_context *context) {
  if (module->state_size == 0)
    return NULL;
  void *state = exact(module->state_size);
  memset(state, 0, module->state_size);
  call init;
  prepare(&init, module, "init", 1, 7, state, context);
  run(&init);
  release(&init);
  return state;
}

#endif
