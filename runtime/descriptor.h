/* Names of the process's own descriptors, such as /dev/stdout, for the runtime's files and for lathec.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_DESCRIPTOR_H
#define LATHE_RUNTIME_DESCRIPTOR_H

#include <stdio.h>

#pragma GCC visibility push(hidden)
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the descriptor of this process to which a name such as /dev/stdout leads, or -1. */
int lathe_own_descriptor(const char *path);

/* Opens a file for writing, from its beginning. A name of this process's own descriptor is opened at its current position, so
 * that what was written there stays. Returns NULL and sets errno on failure. */
FILE *lathe_open_in_place(const char *path);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_DESCRIPTOR_H */
