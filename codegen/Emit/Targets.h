// The targets of one object.
#ifndef LATHE_CODEGEN_EMIT_TARGETS_H
#define LATHE_CODEGEN_EMIT_TARGETS_H

#include "codegen/CPU/Target.h"
#include "codegen/GPU/Target.h"

namespace lathe {

/// The requested text of the kernels: none, as loops and vectors, or in MLIR's LLVM dialect.
enum class KernelText { None, Kernels, LLVM };

/// Code for one architecture of GPUs, as PTX, cubin or both.
struct ImagePlan {
  gpu::Target target;
  bool asPtx, asCubin;
};

/// The levels of one kind of CPU, lowest first, and the GPUs.
struct Targets {
  std::vector<VectorTarget> cpus; // never empty: entries are CPU code
  std::vector<gpu::Target> gpus;
  /// True if kernels are compiled for the CPU; false if only GPUs are requested.
  bool hasCpuKernels = true;
  /// Path of the program that makes cubins; empty if code for GPUs is PTX only.
  std::string ptxas = {};

  /// Returns the images of GPU code in an object. PTX for a capability runs on all later ones, but a cubin only on its own. If
  /// the capability has kernels of its own, the cubin therefore uses those.
  std::vector<ImagePlan> images() const;
};

/// Parses "host,cuda:sm_90" and the like. For an unknown name, or targets that cannot share an object, sets `error` and returns
/// no CPUs.
Targets parseTargets(llvm::StringRef specs, std::string &error);

/// Returns the names that --target accepts, one per line.
std::string listTargets();

} // namespace lathe

#endif
