/* Ranks that are processes of an MPI job: the library lathe_mpi.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header does not include mpi.h, so that a program which only starts under mpirun can do without it.
 */
#ifndef LATHE_MPI_H
#define LATHE_MPI_H

#include "lathe/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes this process's end of a job over all processes of an MPI communicator, which make it together. `communicator` is the
 * address of an MPI_Comm, or NULL for MPI_COMM_WORLD. The axes' sizes multiply to its number of processes; one size may be 0
 * and is what is left. Their `index` is ignored. A rank that waits for longer than the timeout fails, unless values still
 * arrive; INFINITY waits for ever.
 *
 * If MPI takes device memory, the communicator does too (`takes_device_memory`), and the ranks may have contexts of CUDA
 * devices; sums keep their order. LATHE_MPI_CUDA=1 or 0 in the environment replaces what MPI says of itself.
 *
 * Initialises MPI if that has not happened, with MPI_THREAD_SERIALIZED, and then lathe_comm_destroy finalises it, unless a rank
 * is lost: MPI would wait for that. After such a failure, buffers of collectives that have not ended stay MPI's until the
 * process ends. */
lathe_status lathe_comm_create_mpi(const void *communicator, const lathe_axis *axes, uint32_t axis_count,
                                   double timeout_seconds, lathe_comm **comm, lathe_error *error);

#ifdef __cplusplus
}
#endif
#endif /* LATHE_MPI_H */
