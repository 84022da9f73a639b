// Measures other schedules for the kernels of a graph: --tune of lathe-run and lathec.
#ifndef LATHE_TOOLS_LATHE_RUN_TUNE_H
#define LATHE_TOOLS_LATHE_RUN_TUNE_H

#include "tools/lathe-run/Runner.h"

using Schedules = std::map<std::string, std::string>; // by kernel

/// The schedules that the tuner found.
struct Tuned {
  Schedules faster;     // than those of the compiler or of `options.compile.scheduleFile`
  std::string comments; // all measurements, as comments of a file of schedules
  std::string table;    // of the kernels that become faster, and of the whole run
};

/// Compiles and times an entry with other schedules for about `options.tuneSeconds`. Fails if a schedule changes a bit of a
/// result.
Expected<Tuned> measureSchedules(const RunOptions &options);

/// Returns the schedules of a file. Leaves mistakes to the compiler, which reads the file first.
Schedules readSchedules(const std::string &path);

/// Returns schedules as lines of such a file.
std::string linesOf(const Schedules &schedules);

/// Writes a file for --schedule. Returns an error, or an empty string.
std::string writeSchedules(const std::string &path, const std::string &comments, const Schedules &schedules);

/// Carries out lathe-run --tune: measures, prints a table of the kernels that become faster, and writes their schedules to
/// `options.tuneFile`.
std::optional<Failure> tune(const RunOptions &options);

#endif
