/* Contexts on CUDA devices in a process that has threads, and uses the driver itself: its own contexts, streams and captures.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "cuda_entry.h"

#include <pthread.h>

static int (*push)(void *context), (*pop)(void **context), (*stream_create)(void **stream, unsigned flags),
    (*stream_destroy)(void *stream), (*retain)(void **context, int device), (*release)(int device);

static void load_driver_functions(void) {
  struct {
    void *function;
    const char *name;
  } functions[] = {{&push, "cuCtxPushCurrent_v2"},        {&pop, "cuCtxPopCurrent_v2"},
                   {&stream_create, "cuStreamCreate"},    {&stream_destroy, "cuStreamDestroy_v2"},
                   {&retain, "cuDevicePrimaryCtxRetain"}, {&release, "cuDevicePrimaryCtxRelease_v2"}};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    void *symbol = fake_symbol(functions[i].name);
    memcpy(functions[i].function, &symbol, sizeof symbol);
  }
}

/* The application's stream and its own current context, that of the other device, stay what they were. */
static void test_application_stream(void) {
  void *mine, *other, *stream, *popped;
  load_driver_functions();
  retain(&mine, 1);
  retain(&other, 0);
  push(mine);
  stream_create(&stream, 0);
  pop(&popped);
  push(other);
  lathe_context *context = lathe_context_create_cuda_on_stream(1, stream, NULL);
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  for (int call = 0; call < 3; ++call)
    check_entry(context, workspace, 2);
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  CHECK_EQUAL(fake->depth, 1);
  CHECK(pop(&popped) == 0 && popped == other);
  push(mine);
  stream_destroy(stream);
  pop(&popped);
  release(0);
  release(1);
  check_clean();
}

/* Another thread of the application captures, which forbids others to allocate, to load and to wait, but not those that stand
 * aside. */
static void test_captured_elsewhere(void) {
  fake->is_captured = 1;
  lathe_context *context = make(0);
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  CHECK(workspace);
  for (int call = 0; call < 3; ++call)
    check_entry(context, workspace, (float)call);
  lathe_context_free(context, workspace);
  destroy(context);
  fake->is_captured = 0;
}

static void *work(void *device) {
  lathe_context *context = make(*(int *)device);
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  for (int call = 0; call < 200; ++call)
    check_entry(context, workspace, (float)call);
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  return NULL;
}

static void test_threads(void) {
  pthread_t threads[4];
  int devices[4] = {0, 1, 0, 1};
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, &devices[i]);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  check_clean();
}

int main(void) {
  load_fake();
  test_threads(); /* first: they open the driver at the same time */
  test_application_stream();
  test_captured_elsewhere();
  return check_result();
}
