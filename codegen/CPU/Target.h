// What a CPU level means to the code generator.
#ifndef LATHE_CODEGEN_CPU_TARGET_H
#define LATHE_CODEGEN_CPU_TARGET_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lathe::cpu {

/// One instruction set: LLVM's names for it, and what kernels are shaped by.
struct Target {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string cpu = "x86-64-v3"; // target-cpu of every function
  std::string features;          // target-features, "+a,-b"
  unsigned level = 3;            // x86-64 level; 0 elsewhere
  unsigned vectorBytes = 32;     // of one register
  unsigned vectorRegisters = 16;
  bool hasFMA = true;
  bool hasF16C = true;  // conversions between f16 and f32
  bool hasBF16 = false; // rounding of f32 to bf16 that keeps denormals, as x86's does not

  unsigned lanes(unsigned elementBytes) const { return vectorBytes / elementBytes; }
};

/// "host", "x86-64-v2" to "-v4", or "TRIPLE[:CPU[:FEATURES]]"; nullopt for a name that is none of these.
std::optional<Target> parseTarget(llvm::StringRef spec);

/// One target, or several levels of x86-64 separated by commas, lowest first; none with `error` set for a name that is no
/// target, and for targets that cannot share an object.
std::vector<Target> parseTargets(llvm::StringRef specs, std::string &error);

} // namespace lathe::cpu

#endif
