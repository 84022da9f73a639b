#include "codegen/CPU/Schedule.h"
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

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// What both passes share: the target, as an option.
template <typename Derived>
struct TargetPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  TargetPass() = default;
  explicit TargetPass(const VectorTarget &target) : target(target) {}
  TargetPass(const TargetPass &other) : PassWrapper<Derived, OperationPass<ModuleOp>>(other), target(other.target) {}

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    if (failed(Pass::initializeOptions(text, report)))
      return failure();
    std::optional<VectorTarget> named = parseTarget(spec);
    if (!named)
      return report("there is no target '" + spec + "'");
    target = *named;
    return success();
  }

  /// Calls the body for all kernels that are compiled, until one fails.
  void forEachKernel(function_ref<LogicalResult(KernelOp)> body) {
    KeepQuotients keep; // kernels are handed the sizes that their types have
    WalkResult walked = this->getOperation().walk([&](KernelOp kernel) {
      bool isCompiled = !externOf(kernel) && !reportOf(kernel);
      return isCompiled && failed(body(kernel)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      this->signalPassFailure();
  }

  VectorTarget target = *parseTarget("host");

private:
  Pass::Option<std::string> spec{*this, "target", llvm::cl::desc("the CPU, as lathec's --target names it"),
                                 llvm::cl::init("host")};
};

struct SchedulePass : TargetPass<SchedulePass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SchedulePass)
  SchedulePass() = default;
  SchedulePass(const SchedulePass &other) : TargetPass(other) {}
  StringRef getArgument() const final { return "lathe-schedule-cpu"; }
  StringRef getDescription() const final {
    return "Chooses how a CPU computes each kernel: the form of its code, tiles, blocks, vectors and pieces of parallel work. "
           "Requires planned functions.";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect>();
  }

  SchedulePass(const VectorTarget &target, const std::string &overrides) : TargetPass(target) { file = overrides; }

  void runOnOperation() final {
    FailureOr<ScheduleOverrides> overrides = ScheduleOverrides::read(file, target.name(), &getContext());
    if (failed(overrides))
      return signalPassFailure();
    llvm::StringMap<ScheduleAttr> known; // by structure
    forEachKernel([&](KernelOp kernel) {
      nameForProfiles(kernel);
      auto [entry, isNew] = known.try_emplace(structureOf(kernel));
      if (isNew) {
        FailureOr<ScheduleAttr> chosen = choose(kernel, *overrides);
        if (failed(chosen))
          return failure();
        entry->second = *chosen;
      }
      setSchedule(kernel, entry->second);
      return success();
    });
    if (failed(overrides->finish()))
      signalPassFailure();
  }

private:
  FailureOr<ScheduleAttr> choose(KernelOp kernel, ScheduleOverrides &overrides) {
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
    setSchedule(kernel, withOverrides(*chosen, wanted->schedule));
    explain(kernel.getLoc(), "schedule", "{} for {}, by the user: {}", name, target.name(),
            textOf(scheduleFor(kernel, target.name())));
    if (failed(verifySchedule(kernel, target)))
      return failure();
    return scheduleFor(kernel, target.name());
  }

  Pass::Option<std::string> file{*this, "overrides", llvm::cl::desc("a file of schedules that users give, by kernel")};
};

struct VerifySchedulesPass : TargetPass<VerifySchedulesPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifySchedulesPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const final { return "lathe-verify-schedules-cpu"; }
  StringRef getDescription() const final {
    return "Refuses schedules that no code of a CPU obeys, and those that would change the order of a sum.";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect>();
  }
  void runOnOperation() final {
    forEachKernel([&](KernelOp kernel) { return verifySchedule(kernel, target); });
  }
};
} // namespace

std::unique_ptr<Pass> lathe::cpu::createSchedulePass(const VectorTarget &target, const std::string &overrides) {
  return std::make_unique<SchedulePass>(target, overrides);
}

std::unique_ptr<Pass> lathe::cpu::createVerifySchedulesPass(const VectorTarget &target) {
  return std::make_unique<VerifySchedulesPass>(target);
}

void lathe::cpu::registerSchedulePasses() {
  PassRegistration<SchedulePass>();
  PassRegistration<VerifySchedulesPass>();
}
