// CPU targets by name.
#ifndef LATHE_CODEGEN_CPU_TARGET_H
#define LATHE_CODEGEN_CPU_TARGET_H

#include "codegen/Points/VectorTarget.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace lathe::cpu {

/// Parses "host", "x86-64-v2" to "-v4", "x86-64-v4-vnni", "-v4-bf16", or "TRIPLE[:CPU[:FEATURES]]"; returns nullopt for any
/// other name.
std::optional<VectorTarget> parseTarget(llvm::StringRef spec);

/// Returns one line per kind of CPU, which begins with its name for --target.
std::string listTargets();

/// Parses one target, or several levels of x86-64 separated by commas, and sorts them from the lowest level. For an unknown
/// name, or targets that cannot share an object, sets `error` and returns no targets.
std::vector<VectorTarget> parseTargets(llvm::StringRef specs, std::string &error);

} // namespace lathe::cpu

#endif
