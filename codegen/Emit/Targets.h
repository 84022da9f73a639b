// What one object is made for.
#ifndef LATHE_CODEGEN_EMIT_TARGETS_H
#define LATHE_CODEGEN_EMIT_TARGETS_H

#include "codegen/CPU/Target.h"
#include "codegen/GPU/Target.h"

namespace lathe {

/// Which text of the kernels is wanted: as loops and vectors, or in MLIR's LLVM dialect.
enum class KernelText { None, Kernels, LLVM };

/// Levels of one kind of CPU, lowest first, and GPUs.
struct Targets {
  std::vector<VectorTarget> cpus; // never empty: entries are code of a CPU
  std::vector<gpu::Target> gpus;
  /// Whether kernels are compiled for the CPU: not where only GPUs are asked for.
  bool hasCpuKernels = true;
};

/// How code for GPUs is made.
struct DeviceOptions {
  unsigned optLevel = 2;
  std::string ptxas; // path of the program that makes cubins; empty: PTX alone
};

/// Of "host,cuda:sm_90" and the like; no CPU with `error` set for a name that is no target, and for targets that cannot share
/// an object.
Targets parseTargets(llvm::StringRef specs, std::string &error);

/// Lists what --target takes, a line each.
std::string listTargets();

} // namespace lathe

#endif
