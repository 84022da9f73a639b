// The targets of one object.
#ifndef LATHE_CODEGEN_EMIT_TARGETS_H
#define LATHE_CODEGEN_EMIT_TARGETS_H

#include "codegen/CPU/Target.h"
#include "codegen/GPU/Target.h"

namespace lathe {

/// The requested text of the kernels: none, as loops and vectors, or in MLIR's LLVM dialect.
enum class KernelText { None, Kernels, LLVM };

/// The levels of one kind of CPU, lowest first, and the GPUs.
struct Targets {
  std::vector<VectorTarget> cpus; // never empty: entries are CPU code
  std::vector<gpu::Target> gpus;
  /// True if kernels are compiled for the CPU; false if only GPUs are requested.
  bool hasCpuKernels = true;
};

/// Options for GPU code.
struct DeviceOptions {
  unsigned optLevel = 2;
  std::string ptxas; // path of the program that makes cubins; empty: PTX only
};

/// Parses "host,cuda:sm_90" and the like. For an unknown name, or targets that cannot share an object, sets `error` and returns
/// no CPUs.
Targets parseTargets(llvm::StringRef specs, std::string &error);

/// Returns the names that --target accepts, one per line.
std::string listTargets();

} // namespace lathe

#endif
