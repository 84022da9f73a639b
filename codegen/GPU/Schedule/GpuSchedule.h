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

/// Creates `lathe-schedule-gpu` for a target. `overrides` names a file with the user's schedules
/// (codegen/Schedules/Overrides.h), or is empty.
std::unique_ptr<mlir::Pass> createScheduleGpuPass(const gpu::Target &target, const std::string &overrides);

} // namespace lathe

#endif
