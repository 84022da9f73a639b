// Memory that the entries of a context use.
#ifndef LATHE_TOOLS_LATHE_RUN_CONTEXTMEMORY_H
#define LATHE_TOOLS_LATHE_RUN_CONTEXTMEMORY_H

#include "lathe/runtime.h"
#include <algorithm>
#include <cstddef>

/// Memory where a context's entries need state and workspace; host memory without a context.
struct ContextMemory {
  explicit ContextMemory(size_t size, lathe_context *context = nullptr)
      : memory(lathe_context_alloc(context, std::max<size_t>(size, 64))), context(context) {}
  ~ContextMemory() { lathe_context_free(context, memory); }
  ContextMemory(const ContextMemory &) = delete;
  void *memory;
  lathe_context *context;
};

#endif
