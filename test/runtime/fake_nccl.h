/* The functions of the fake NCCL for tests, beyond NCCL's own, which they reach by dlsym.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_FAKE_NCCL_H
#define LATHE_TEST_RUNTIME_FAKE_NCCL_H

#include <stdint.h>

typedef struct fake_nccl {
  int ids;                    /* how many were made */
  int failure;                /* what communicators report */
  int32_t live;               /* communicators */
  int32_t destroyed, aborted; /* how many have ended so */
  int32_t misuse;             /* ids that are not those of one rank */
} fake_nccl;

#endif /* LATHE_TEST_RUNTIME_FAKE_NCCL_H */
