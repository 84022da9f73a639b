// The profile of an entry: the time of each kernel beside its work and the machine's limit.
#ifndef LATHE_TOOLS_LATHE_RUN_PROFILE_H
#define LATHE_TOOLS_LATHE_RUN_PROFILE_H

#include "tools/lathe-run/KernelTimes.h"
#include "tools/lathe-run/MachineLimits.h"

namespace lathe {
struct KernelCost;
struct DescribedKernel;
struct CompileDescription;
struct DescribedVersion;
} // namespace lathe

/// All calls of one row of an entry's table of kernels.
struct ProfileRow {
  const lathe_kernel_info *kernel;
  int number = -1;                                   // in the version's table; -1 if the version is not known
  const lathe::DescribedKernel *described = nullptr; // null for an object, whose graph is not known
  double seconds = 0;
  int calls = 0;
  double flops = 0, bytes = 0; // of one call; 0 if they are not known
  double least = 0;            // seconds of one call at the machine's limit; 0 if it is not known
  std::string type;            // of the first result
};

struct Profile {
  std::string function, version; // version: "general", "N=32"; empty if it is not known
  lathe::Sizes sizes;
  bool isOnDevice = false;
  std::optional<MachineLimits> limits; // of the threads; none for a GPU
  TimedRun run;
  std::vector<ProfileRow> rows; // in the order of first calls
  llvm::StringRef text;         // of the graph, or empty

  double total() const;
};

/// Runs once to warm up, then up to five times, and prints tables of the fastest run: kernels by time, totals by op and by
/// line. Writes each call with its time to options.profileTrace, in the Trace Event Format, unless that is empty.
std::optional<Failure> profile(Runner &runner, const Tensors &inputs, const RunOptions &options);

/// Returns the tables for a terminal of so many columns.
std::string profileTables(const Profile &profile, unsigned width);

/// Writes the trace. Returns a failure if the file cannot be written.
std::optional<Failure> writeTrace(const std::string &path, const Profile &profile);

#endif
