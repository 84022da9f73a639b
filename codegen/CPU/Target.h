// CPUs by their names.
#ifndef LATHE_CODEGEN_CPU_TARGET_H
#define LATHE_CODEGEN_CPU_TARGET_H

#include "codegen/Points/VectorTarget.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace lathe::cpu {

/// "host", "x86-64-v2" to "-v4", or "TRIPLE[:CPU[:FEATURES]]"; nullopt for a name that is none of these.
std::optional<VectorTarget> parseTarget(llvm::StringRef spec);

/// One line a kind of CPU, the name that --target takes first.
std::string listTargets();

/// One target, or several levels of x86-64 separated by commas, lowest first; none with `error` set for a name that is no
/// target, and for targets that cannot share an object.
std::vector<VectorTarget> parseTargets(llvm::StringRef specs, std::string &error);

} // namespace lathe::cpu

#endif
