#include "codegen/GPU/Schedule/GpuSchedule.h"
#include "codegen/GPU/Forms.h"
#include "codegen/Kernels/ScheduleKernels.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lathe {
#define GEN_PASS_DEF_SCHEDULEGPUPASS
#define GEN_PASS_DEF_VERIFYSCHEDULESGPUPASS
#include "codegen/GPU/Schedule/GpuSchedule.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

/// Returns the target of this name. Fails with a diagnostic if there is none.
static FailureOr<Target> targetOf(const std::string &name, bool isFast, ModuleOp module) {
  std::string error;
  std::optional<Target> target = parseTarget(name, error);
  if (!target)
    return module.emitError(error), failure();
  target->isFast = isFast;
  return *target;
}

namespace {
struct ScheduleGpuPass : lathe::impl::ScheduleGpuPassBase<ScheduleGpuPass> {
  using ScheduleGpuPassBase::ScheduleGpuPassBase;
  ScheduleGpuPass(const Target &target, const std::string &file) : known(target) { overrides = file; }

  void runOnOperation() final {
    FailureOr<Target> target = known ? FailureOr<Target>(*known) : targetOf(targetName, fast, getOperation());
    if (failed(target))
      return signalPassFailure();
    LogicalResult marked = forEachCompiledKernel(getOperation(), [](KernelOp kernel) {
      markForDevice(kernel);
      return success();
    });
    if (failed(marked) || failed(scheduleKernels(getOperation(), lathe::gpu::forms(), *target, overrides)))
      signalPassFailure();
  }

private:
  std::optional<Target> known; // if unset, the option names the target
};

struct VerifySchedulesGpuPass : lathe::impl::VerifySchedulesGpuPassBase<VerifySchedulesGpuPass> {
  using VerifySchedulesGpuPassBase::VerifySchedulesGpuPassBase;

  void runOnOperation() final {
    FailureOr<Target> target = targetOf(targetName, fast, getOperation());
    if (failed(target) || failed(verifySchedules(getOperation(), lathe::gpu::forms(), *target)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createScheduleGpuPass(const gpu::Target &target, const std::string &overrides) {
  return std::make_unique<ScheduleGpuPass>(target, overrides);
}
