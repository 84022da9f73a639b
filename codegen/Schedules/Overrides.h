// Schedules that a user gives by kernel: lathec --schedule=FILE.
#ifndef LATHE_CODEGEN_SCHEDULES_OVERRIDES_H
#define LATHE_CODEGEN_SCHEDULES_OVERRIDES_H

#include "dialects/Lathe/IR/Schedules.h"
#include <map>
#include <set>

namespace lathe {

/// The schedules of a file, each for one kernel on one target. A line is the name of the kernel's code and the schedule as
/// --emit-stage=schedule prints it. Omitted parameters are chosen by the cost model:
///
///     kernel_dot_general_3f5a #lathe.schedule<"x86-64-v4" contraction {rows = 4}>
///
/// Empty lines and lines that begin with // are ignored, and so are schedules for other targets.
class ScheduleOverrides {
public:
  struct Entry {
    ScheduleAttr schedule;
    mlir::Location line;
  };

  /// Reads the entries for one target; fails with diagnostics at the lines of the file. An empty path has no entries.
  static mlir::FailureOr<ScheduleOverrides> read(const std::string &path, llvm::StringRef target, mlir::MLIRContext *context);

  /// Returns the entry for the kernel of this name, or null.
  const Entry *find(const std::string &kernel);
  /// Refuses entries that match no kernel, with a diagnostic at each.
  mlir::LogicalResult finish() const;

private:
  std::map<std::string, Entry> entries; // by kernel
  std::set<std::string> found, asked;
};

/// Returns `chosen` with its parameters replaced by those of `wanted`. Both must have the same form.
ScheduleAttr withOverrides(ScheduleAttr chosen, ScheduleAttr wanted);

} // namespace lathe

#endif
