// The schedule stage for CPUs.
#ifndef LATHE_CODEGEN_CPU_SCHEDULE_CPUSCHEDULE_H
#define LATHE_CODEGEN_CPU_SCHEDULE_CPUSCHEDULE_H

#include "codegen/Points/VectorTarget.h"
#include "codegen/Schedules/Candidates.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <vector>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/CPU/Schedule/CpuSchedule.h.inc"

/// Creates `lathe-pack-weights` for the targets of an object.
std::unique_ptr<mlir::Pass> createPackWeightsPass(const std::vector<VectorTarget> &targets);

/// Creates `lathe-schedule-cpu` for a target. `overrides` names a file with the user's schedules
/// (codegen/Schedules/Overrides.h), or is empty. Appends what a tuner may try instead to `candidates`, unless that is null.
std::unique_ptr<mlir::Pass> createScheduleCpuPass(const VectorTarget &target, const std::string &overrides,
                                                  std::vector<KernelCandidates> *candidates = nullptr);

} // namespace lathe

#endif
