// The process's memory.
#ifndef LATHE_SUPPORT_MEMORY_H
#define LATHE_SUPPORT_MEMORY_H

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lathe {

/// Gives what is free to the system: before much more is needed, since the C library keeps small pieces for itself.
inline void releaseFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// Lets each larger block go back to the system as soon as it is freed: for programs, at their start. Left alone, the C library
/// keeps blocks of up to 32 MB once it has freed some of that size.
inline void keepLargeBlocksApart() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

} // namespace lathe

#endif
