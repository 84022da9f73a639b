// The shapes in an entry's table, and the sizes of its named dimensions in a call.
#ifndef LATHE_TOOLS_LATHE_RUN_ENTRYSIZES_H
#define LATHE_TOOLS_LATHE_RUN_ENTRYSIZES_H

#include "tools/lathe-run/Runner.h"

/// Returns the dimensions of "f32[N][16]".
lathe::Dims parseShape(llvm::StringRef text);

/// Returns the extents of all arguments for these sizes, one after the other.
std::vector<int64_t> extentsOf(const lathe_function_info &function, const std::vector<int64_t> &dims);

/// Returns the sizes of the entry's named dimensions, from `given` (those of --dim) and the inputs' shapes. Checks the shapes
/// against the object's.
Expected<std::vector<int64_t>> bindSizes(const lathe_function_info &function, const Tensors &inputs,
                                         const std::map<std::string, int64_t> &given);

#endif
