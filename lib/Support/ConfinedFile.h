// Resolves files that a graph names. Graphs are untrusted input: such a file must be a plain file below the graph's folder.
#ifndef LATHE_SUPPORT_CONFINEDFILE_H
#define LATHE_SUPPORT_CONFINEDFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe {

/// Sets `real` to the path of the file at `location`, relative to `folder`. Refuses absolute paths, "..", links that leave the
/// folder and files with several names. Returns the reason for a refusal, or an empty string; it calls the file `what` and says
/// that the folder belongs to `whose`.
std::string resolveConfined(llvm::StringRef location, llvm::StringRef folder, llvm::StringRef what, llvm::StringRef whose,
                            llvm::SmallVectorImpl<char> &real);

} // namespace lathe

#endif
