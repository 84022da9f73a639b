// GPU targets of the code generator.
#ifndef LATHE_CODEGEN_GPU_TARGET_H
#define LATHE_CODEGEN_GPU_TARGET_H

#include "codegen/Points/VectorTarget.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lathe::gpu {

inline constexpr unsigned kWarp = 32; // threads of a warp
/// Multiprocessors that tiles and parts of sums should occupy: those of an H100. The number is the same for every GPU, so that
/// a sum has the same parts, and thus the same bits, on each of them.
inline constexpr int64_t kMultiprocessors = 132;
/// Shared memory that each block may declare on any GPU. More must be dynamic.
inline constexpr int64_t kDeclaredSharedBytes = 48 << 10;
/// Shared memory of each block that the driver reserves.
inline constexpr unsigned kReservedSharedBytes = 1024;
// Limits of a kernel's parameter in words: for every driver, and from PTX 8.1 on.
inline constexpr unsigned kUsualWords = 4096 / 8, kMostWords = 32764 / 8;

/// A compute capability.
struct Target {
  unsigned capability = 80; // major * 10 + minor
  bool isExact = false;     // "sm_90a": may use instructions of that architecture only
  bool isFast = false;      // --math=fast: f32 products use one TF32 product, f32 functions are approximations
  bool isWide = false;      // some kernel has a parameter of more than kUsualWords words

  /// Returns the architecture's name, such as "sm_90a".
  std::string name() const { return "sm_" + std::to_string(capability) + (isExact ? "a" : ""); }
  /// True if the target has the instructions of codegen/GPU/Hopper, which exist on sm_90a only.
  bool hasGroupProducts() const { return isExact && capability == 90; }
  /// Returns the bytes of shared memory of one multiprocessor, which its blocks share.
  unsigned sharedBytes() const;
  /// Returns the most bytes of shared memory that each of so many blocks of a multiprocessor can have.
  unsigned sharedBytesOfBlock(unsigned blocks = 1) const { return sharedBytes() / blocks - kReservedSharedBytes; }
  /// Returns the lowest PTX version that supports the architecture and its kernels, as an LLVM feature.
  std::string ptxFeature() const;
  /// Returns the target for evaluating points in one thread: scalar code, with the instructions that every GPU has.
  VectorTarget thread() const;
};

/// Returns the names of all architectures: "cuda:sm_80, cuda:sm_86" and so on.
std::string listTargets();

/// Parses "cuda:sm_80" and the like. Returns nullopt and sets `error` if the capability is not supported.
std::optional<Target> parseTarget(llvm::StringRef spec, std::string &error);

} // namespace lathe::gpu

#endif
