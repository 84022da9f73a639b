// The schedule stage for CPUs.
#ifndef LATHE_CODEGEN_CPU_SCHEDULE_CPUSCHEDULE_H
#define LATHE_CODEGEN_CPU_SCHEDULE_CPUSCHEDULE_H

#include "codegen/Points/VectorTarget.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/CPU/Schedule/CpuSchedule.h.inc"

/// `lathe-schedule-cpu` for a target. `overrides` is a file of schedules that users give (codegen/Schedules/Overrides.h), or
/// empty.
std::unique_ptr<mlir::Pass> createScheduleCpuPass(const VectorTarget &target, const std::string &overrides);

} // namespace lathe

#endif
