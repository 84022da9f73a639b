// Divides a module into parts that are compiled at the same time.
#ifndef LATHE_CODEGEN_EMIT_MODULEPARTS_H
#define LATHE_CODEGEN_EMIT_MODULEPARTS_H

#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace lathe {

/// Returns the number of parts that a module is worth. Only the module decides it, so that an object has the same bytes on
/// a machine with any number of cores.
unsigned countParts(const llvm::Module &module);

/// Divides a module by its functions into so many parts of about the same number of instructions. The module becomes the first
/// part. Returns each of the others as bitcode, which can be read in a context of its own. Internal symbols become hidden ones
/// that the parts share: whoever joins their objects makes them local again.
std::vector<std::string> divideModule(llvm::Module &module, unsigned count);

} // namespace lathe

#endif
