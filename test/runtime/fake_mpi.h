/* A stand-in for an MPI that takes device memory: see fake_mpi.c.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_FAKE_MPI_H
#define LATHE_TEST_RUNTIME_FAKE_MPI_H

/* From now on, values in host memory are a fault: only messages of at most `most` bytes, such as headers, may be there. */
void fake_mpi_expect_device(int most);
/* The number of messages from and to device memory. */
int fake_mpi_messages(void);

#endif /* LATHE_TEST_RUNTIME_FAKE_MPI_H */
