/* A module as a generated object would describe it: four variables, with gaps between them.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_MODULE_H
#define LATHE_TEST_RUNTIME_MODULE_H

#include "lathe/runtime.h"

enum { STATE_SIZE = 256 };

static const int64_t weight_extents[] = {2, 3}, mask_extents[] = {5};

static const lathe_state_info test_state[] = {
    {"conv1.w", "f32[2][3]", LATHE_F32, 2, weight_extents, 0, 24, 3, NULL},
    {"mask", "i1[5]", LATHE_I1, 1, mask_extents, 64, 5, 4, NULL},
    {"step", "i64", LATHE_I64, 0, NULL, 128, 8, 5, NULL},
    {"odd \"name\"\\\t\xc3\xa9", "bf16[5]", LATHE_BF16, 1, mask_extents, 192, 10, 6, NULL},
};

static const lathe_module_info test_module = {
    .magic = LATHE_INFO_MAGIC,
    .abi_version = LATHE_ABI_VERSION,
    .state_count = 4,
    .name = "test",
    .source = "test.mlir",
    .target = "x86-64-v3",
    .state_size = STATE_SIZE,
    .state = test_state,
};

#endif /* LATHE_TEST_RUNTIME_MODULE_H */
