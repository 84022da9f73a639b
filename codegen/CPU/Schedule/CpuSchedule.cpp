#include "codegen/CPU/Schedule/CpuSchedule.h"
#include "codegen/CPU/Forms.h"
#include "codegen/CPU/Target.h"
#include "codegen/Schedules/KernelStructure.h"
#include "codegen/Schedules/Overrides.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/QuotientSums.h"
#include "lib/Support/Explain.h"
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

/// Calls the body for all kernels that are compiled, until one fails.
static LogicalResult forEachKernel(ModuleOp module, function_ref<LogicalResult(KernelOp)> body) {
  KeepQuotients keep; // kernels are handed the sizes that their types have
  WalkResult walked = module.walk([&](KernelOp kernel) {
    bool isCompiled = !externOf(kernel) && !reportOf(kernel);
    return isCompiled && failed(body(kernel)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Returns the target of this name; failure with a diagnostic if there is none.
static FailureOr<VectorTarget> targetOf(const std::string &name, ModuleOp module) {
  if (std::optional<VectorTarget> target = parseTarget(name))
    return *target;
  return module.emitError("there is no target '") << name << "'", failure();
}

namespace {
struct ScheduleCpuPass : lathe::impl::ScheduleCpuPassBase<ScheduleCpuPass> {
  using ScheduleCpuPassBase::ScheduleCpuPassBase;
  ScheduleCpuPass(const VectorTarget &target, const std::string &file) : known(target) { overrides = file; }

  void runOnOperation() final {
    FailureOr<VectorTarget> target = known ? FailureOr<VectorTarget>(*known) : targetOf(targetName, getOperation());
    if (failed(target))
      return signalPassFailure();
    FailureOr<ScheduleOverrides> wanted = ScheduleOverrides::read(overrides, target->name(), &getContext());
    if (failed(wanted))
      return signalPassFailure();
    llvm::StringMap<ScheduleAttr> schedules; // by structure
    LogicalResult done = forEachKernel(getOperation(), [&](KernelOp kernel) {
      nameForProfiles(kernel);
      auto [entry, isNew] = schedules.try_emplace(structureOf(kernel));
      if (isNew) {
        FailureOr<ScheduleAttr> chosen = choose(kernel, *target, *wanted);
        if (failed(chosen))
          return failure();
        entry->second = *chosen;
      }
      setSchedule(kernel, entry->second);
      return success();
    });
    if (failed(done) || failed(wanted->finish()))
      signalPassFailure();
  }

private:
  static FailureOr<ScheduleAttr> choose(KernelOp kernel, const VectorTarget &target, ScheduleOverrides &overrides) {
    std::string name = codeNameOf(kernel);
    const ScheduleOverrides::Entry *wanted = overrides.find(name);
    if (!wanted) {
      FailureOr<ScheduleAttr> chosen = chooseSchedule(kernel, target);
      if (succeeded(chosen))
        explain(kernel.getLoc(), "schedule", "{} for {}: {}", name, target.name(), textOf(*chosen));
      return chosen;
    }
    FailureOr<const Form *> form = formOf(wanted->schedule, wanted->line);
    if (failed(form))
      return failure();
    FailureOr<ScheduleAttr> chosen = chooseSchedule(kernel, target, *form);
    if (failed(chosen))
      return failure();
    ScheduleAttr schedule = withOverrides(*chosen, wanted->schedule);
    setSchedule(kernel, schedule);
    explain(kernel.getLoc(), "schedule", "{} for {}, by the user: {}", name, target.name(), textOf(schedule));
    if (failed(verifySchedule(kernel, target)))
      return failure();
    return schedule;
  }

  std::optional<VectorTarget> known; // else the option names one
};

struct VerifySchedulesCpuPass : lathe::impl::VerifySchedulesCpuPassBase<VerifySchedulesCpuPass> {
  using VerifySchedulesCpuPassBase::VerifySchedulesCpuPassBase;

  void runOnOperation() final {
    FailureOr<VectorTarget> target = targetOf(targetName, getOperation());
    if (failed(target) ||
        failed(forEachKernel(getOperation(), [&](KernelOp kernel) { return verifySchedule(kernel, *target); })))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createScheduleCpuPass(const VectorTarget &target, const std::string &overrides) {
  return std::make_unique<ScheduleCpuPass>(target, overrides);
}
