/* One training step on several contexts: each computes the gradients of its examples, and one update uses their means.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The update writes the first context's state. CPU contexts share one region of host memory, which the gradients only read.
 * Each device has a region of its own, updated on its own thread before it computes. So all contexts compute with the same
 * bits, and a step that fails before its update has changed nothing.
 */
#include "shards.h"

#include <string.h>

/* ---- Failures ---- */

static lathe_status fail(lathe_error *error, lathe_error record) {
  if (error)
    *error = record;
  return record.status;
}

static lathe_status fail_argument(const lathe_shards *s, lathe_error *error, lathe_status status,
                                  const lathe_argument_info *argument) {
  return fail(error, (lathe_error){.status = status,
                                   .file = s->module->source,
                                   .line = argument->line,
                                   .function = s->step->name,
                                   .op = "func.func",
                                   .argument = argument->name});
}

static lathe_status fail_dimension(const lathe_shards *s, lathe_error *error, const lathe_dimension_info *dimension,
                                   const char *other, int64_t expected, int64_t actual) {
  return fail(error, (lathe_error){.status = LATHE_ERROR_DIMENSION,
                                   .file = s->module->source,
                                   .function = s->step->name,
                                   .op = "func.func",
                                   .argument = dimension->name,
                                   .other = other,
                                   .expected = expected,
                                   .actual = actual});
}

/* ---- Memory ---- */

/* Provides a workspace of at least `size` bytes and keeps larger ones: calls with the same addresses are faster on a device. */
static bool reserve_workspace(lathe_shard *at, uint64_t size) {
  if (at->workspace && at->workspace_size >= size)
    return true;
  lathe_shard_give_back(at, at->workspace);
  at->workspace_size = size;
  at->workspace = lathe_shard_take(at, size);
  return at->workspace != NULL;
}

/* ---- A step's parts ---- */

/* Sets a part's dimensions. The batch dimension is the shard's; an update has none. */
static void part_dimensions(const lathe_shards *s, const lathe_part *part, const void *args, int64_t rows,
                            int64_t *dimensions) {
  for (uint32_t i = 0; i < part->function->dimension_count; ++i) {
    const uint32_t from = (uint32_t)part->dimensions[i];
    dimensions[i] = from == s->info->dimension ? rows : lathe_get_dimension(args, s->step->dimensions[from].offset);
  }
}

/* Sets all fields of a part's args struct except its inputs and outputs. */
static void put_regions(const lathe_shards *s, const lathe_function_info *function, const void *step_args, lathe_shard *at,
                        const int64_t *dimensions, void *args) {
  for (uint32_t i = 0; i < function->dimension_count; ++i)
    lathe_put_size(args, function->dimensions[i].offset, (uint64_t)dimensions[i]);
  lathe_put_pointer(args, function->state_offset, at->state);
  lathe_put_pointer(args, function->workspace_offset, at->workspace);
  lathe_put_size(args, function->workspace_size_offset, at->workspace_size);
  lathe_put_pointer(args, function->context_offset, at->context);
  lathe_put_pointer(args, function->error_offset, &at->error);
  lathe_put_pointer(args, function->weights_offset, lathe_get_pointer(step_args, s->step->weights_offset));
  if (s->step->weights_size_offset != LATHE_ABSENT)
    lathe_put_size(args, function->weights_size_offset, (uint64_t)lathe_get_dimension(step_args, s->step->weights_size_offset));
}

static void put_arguments(const lathe_shards *s, const lathe_part *part, const void *step_args, const char *outputs,
                          int64_t first_row, void *args) {
  for (uint32_t i = 0; i < part->function->argument_count; ++i) {
    const int from = part->arguments[i];
    const void *place = from < 0 ? outputs + s->outputs[-1 - from].offset
                                 : (const char *)lathe_get_pointer(step_args, s->step->arguments[from].offset) +
                                       (uint64_t)first_row * s->row_bytes[from];
    lathe_put_pointer(args, part->function->arguments[i].offset, place);
  }
}

/* Calls a part. Its arguments are in host memory, whatever the application's setting for its own calls, and it is done on
 * return. */
static lathe_status call(const lathe_function_info *function, lathe_shard *at, void *args) {
  const uint64_t device_arguments = at->context ? at->context->device_arguments : 0;
  if (at->context)
    at->context->device_arguments = 0;
  memset(&at->error, 0, sizeof at->error);
  lathe_status status = function->call(args);
  if (status == LATHE_OK && at->context)
    status = lathe_context_synchronize(at->context, &at->error);
  if (at->context)
    at->context->device_arguments = device_arguments;
  at->error.status = status;
  return status;
}

/* ---- State ---- */

/* Copies the update's variables, or all, from the host to the context's state, or back. */
static lathe_status move_variables(const lathe_shards *s, lathe_shard *at, bool all, bool to_host) {
  const uint32_t count = all ? 1 : s->info->variable_count;
  for (uint32_t i = 0; i < count; ++i) {
    const lathe_state_info *variable = all ? NULL : &s->module->state[s->info->variables[i]];
    const uint64_t offset = all ? 0 : variable->offset, size = all ? s->module->state_size : variable->size;
    char *device = (char *)at->state + offset, *host = s->host_state + offset;
    const lathe_status status = to_host ? lathe_context_download(at->context, host, device, size, &at->error)
                                        : lathe_context_upload(at->context, device, host, size, &at->error);
    if (status != LATHE_OK)
      return status;
  }
  return LATHE_OK;
}

/* ---- The three phases ---- */

static void compute(void *closure, int number) {
  lathe_shards *s = closure;
  lathe_shard *at = &s->shards[number];
  memset(&at->error, 0, sizeof at->error);
  if (at->is_device && at->state_is != CURRENT) {
    at->error.status = move_variables(s, at, at->state_is == EMPTY, false);
    if (at->error.status != LATHE_OK)
      return;
    at->state_is = CURRENT;
  }
  call(s->gradients.function, at, at->args);
}

/* Each thread averages a part of each tensor; the partition does not affect the sums. */
static void average(void *closure, int number) {
  lathe_shards *s = closure;
  const void **places = s->places + (size_t)number * (size_t)s->count;
  for (uint32_t i = 0; i < s->output_count; ++i) {
    const lathe_shard_output *of = &s->outputs[i];
    for (int k = 0; k < s->used; ++k)
      places[k] = s->shards[k].outputs + of->offset;
    lathe_weighted_sum(of->dtype, s->means + of->offset, places, s->weights, s->used, of->elements * number / s->used,
                       of->elements * (number + 1) / s->used);
  }
}

/* ---- One step ---- */

static lathe_status check_dimension(const lathe_shards *s, const lathe_dimension_info *dimension, int64_t value,
                                    lathe_error *error) {
  if (value < dimension->minimum)
    return fail_dimension(s, error, dimension, NULL, dimension->minimum, value);
  if (value > dimension->maximum)
    return fail_dimension(s, error, dimension, NULL, dimension->maximum, value);
  if (dimension->multiple_of > 1 && value % dimension->multiple_of != 0)
    return fail_dimension(s, error, dimension, "multiple_of", dimension->multiple_of, value);
  return LATHE_OK;
}

/* Checks what the parts cannot check, since they get other dimensions, and addresses inside arguments. Sets row_bytes. */
static lathe_status check_arguments(lathe_shards *s, const void *args, lathe_error *error) {
  const lathe_function_info *step = s->step;
  for (uint32_t i = 0; i < step->dimension_count; ++i) {
    s->dimensions[i] = lathe_get_dimension(args, step->dimensions[i].offset);
    const lathe_status status = check_dimension(s, &step->dimensions[i], s->dimensions[i], error);
    if (status != LATHE_OK)
      return status;
  }
  step->shapes(s->dimensions, s->extents);
  const int64_t *extents = s->extents;
  for (uint32_t i = 0; i < step->argument_count; ++i) {
    const lathe_argument_info *argument = &step->arguments[i];
    bool is_empty = false;
    for (uint32_t d = 0; d < argument->rank; ++d)
      is_empty |= extents[d] == 0;
    if (!is_empty && !lathe_get_pointer(args, argument->offset))
      return fail_argument(s, error, LATHE_ERROR_NULL_ARGUMENT, argument);
    s->row_bytes[i] = 0;
    if (!argument->is_output && lathe_has_rows(argument, step->dimensions[s->info->dimension].name)) {
      s->row_bytes[i] = lathe_dtype_size(argument->dtype);
      for (uint32_t d = 1; d < argument->rank; ++d)
        s->row_bytes[i] *= (uint64_t)extents[d];
    }
    extents += argument->rank;
  }
  return LATHE_OK;
}

/* Divides the batch as evenly as the dimension's bounds allow. Surplus contexts stay idle. */
static void divide(lathe_shards *s, const void *args) {
  const lathe_dimension_info *batch = &s->step->dimensions[s->info->dimension];
  const int64_t unit = batch->multiple_of > 1 ? batch->multiple_of : 1;
  const int64_t rows = lathe_get_dimension(args, batch->offset), units = rows / unit;
  int64_t used = units < s->count ? units : s->count;
  while (used > 1 && units / used * unit < batch->minimum)
    --used;
  s->used = used > 1 ? (int)used : 1;
  for (int k = 0; k < s->used; ++k) {
    s->shards[k].rows = (units * (k + 1) / s->used - units * k / s->used) * unit;
    s->weights[k] = s->used > 1 ? (double)s->shards[k].rows / (double)rows : 1;
  }
}

/* Lays out the gradients in a region of outputs, and reserves such a region for each shard and for the means. */
static bool reserve_outputs(lathe_shards *s, const void *args) {
  const lathe_function_info *gradients = s->gradients.function;
  part_dimensions(s, &s->gradients, args, s->shards[0].rows, s->dimensions);
  gradients->shapes(s->dimensions, s->extents);
  const int64_t *extents = s->extents;
  const uint32_t inputs = lathe_input_count(gradients);
  uint64_t size = 0;
  for (uint32_t i = 0; i < gradients->argument_count; extents += gradients->arguments[i++].rank) {
    if (i < inputs)
      continue;
    lathe_shard_output *of = &s->outputs[i - inputs];
    *of = (lathe_shard_output){gradients->arguments[i].dtype, size, 1};
    for (uint32_t d = 0; d < gradients->arguments[i].rank; ++d)
      of->elements *= extents[d];
    size += ((uint64_t)of->elements * lathe_dtype_size(of->dtype) + 63) / 64 * 64;
  }
  if (s->means && size <= s->outputs_size)
    return true;
  bool ok = true;
  s->outputs_size = size;
  for (int k = 0; k <= s->count; ++k) {
    char **region = k < s->count ? &s->shards[k].outputs : &s->means;
    lathe_free(*region);
    *region = lathe_alloc(size ? size : 1);
    ok = ok && *region;
  }
  if (!ok) { /* the next step tries again */
    lathe_free(s->means);
    s->means = NULL;
  }
  return ok;
}

/* Prepares the args structs and workspaces of all parts of the step. */
static lathe_status prepare(lathe_shards *s, const void *args, lathe_error *error) {
  divide(s, args);
  if (!reserve_outputs(s, args))
    return lathe_fail_memory(error, s->step->name, NULL, s->outputs_size);
  part_dimensions(s, &s->update, args, 0, s->dimensions);
  const uint64_t for_update = s->update.function->workspace_size(s->dimensions);
  if (!reserve_workspace(&s->shards[0], for_update))
    return lathe_fail_memory(error, s->step->name, NULL, for_update);
  int64_t first_row = 0;
  for (int k = 0; k < s->used; ++k) {
    lathe_shard *at = &s->shards[k];
    part_dimensions(s, &s->gradients, args, at->rows, s->dimensions);
    const uint64_t size = s->gradients.function->workspace_size(s->dimensions);
    if (size == UINT64_MAX || !reserve_workspace(at, size))
      return lathe_fail_memory(error, s->step->name, NULL, size);
    put_regions(s, s->gradients.function, args, at, s->dimensions, at->args);
    put_arguments(s, &s->gradients, args, at->outputs, first_row, at->args);
    first_row += at->rows;
  }
  part_dimensions(s, &s->update, args, 0, s->dimensions);
  put_regions(s, s->update.function, args, &s->shards[0], s->dimensions, s->update_args);
  put_arguments(s, &s->update, args, s->means, 0, s->update_args);
  return LATHE_OK;
}

static lathe_status tell(const lathe_shard *at, lathe_error *error) { return fail(error, at->error); }

lathe_status lathe_shards_step(lathe_shards *s, void *args, lathe_error *error) {
  if (!s || !args)
    return fail(error,
                (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT, .function = __func__, .argument = s ? "args" : "shards"});
  lathe_status status = check_arguments(s, args, error);
  if (status == LATHE_OK)
    status = prepare(s, args, error);
  if (status != LATHE_OK)
    return status;
  lathe_shard *first = &s->shards[0];
  if (s->host_is_stale && s->used > 1) {
    status = first->error.status = move_variables(s, first, false, true);
    if (status != LATHE_OK)
      return tell(first, error);
    s->host_is_stale = false;
  }
  lathe_team_run(s->team, compute, s, s->used);
  for (int k = 0; k < s->used; ++k)
    if (s->shards[k].error.status != LATHE_OK)
      return tell(&s->shards[k], error);
  lathe_team_run(s->team, average, s, s->used);
  if (call(s->update.function, first, s->update_args) != LATHE_OK)
    return tell(first, error);
  s->host_is_stale = first->is_device;
  for (int k = 1; k < s->count; ++k)
    if (s->shards[k].state_is == CURRENT)
      s->shards[k].state_is = STALE;
  return LATHE_OK;
}

/* ---- State ---- */

lathe_status lathe_shards_set_state(lathe_shards *s, const void *state, lathe_error *error) {
  lathe_shard *first = &s->shards[0];
  memcpy(s->host_state, state, s->module->state_size);
  s->host_is_stale = false;
  for (int k = 0; k < s->count; ++k)
    s->shards[k].state_is = EMPTY;
  if (!first->is_device)
    return LATHE_OK;
  first->error.status = move_variables(s, first, true, false);
  if (first->error.status != LATHE_OK)
    return tell(first, error);
  first->state_is = CURRENT;
  return LATHE_OK;
}

lathe_status lathe_shards_get_state(lathe_shards *s, void *state, lathe_error *error) {
  lathe_shard *first = &s->shards[0];
  if (first->is_device)
    return lathe_context_download(first->context, state, first->state, s->module->state_size, error);
  memcpy(state, s->host_state, s->module->state_size);
  return LATHE_OK;
}
