// The list of Lathe's passes, whose definition CMake generates.
#ifndef LATHE_TOOLS_LATHE_OPT_PASSES_H
#define LATHE_TOOLS_LATHE_OPT_PASSES_H

namespace lathe {

/// Registers the passes of every library that lathe_add_passes adds.
void registerPasses();

} // namespace lathe

#endif
