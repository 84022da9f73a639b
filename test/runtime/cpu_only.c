/* A program that has nothing to do with devices links nothing of them.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "check.h"

/* Weak names alone take no member of a library. */
extern lathe_context *weak_create(int device, lathe_error *error) __asm__("lathe_context_create_cuda") __attribute__((weak));
extern int weak_open(const char *function, lathe_error *error) __asm__("lathe_cuda_open") __attribute__((weak));

int main(void) {
  lathe_context *context = lathe_context_create(1);
  float *memory = lathe_context_alloc(context, 64), value = 5, back = 0;
  CHECK_EQUAL(lathe_context_upload(context, memory, &value, sizeof value, NULL), LATHE_OK);
  CHECK_EQUAL(lathe_context_download(context, &back, memory, sizeof back, NULL), LATHE_OK);
  CHECK(back == 5);
  CHECK_EQUAL(lathe_context_synchronize(context, NULL), LATHE_OK);
  lathe_context_set_asynchronous(context, 1);
  lathe_context_free(context, memory);
  lathe_context_destroy(context);
  memory = lathe_context_alloc(NULL, 64);
  CHECK(memory && memory[0] == 0);
  lathe_context_free(NULL, memory);

  /* An application's own context has nothing behind its base. */
  lathe_context *own = calloc(1, sizeof *own);
  memory = lathe_context_alloc(own, 64);
  CHECK(memory != NULL);
  lathe_context_free(own, memory);
  free(own);

  CHECK(!weak_create && !weak_open);
  return check_result();
}
