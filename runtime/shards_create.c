/* Creates and destroys the data for a step on several contexts.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

static lathe_status fail(lathe_error *error, lathe_error record) {
  if (error)
    *error = record;
  return record.status;
}

void *lathe_shard_take(const lathe_shard *at, uint64_t size) {
  return at->is_device ? lathe_context_alloc(at->context, size) : lathe_alloc(size);
}

void lathe_shard_give_back(const lathe_shard *at, void *memory) {
  if (at->is_device && memory)
    lathe_context_free(at->context, memory);
  else
    lathe_free(memory);
}

void lathe_shards_destroy(lathe_shards *s) {
  if (!s)
    return;
  lathe_team_destroy(s->team);
  for (int k = 0; k < s->count; ++k) {
    lathe_shard *at = &s->shards[k];
    lathe_shard_give_back(at, at->workspace);
    if (at->is_device)
      lathe_shard_give_back(at, at->state);
    lathe_free(at->outputs);
    free(at->args);
  }
  lathe_part_release(&s->gradients);
  lathe_part_release(&s->update);
  lathe_free(s->host_state);
  lathe_free(s->means);
  free(s->outputs);
  free(s->update_args);
  free(s->dimensions);
  free(s->extents);
  free(s->row_bytes);
  free(s->weights);
  free(s->places);
  lathe_free(s);
}

static uint64_t ranks_of(const lathe_function_info *function) {
  uint64_t ranks = 0;
  for (uint32_t i = 0; i < function->argument_count; ++i)
    ranks += function->arguments[i].rank;
  return ranks;
}

static bool reserve(lathe_shards *s) {
  const lathe_function_info *gradients = s->gradients.function;
  const size_t count = (size_t)s->count;
  /* The parts have only the step's dimensions. One extra element each, since there may be none. */
  const uint64_t ranks = ranks_of(s->step) + ranks_of(gradients);
  s->output_count = gradients->argument_count - lathe_input_count(gradients);
  s->team = lathe_team_create(s->count);
  s->host_state = lathe_alloc(s->module->state_size + 1);
  s->outputs = calloc((size_t)s->output_count + 1, sizeof *s->outputs);
  s->update_args = calloc(1, s->update.function->args_size);
  s->dimensions = calloc((size_t)s->step->dimension_count + 1, sizeof *s->dimensions);
  s->extents = calloc((size_t)ranks + 1, sizeof *s->extents);
  s->row_bytes = calloc((size_t)s->step->argument_count + 1, sizeof *s->row_bytes);
  s->weights = calloc(count, sizeof *s->weights);
  s->places = calloc(count * count, sizeof *s->places);
  bool ok = s->team && s->host_state && s->outputs && s->update_args && s->dimensions && s->extents && s->row_bytes &&
            s->weights && s->places;
  for (int k = 0; k < s->count && ok; ++k) {
    lathe_shard *at = &s->shards[k];
    at->state = at->is_device ? lathe_shard_take(at, s->module->state_size) : s->host_state;
    at->args = calloc(1, gradients->args_size);
    at->state_is = k == 0 ? CURRENT : EMPTY;
    ok = at->state && at->args;
  }
  return ok;
}

static const lathe_function_info *find(const lathe_module_info *module, const char *name) {
  for (uint32_t i = 0; i < module->function_count; ++i)
    if (strcmp(module->functions[i].name, name) == 0)
      return &module->functions[i];
  return NULL;
}

static lathe_status check_call(const lathe_module_info *module, const char *function, lathe_context *const *contexts, int count,
                               lathe_error *error) {
  if (!module || !function || !contexts)
    return fail(error, (lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT,
                                     .function = "lathe_shards_create",
                                     .argument = !module     ? "module"
                                                 : !function ? "function"
                                                             : "contexts"});
  if (module->abi_version != LATHE_ABI_VERSION)
    return fail(error, (lathe_error){.status = LATHE_ERROR_ABI,
                                     .file = module->source,
                                     .expected = LATHE_ABI_VERSION,
                                     .actual = module->abi_version});
  if (count < 1)
    return fail(error, (lathe_error){.status = LATHE_ERROR_DIMENSION,
                                     .function = "lathe_shards_create",
                                     .argument = "count",
                                     .expected = 1,
                                     .actual = count});
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j)
      if (contexts[i] && contexts[i] == contexts[j])
        return lathe_fail_format(error, function, module->source, "contexts", "a context occurs twice");
  const lathe_function_info *step = find(module, function);
  if (!step)
    return lathe_fail_format(error, NULL, module->source, function, "no function has this name");
  if (!step->shard)
    return lathe_fail_format(error, NULL, module->source, function, "it is not sharded; compile it with lathec --shard");
  return LATHE_OK;
}

lathe_shards *lathe_shards_create(const lathe_module_info *module, const char *function, lathe_context *const *contexts,
                                  int count, lathe_error *error) {
  if (check_call(module, function, contexts, count, error) != LATHE_OK)
    return NULL;
  const size_t size = sizeof(lathe_shards) + (size_t)count * sizeof(lathe_shard);
  lathe_shards *s = lathe_alloc(size);
  if (!s) {
    (void)lathe_fail_memory(error, function, NULL, size);
    return NULL;
  }
  s->module = module;
  s->step = find(module, function);
  s->info = s->step->shard;
  s->count = count;
  s->gradients.function = &module->functions[s->info->gradients];
  s->update.function = &module->functions[s->info->update];
  /* An object without device code runs on the calling thread whatever the context, with its state in host memory. */
  const bool has_device_code = strstr(module->target, "cuda:") != NULL;
  for (int k = 0; k < count; ++k) {
    s->shards[k].context = contexts[k];
    s->shards[k].is_device = has_device_code && contexts[k] && contexts[k]->device;
  }
  const char *missing = NULL;
  if (lathe_part_bind(&s->gradients, s->step, s->gradients.function, &missing) &&
      lathe_part_bind(&s->update, s->step, s->gradients.function, &missing) && reserve(s))
    return s;
  if (missing)
    (void)lathe_fail_format(error, function, module->source, missing, "a part of the step uses it, but the step does not");
  else
    (void)lathe_fail_memory(error, function, NULL, module->state_size);
  lathe_shards_destroy(s);
  return NULL;
}
