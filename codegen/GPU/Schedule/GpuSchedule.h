// The schedule stage for GPUs.
#ifndef LATHE_CODEGEN_GPU_SCHEDULE_GPUSCHEDULE_H
#define LATHE_CODEGEN_GPU_SCHEDULE_GPUSCHEDULE_H

#include "codegen/GPU/Target.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/GPU/Schedule/GpuSchedule.h.inc"

/// `lathe-schedule-gpu` for a target. `overrides` is a file of schedules that users give (codegen/Schedules/Overrides.h), or
/// empty.
std::unique_ptr<mlir::Pass> createScheduleGpuPass(const gpu::Target &target, const std::string &overrides);

} // namespace lathe

#endif
