/* Maps the fields of a step's parts to fields of the step, by names, which the compiler makes unique.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

uint32_t lathe_input_count(const lathe_function_info *function) {
  uint32_t inputs = 0;
  while (inputs < function->argument_count && !function->arguments[inputs].is_output)
    ++inputs;
  return inputs;
}

bool lathe_has_rows(const lathe_argument_info *argument, const char *dimension) {
  const char *begin = strchr(argument->type_text, '[');
  const size_t length = strlen(dimension);
  return begin && strncmp(begin + 1, dimension, length) == 0 && begin[1 + length] == ']';
}

static const lathe_argument_info *find_argument(const lathe_function_info *function, const lathe_argument_info *wanted,
                                                bool is_output) {
  for (uint32_t i = 0; i < function->argument_count; ++i)
    if ((function->arguments[i].is_output != 0) == is_output && strcmp(function->arguments[i].name, wanted->name) == 0)
      return &function->arguments[i];
  return NULL;
}

static bool bind_argument(lathe_part *part, uint32_t i, const lathe_function_info *step, const lathe_function_info *gradients) {
  const lathe_argument_info *argument = &part->function->arguments[i];
  const bool is_gradient = (part->function == gradients) == (argument->is_output != 0);
  const lathe_argument_info *found = is_gradient ? find_argument(gradients, argument, true) : NULL;
  if (found) {
    part->arguments[i] = -1 - (int)(found - gradients->arguments - lathe_input_count(gradients));
    return true;
  }
  found = find_argument(step, argument, argument->is_output != 0);
  if (found)
    part->arguments[i] = (int)(found - step->arguments);
  return found != NULL;
}

static bool bind_dimension(lathe_part *part, uint32_t i, const lathe_function_info *step) {
  for (uint32_t other = 0; other < step->dimension_count; ++other)
    if (strcmp(step->dimensions[other].name, part->function->dimensions[i].name) == 0) {
      part->dimensions[i] = (int)other;
      return true;
    }
  return false;
}

bool lathe_part_bind(lathe_part *part, const lathe_function_info *step, const lathe_function_info *gradients,
                     const char **missing) {
  const lathe_function_info *function = part->function;
  part->dimensions = calloc((size_t)function->dimension_count + 1, sizeof *part->dimensions);
  part->arguments = calloc((size_t)function->argument_count + 1, sizeof *part->arguments);
  *missing = NULL;
  if (!part->dimensions || !part->arguments)
    return false;
  for (uint32_t i = 0; i < function->dimension_count && !*missing; ++i)
    if (!bind_dimension(part, i, step))
      *missing = function->dimensions[i].name;
  for (uint32_t i = 0; i < function->argument_count && !*missing; ++i)
    if (!bind_argument(part, i, step, gradients))
      *missing = function->arguments[i].name;
  return !*missing;
}

void lathe_part_release(lathe_part *part) {
  free(part->dimensions);
  free(part->arguments);
}
