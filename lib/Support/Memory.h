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

} // namespace lathe

#endif
