// The speed that this machine can reach, measured once and kept in a file of the user's cache.
#ifndef LATHE_TOOLS_LATHE_RUN_MACHINELIMITS_H
#define LATHE_TOOLS_LATHE_RUN_MACHINELIMITS_H

#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The limits of a number of threads.
struct MachineLimits {
  int threads = 1;
  double flops32 = 0, flops64 = 0; // per second, of fused multiply-adds in the widest vectors
  /// Bytes per second that are read and written in loops over a working set of so many bytes, by growing size. The last one is
  /// the memory's.
  std::vector<std::pair<int64_t, double>> bandwidth;

  /// Returns the bytes per second that a kernel with so many bytes of inputs and results can reach: those of the smallest
  /// measured working set that holds them.
  double bandwidthFor(double bytes) const;
  /// Returns the least seconds for operations and bytes: whichever takes longer.
  double leastSeconds(double flops, double bytes, bool isDouble) const;
  llvm::json::Object toJson() const;
};

/// Measures the limits of a number of threads, in about a second.
MachineLimits measureLimits(int threads);

/// Selects the limits: those in the file of an earlier measurement, if there is one; those of a new measurement; or the better
/// ones of both, because the earlier measurement was disturbed.
enum class Measure { Once, Again, Better };

/// Returns the limits for a number of threads on a processor of this name. Measures them unless the file has them, and writes
/// the file. If the file cannot be written, the limits are measured next time too.
MachineLimits machineLimits(int threads, Measure measure);

/// Returns the file: lathe/machine.json in $XDG_CACHE_HOME or ~/.cache; empty if neither is known.
std::string machineFile();

#endif
