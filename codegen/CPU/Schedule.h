// The schedule stage for CPUs.
#ifndef LATHE_CODEGEN_CPU_SCHEDULE_H
#define LATHE_CODEGEN_CPU_SCHEDULE_H

#include "codegen/Points/VectorTarget.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe::cpu {

/// `lathe-schedule-cpu`. Requires: planned functions (lathe-plan). Guarantees: each kernel that is compiled has a schedule for
/// the target, chosen by the cost models of codegen/CPU, and lathe-verify-schedules-cpu holds. Kernels of equal structure have
/// equal schedules. `overrides` is a file of schedules that users give (codegen/Schedules/Overrides.h), or empty.
std::unique_ptr<mlir::Pass> createSchedulePass(const VectorTarget &target, const std::string &overrides = "");

/// `lathe-verify-schedules-cpu`. Refuses kernels without a schedule for the target, schedules that no code obeys, and those
/// that would change the order of a sum, which depends only on types and positions.
std::unique_ptr<mlir::Pass> createVerifySchedulesPass(const VectorTarget &target);

void registerSchedulePasses();

} // namespace lathe::cpu

#endif
