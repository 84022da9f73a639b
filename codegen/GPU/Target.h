// What a GPU means to the code generator.
#ifndef LATHE_CODEGEN_GPU_TARGET_H
#define LATHE_CODEGEN_GPU_TARGET_H

#include "codegen/Points/VectorTarget.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lathe::gpu {

inline constexpr unsigned kWarp = 32; // threads that run in step
// Words of a kernel's parameter: as many as any driver takes, and as many as there may be from PTX 8.1 on.
inline constexpr unsigned kUsualWords = 4096 / 8, kMostWords = 32764 / 8;

/// A compute capability.
struct Target {
  unsigned capability = 80; // major * 10 + minor
  bool isExact = false;     // "sm_90a": what no other architecture has may be used
  bool isFast = false;      // of --math=fast: products of f32 are products of tf32, functions of it approximations
  bool isWide = false;      // there are kernels of more than kUsualWords

  /// "sm_90a"
  std::string name() const { return "sm_" + std::to_string(capability) + (isExact ? "a" : ""); }
  /// Whether codegen/GPU/Hopper has products for it, which no other architecture runs.
  bool hasGroupProducts() const { return isExact && capability == 90; }
  /// Bytes of shared memory that the blocks on one multiprocessor have together.
  unsigned sharedBytes() const;
  /// The least version of PTX that knows it and its kernels, as LLVM's feature.
  std::string ptxFeature() const;
  /// How one thread of it evaluates points: scalars, with what every GPU has.
  VectorTarget thread() const;
};

/// "cuda:sm_80, cuda:sm_86" and so on: all architectures.
std::string listTargets();

/// "cuda:sm_80" and the like; none with `error` set for a capability that code cannot be made for.
std::optional<Target> parseTarget(llvm::StringRef spec, std::string &error);

} // namespace lathe::gpu

#endif
