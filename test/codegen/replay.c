/* Calls a function of a shared object with stored inputs, and compares what it gives with stored results:
 *
 *   replay CASE.so FUNCTION FOLDER RTOL ATOL [NAME=SIZE...]   on a GPU
 *   replay CASE.so FUNCTION FOLDER bits [NAME=SIZE...]        on the CPU; all bits must be equal, but for those of a NaN
 *
 * On the CPU --load-state=FILE gives the variables before the call, and --save-state=FILE keeps those after it.
 * FOLDER is one of lathe-run --save. A machine with nothing of LLVM can run it: test/gpu/device/pack.py and
 * test/aarch64/twins.py make the cases.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "lathe/runtime.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lathe_error error;

static void fail(const char *what) {
  fprintf(stderr, "replay: %s\n", what);
  exit(2);
}

static void check(lathe_status status) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(&error);
  exit(4);
}

static const lathe_module_info *open_module(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    fail(dlerror());
  char name[512], symbol[600];
  const char *base = strrchr(path, '/');
  snprintf(name, sizeof name, "%s", base ? base + 1 : path);
  *strchr(name, '.') = '\0';
  snprintf(symbol, sizeof symbol, "%s_info", name);
  const lathe_module_info *(*info)(void);
  *(void **)&info = dlsym(library, symbol);
  if (!info)
    fail("the object has no tables");
  return info();
}

static const lathe_function_info *find(const lathe_module_info *module, const char *name) {
  for (uint32_t i = 0; i < module->function_count; ++i)
    if (strcmp(module->functions[i].name, name) == 0)
      return &module->functions[i];
  fail("there is no such function");
  return NULL;
}

/* Files hold halves of 8 exponent bits as the floats that they are. */
static void narrow(lathe_array *array) {
  const uint32_t *from = array->data;
  uint16_t *to = array->data;
  for (size_t i = 0; i < array->size / 4; ++i)
    to[i] = (uint16_t)(from[i] >> 16);
  array->size /= 2;
}

static lathe_array load(const char *folder, const char *kind, const lathe_argument_info *argument) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%s.npy", folder, kind, argument->name);
  lathe_array array;
  check(lathe_npy_read(path, &array, &error));
  if (argument->dtype == LATHE_BF16)
    narrow(&array);
  return array;
}

static double half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                : ldexp(fraction, -24);
  return bits >> 15 ? -value : value;
}

static double element(lathe_dtype dtype, const void *data, size_t i) {
  switch (dtype) {
  case LATHE_F64:
    return ((const double *)data)[i];
  case LATHE_F32:
    return (double)((const float *)data)[i];
  case LATHE_F16:
    return half(((const uint16_t *)data)[i]);
  case LATHE_BF16: {
    const uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
  }
  default:
    return 0;
  }
}

/* How many elements differ. Integers must be equal; floats too if rtol is negative. */
static size_t differences(const lathe_argument_info *argument, const void *got, const lathe_array *wanted, double rtol,
                          double atol) {
  const size_t width = lathe_dtype_size(argument->dtype), count = wanted->size / width;
  const int is_float = argument->dtype >= LATHE_F16;
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    const char *a = (const char *)got + i * width, *b = (const char *)wanted->data + i * width;
    if (memcmp(a, b, width) == 0)
      continue;
    const double x = element(argument->dtype, got, i), y = element(argument->dtype, wanted->data, i);
    if (is_float && isnan(x) && isnan(y))
      continue;
    if (is_float && rtol >= 0 && (x == y || fabs(x - y) <= atol + rtol * fabs(y)))
      continue;
    if (wrong++ == 0)
      fprintf(stderr, "%s: element %zu of %zu: %.9g, expected %.9g\n", argument->name, i, count, x, y);
  }
  return wrong;
}

/* Finds the size of a dimension in an input with that extent: "f32[N][floor_div(W, 2)]" has that of N. */
static void find_sizes(const lathe_function_info *function, const lathe_argument_info *argument, const lathe_array *array,
                       int64_t *sizes) {
  const char *text = strchr(argument->type_text, '[');
  for (uint32_t d = 0; text && !argument->is_output && d < array->rank; ++d, text = strchr(text, '[')) {
    const size_t length = (size_t)(strchr(++text, ']') - text);
    for (uint32_t i = 0; i < function->dimension_count && i < 64; ++i)
      if (strlen(function->dimensions[i].name) == length && strncmp(function->dimensions[i].name, text, length) == 0)
        sizes[i] = array->extents[d];
  }
}

/* The variables as lathe-run has them before a run: an entry @init fills them from the seed 0. */
static void initialise(const lathe_module_info *module, void *state, lathe_context *context) {
  for (uint32_t i = 0; i < module->function_count; ++i) {
    const lathe_function_info *init = &module->functions[i];
    if (module->state_size == 0 || strcmp(init->name, "init") != 0 || init->argument_count != 1)
      continue;
    int64_t seed = 0;
    const uint64_t needed = init->workspace_size(NULL);
    void *given = &seed, *workspace = lathe_context_alloc(context, needed + 64), *record = &error;
    char *args = calloc(1, init->args_size);
    memcpy(args + init->arguments[0].offset, &given, sizeof given);
    memcpy(args + init->state_offset, &state, sizeof state);
    memcpy(args + init->workspace_offset, &workspace, sizeof workspace);
    memcpy(args + init->workspace_size_offset, &needed, sizeof needed);
    memcpy(args + init->context_offset, &context, sizeof context);
    memcpy(args + init->error_offset, &record, sizeof record);
    check(init->call(args));
    lathe_context_free(context, workspace);
    free(args);
  }
}

/* The file of an option for the state, or NULL. */
static const char *state_file(const char *option, int count, char **words) {
  const size_t length = strlen(option);
  for (int k = 5; k < count; ++k)
    if (strncmp(words[k], option, length) == 0)
      return words[k] + length;
  return NULL;
}

int main(int count, char **words) {
  if (count < 5 || (strcmp(words[4], "bits") != 0 && count < 6))
    fail("CASE.so FUNCTION FOLDER RTOL ATOL [NAME=SIZE...], or bits for both tolerances");
  const int is_exact = strcmp(words[4], "bits") == 0;
  const lathe_module_info *module = open_module(words[1]);
  const lathe_function_info *function = find(module, words[2]);
  const double rtol = is_exact ? -1 : atof(words[4]), atol = is_exact ? 0 : atof(words[5]);
  lathe_context *context = is_exact ? lathe_context_create(2) : lathe_context_create_cuda(0, &error);
  if (!context)
    check(error.status);
  int64_t sizes[64] = {0};
  lathe_array *files = calloc(function->argument_count, sizeof *files);
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    files[i] = load(words[3], function->arguments[i].is_output ? "out" : "in", &function->arguments[i]);
    find_sizes(function, &function->arguments[i], &files[i], sizes);
  }
  for (uint32_t i = 0; i < function->dimension_count && i < 64; ++i)
    for (int k = is_exact ? 5 : 6; k < count; ++k) {
      const size_t length = strlen(function->dimensions[i].name);
      if (strncmp(words[k], function->dimensions[i].name, length) == 0 && words[k][length] == '=')
        sizes[i] = atoll(words[k] + length + 1);
    }
  char *args = calloc(1, function->args_size);
  void **given = calloc(function->argument_count, sizeof *given);
  for (uint32_t i = 0; i < function->dimension_count; ++i)
    memcpy(args + function->dimensions[i].offset, &sizes[i], sizeof sizes[i]);
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    const lathe_argument_info *argument = &function->arguments[i];
    given[i] = argument->is_output ? lathe_alloc(files[i].size + 64) : files[i].data;
    if (!given[i])
      given[i] = lathe_alloc(64); /* of an empty tensor: not NULL */
    memcpy(args + argument->offset, &given[i], sizeof given[i]);
  }
  const uint64_t needed = function->workspace_size(sizes);
  void *workspace = lathe_context_alloc(context, needed), *record = &error;
  void *state = lathe_context_alloc(context, module->state_size + 64);
  memcpy(args + function->workspace_offset, &workspace, sizeof workspace);
  memcpy(args + function->workspace_size_offset, &needed, sizeof needed);
  if (function->state_offset != LATHE_ABSENT)
    memcpy(args + function->state_offset, &state, sizeof state);
  memcpy(args + function->context_offset, &context, sizeof context);
  memcpy(args + function->error_offset, &record, sizeof record);
  initialise(module, state, context);
  const char *before = state_file("--load-state=", count, words), *after = state_file("--save-state=", count, words);
  if (before)
    check(lathe_state_load(before, module, state, &error));
  size_t wrong = 0;
  const int rounds = is_exact ? 1 : 3; /* on a GPU as it is, recorded, and from the record */
  for (int round = 0; round < rounds; ++round) {
    check(function->call(args));
    for (uint32_t i = 0; i < function->argument_count; ++i)
      if (function->arguments[i].is_output)
        wrong += differences(&function->arguments[i], given[i], &files[i], rtol, atol);
  }
  if (after)
    check(lathe_state_save(after, module, state, &error));
  lathe_context_free(context, workspace);
  lathe_context_free(context, state);
  lathe_context_destroy(context);
  return wrong != 0;
}
