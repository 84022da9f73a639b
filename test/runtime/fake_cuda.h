/* The functions of the fake driver for tests, beyond the driver's own, which they reach by dlsym.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_FAKE_CUDA_H
#define LATHE_TEST_RUNTIME_FAKE_CUDA_H

#include <stdint.h>

typedef struct fake_cuda {
  int devices, capability;
  /* The call of this function that comes after `skip` more of them fails with `code`; NULL: none. */
  const char *failing;
  int skip, code;
  int refuse_cubins; /* the code with which they do not load, or 0 */
  int32_t live;      /* objects and memory that nobody has given back, and retained contexts */
  int32_t misuse;    /* calls without the right current context, of what is not there, ... */
  int32_t depth;     /* of the pushed contexts of all threads */
  int32_t pending;   /* commands that the streams have not done */
  const char *image; /* data of the last module */
  int is_captured;   /* another thread captures for all: who does not stand aside may not allocate, load or wait */
  int32_t relaxed;   /* threads that stand aside of captures */
} fake_cuda;

#endif /* LATHE_TEST_RUNTIME_FAKE_CUDA_H */
