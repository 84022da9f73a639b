/* Parts of entries that run the same commands each time, as graphs that one driver call starts.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A part runs directly when its key occurs for the first time, and is recorded the second time. Recorded commands run when the
 * recording ends: as a graph, or one by one if no graph can be made, so that nothing is lost.
 */
#include "cuda_context.h"

#include <stdlib.h>
#include <string.h>

/* ---- The parts that a context knows ---- */

static uint64_t hash_bytes(const void *key, uint64_t size) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ size;
  const unsigned char *bytes = key;
  for (uint64_t i = 0, step; i < size; i += step) {
    uint64_t word = 0;
    step = size - i < sizeof word ? size - i : sizeof word;
    memcpy(&word, bytes + i, step);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return hash;
}

static void forget(cuda_graph *graph) {
  if (graph->executable)
    (void)lathe_cuda.graph_free(graph->executable); /* a running graph is freed when it is done */
  free(graph->key);
  *graph = (cuda_graph){0};
}

void lathe_cuda_free_graphs(cuda_context *context) {
  for (int i = 0; i < CUDA_GRAPHS; ++i)
    if (context->graphs[i].state != CUDA_UNUSED)
      forget(&context->graphs[i]);
  free(context->recording.commands);
  free(context->recording.words);
}

static bool is_same(const cuda_graph *a, const cuda_graph *b) {
  return a->state != CUDA_UNUSED && a->hash == b->hash && a->size == b->size && a->code == b->code &&
         a->device_arguments == b->device_arguments && (a->size == 0 || memcmp(a->key, b->key, a->size) == 0);
}

static cuda_graph *find(cuda_context *context, const cuda_graph *wanted) {
  for (int i = 0; i < CUDA_GRAPHS; ++i)
    if (is_same(&context->graphs[i], wanted))
      return &context->graphs[i];
  return NULL;
}

/* Replaces the least recently used part. Without memory for its key, the part will count as new next time. */
static void remember(cuda_context *context, const cuda_graph *wanted) {
  void *key = malloc(wanted->size ? wanted->size : 1);
  if (!key)
    return;
  cuda_graph *oldest = &context->graphs[0];
  for (int i = 1; i < CUDA_GRAPHS; ++i)
    if (context->graphs[i].last_use < oldest->last_use)
      oldest = &context->graphs[i];
  if (oldest->executable) {
    const bool entered = lathe_cuda_enter(context);
    forget(oldest);
    if (entered)
      lathe_cuda_leave();
  }
  free(oldest->key);
  *oldest = *wanted;
  if (wanted->size > 0)
    memcpy(key, wanted->key, wanted->size);
  oldest->key = key;
  oldest->last_use = ++context->uses;
}

/* ---- Recording ---- */

/* Doubles the capacity of an array that lacks room for `count` elements. */
static bool reserve(void **array, size_t *room, size_t count, size_t element) {
  if (count <= *room)
    return true;
  const size_t wanted = count > 2 * *room ? count : 2 * *room;
  void *larger = realloc(*array, wanted * element);
  if (!larger)
    return false;
  *array = larger;
  *room = wanted;
  return true;
}

static bool append(cuda_recording *recording, const cuda_command *command) {
  const size_t words = command->kind == CUDA_LAUNCH ? command->kernel->words : 0;
  void *commands = recording->commands, *all_words = recording->words;
  const bool reserved = reserve(&commands, &recording->room, recording->count + 1, sizeof *recording->commands) &&
                        reserve(&all_words, &recording->word_room, recording->word_count + words, sizeof *recording->words);
  recording->commands = commands;
  recording->words = all_words;
  if (!reserved)
    return false;
  cuda_command *added = &recording->commands[recording->count++];
  *added = *command;
  added->first_word = recording->word_count;
  if (words > 0)
    memcpy(recording->words + recording->word_count, command->words, words * sizeof *recording->words);
  recording->word_count += words;
  return true;
}

bool lathe_cuda_record(cuda_context *context, const cuda_command *command) {
  if (!context->recording.graph)
    return false;
  if (append(&context->recording, command))
    return true;
  lathe_cuda_flush(context);
  return false;
}

/* Issues the recorded commands to a stream until one fails, and sets `row` to that one. */
static cu_result issue_all(cuda_context *context, cu_handle stream, const lathe_kernel_info **row) {
  cuda_recording *recording = &context->recording;
  for (size_t i = 0; i < recording->count; ++i) {
    cuda_command *command = &recording->commands[i];
    command->words = recording->words + command->first_word;
    const cu_result result = lathe_cuda_issue(context, command, stream);
    *row = command->row;
    if (result != CU_SUCCESS)
      return result;
  }
  return CU_SUCCESS;
}

void lathe_cuda_flush(cuda_context *context) {
  if (!context->recording.graph)
    return;
  context->recording.graph->state = CUDA_PLAIN;
  context->recording.graph = NULL;
  if (!lathe_cuda_enter(context))
    return;
  const lathe_kernel_info *row = NULL;
  const cu_result result = issue_all(context, context->stream, &row);
  (void)lathe_cuda_check(context, result, row, 0);
  lathe_cuda_leave();
}

/* Returns the recorded commands as an executable graph, or NULL if the driver cannot make one. The capture is thread-local,
 * so that other threads of the application may allocate and wait meanwhile. It uses a private stream: the default stream
 * cannot be captured, nor may any thread use it while a stream that waits for it is captured. */
static cu_handle capture(cuda_context *context) {
  cu_handle graph = NULL, executable = NULL;
  const lathe_kernel_info *row = NULL;
  if (lathe_cuda.capture_begin(context->own_stream, CU_CAPTURE_THREAD_LOCAL) != CU_SUCCESS)
    return NULL;
  const cu_result issued = issue_all(context, context->own_stream, &row);
  const cu_result ended = lathe_cuda.capture_end(context->own_stream, &graph); /* also after a failure, to end the capture */
  if (issued == CU_SUCCESS && ended == CU_SUCCESS && lathe_cuda.graph_instantiate(&executable, graph, 0) != CU_SUCCESS)
    executable = NULL;
  if (ended == CU_SUCCESS && graph)
    (void)lathe_cuda.graph_destroy(graph);
  return executable;
}

/* ---- The interface ---- */

int32_t lathe_cuda_begin(lathe_context *base, const void *key, uint64_t size) {
  cuda_context *context = cuda_of(base);
  lathe_cuda_flush(context);
  if (context->failure.status != LATHE_OK)
    return 1; /* there is nothing to do, which the caller may skip */
  if (!context->records || base->profile)
    return 0;
  /* The key is only read until `remember` has copied it. */
  const cuda_graph wanted = {.state = CUDA_SEEN,
                             .code = context->module->code,
                             .device_arguments = base->device_arguments,
                             .hash = hash_bytes(key, size),
                             .size = size,
                             .key = (void *)(uintptr_t)key};
  cuda_graph *graph = find(context, &wanted);
  if (!graph) {
    remember(context, &wanted);
    return 0;
  }
  graph->last_use = ++context->uses;
  if (graph->state == CUDA_SEEN) {
    context->recording.graph = graph;
    context->recording.count = context->recording.word_count = 0;
    return 0;
  }
  if (graph->state == CUDA_PLAIN || !lathe_cuda_enter(context))
    return 0;
  const cu_result result = lathe_cuda.graph_launch(graph->executable, context->stream);
  if (result != CU_SUCCESS)
    forget(graph); /* the caller runs the commands directly, which reports a persistent failure */
  lathe_cuda_leave();
  return result == CU_SUCCESS;
}

void lathe_cuda_end(lathe_context *base) {
  cuda_context *context = cuda_of(base);
  cuda_graph *graph = context->recording.graph;
  if (!graph)
    return;
  if (context->recording.count > 0 && lathe_cuda_enter(context)) {
    cu_handle executable = capture(context);
    if (executable && lathe_cuda.graph_launch(executable, context->stream) == CU_SUCCESS) {
      graph->state = CUDA_READY;
      graph->executable = executable;
      context->recording.graph = NULL;
    } else if (executable) {
      (void)lathe_cuda.graph_free(executable);
    }
    lathe_cuda_leave();
  }
  lathe_cuda_flush(context);
}
