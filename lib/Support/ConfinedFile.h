// Files that a graph names. Graphs come from strangers: what they name must be a plain file below their own folder.
#ifndef LATHE_SUPPORT_CONFINEDFILE_H
#define LATHE_SUPPORT_CONFINEDFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe {

/// Sets `real` to the path of the file that `location`, relative to `folder`, names: no absolute path, no "..", no link that
/// leaves the folder, no file that has other names, too. The reason why it may not be read, which calls it `what` and the
/// folder that of `whose`; empty if it may.
std::string resolveConfined(llvm::StringRef location, llvm::StringRef folder, llvm::StringRef what, llvm::StringRef whose,
                            llvm::SmallVectorImpl<char> &real);

} // namespace lathe

#endif
