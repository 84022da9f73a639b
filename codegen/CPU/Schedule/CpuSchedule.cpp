#include "codegen/CPU/Schedule/CpuSchedule.h"
#include "codegen/CPU/Forms.h"
#include "codegen/CPU/Target.h"
#include "codegen/Kernels/ScheduleKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lathe {
#define GEN_PASS_DEF_SCHEDULECPUPASS
#define GEN_PASS_DEF_VERIFYSCHEDULESCPUPASS
#include "codegen/CPU/Schedule/CpuSchedule.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Returns the target of this name. Fails with a diagnostic if there is none.
static FailureOr<VectorTarget> targetOf(const std::string &name, ModuleOp module) {
  if (std::optional<VectorTarget> target = parseTarget(name))
    return *target;
  return module.emitError("there is no target '") << name << "'", failure();
}

namespace {
struct ScheduleCpuPass : lathe::impl::ScheduleCpuPassBase<ScheduleCpuPass> {
  using ScheduleCpuPassBase::ScheduleCpuPassBase;
  ScheduleCpuPass(const VectorTarget &target, const std::string &file, std::vector<KernelCandidates> *candidates)
      : known(target), candidates(candidates) {
    overrides = file;
  }

  void runOnOperation() final {
    FailureOr<VectorTarget> target = known ? FailureOr<VectorTarget>(*known) : targetOf(targetName, getOperation());
    if (failed(target))
      return signalPassFailure();
    explain(getOperation().getLoc(), "schedule", "{}: {}", target->name(), target->describe());
    if (failed(scheduleKernels(getOperation(), cpu::forms(), *target, overrides)))
      return signalPassFailure();
    if (candidates)
      listCandidates(getOperation(), cpu::forms(), *target, *candidates);
    if (printsCandidates)
      printCandidates(*target);
  }

private:
  void printCandidates(const VectorTarget &target) {
    std::vector<KernelCandidates> all;
    listCandidates(getOperation(), cpu::forms(), target, all);
    for (const KernelCandidates &kernel : all)
      for (const std::string &schedule : kernel.schedules)
        emitRemark(getOperation().getLoc(), kernel.kernel) << ' ' << schedule;
  }

  std::optional<VectorTarget> known; // if unset, the option names the target
  std::vector<KernelCandidates> *candidates = nullptr;
};

struct VerifySchedulesCpuPass : lathe::impl::VerifySchedulesCpuPassBase<VerifySchedulesCpuPass> {
  using VerifySchedulesCpuPassBase::VerifySchedulesCpuPassBase;

  void runOnOperation() final {
    FailureOr<VectorTarget> target = targetOf(targetName, getOperation());
    if (failed(target) || failed(verifySchedules(getOperation(), cpu::forms(), *target)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createScheduleCpuPass(const VectorTarget &target, const std::string &overrides,
                                                   std::vector<KernelCandidates> *candidates) {
  return std::make_unique<ScheduleCpuPass>(target, overrides, candidates);
}
