// Controls the process's memory.
#ifndef LATHE_SUPPORT_MEMORY_H
#define LATHE_SUPPORT_MEMORY_H

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lathe {

/// Returns free memory to the system. Call it before much more memory is needed, since the C library keeps small blocks.
inline void releaseFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// Lets the system reclaim each larger block as soon as it is freed. Programs call it when they start. By default the C library
/// keeps blocks of up to 32 MB once it has freed some of that size.
inline void keepLargeBlocksApart() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

} // namespace lathe

#endif
