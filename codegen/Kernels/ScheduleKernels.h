// The schedule stage, for any kind of machine: each kernel that is compiled gets a schedule.
#ifndef LATHE_CODEGEN_KERNELS_SCHEDULEKERNELS_H
#define LATHE_CODEGEN_KERNELS_SCHEDULEKERNELS_H

#include "codegen/Kernels/FormList.h"
#include "codegen/Schedules/KernelStructure.h"
#include "codegen/Schedules/Overrides.h"
#include "lib/Support/Explain.h"
#include "llvm/ADT/StringSet.h"

namespace lathe {

/// Calls the body for each compiled kernel of a module, until a call fails.
mlir::LogicalResult forEachCompiledKernel(mlir::ModuleOp module, llvm::function_ref<mlir::LogicalResult(KernelOp)> body);

/// Reports what the kernel's schedule means if its parameters do not say it all.
template <typename Machine>
void explainSchedule(KernelOp kernel, const std::string &name, const FormList<Machine> &forms,
                     const typename Machine::Target &target) {
  if (!isExplaining(kernel.getContext()))
    return;
  if (std::string text = forms.describe(kernel, target); !text.empty())
    explain(kernel.getLoc(), "schedule", "{} for {}: {}", name, Machine::nameOf(target), text);
}

/// Chooses a kernel's schedule, or completes the one that the user gives for it.
template <typename Machine>
mlir::FailureOr<ScheduleAttr> chooseOrOverride(KernelOp kernel, const FormList<Machine> &forms,
                                               const typename Machine::Target &target, ScheduleOverrides &overrides) {
  std::string name = codeNameOf(kernel, Machine::kind);
  const ScheduleOverrides::Entry *wanted = overrides.find(name);
  if (!wanted) {
    mlir::FailureOr<ScheduleAttr> chosen = forms.choose(kernel, target);
    if (failed(chosen))
      return mlir::failure();
    explain(kernel.getLoc(), "schedule", "{} for {}: {}", name, Machine::nameOf(target), textOf(*chosen));
    setSchedule(kernel, *chosen);
    explainSchedule(kernel, name, forms, target);
    return chosen;
  }
  auto form = forms.named(wanted->schedule, wanted->line);
  if (failed(form))
    return mlir::failure();
  mlir::FailureOr<ScheduleAttr> chosen = forms.choose(kernel, target, *form);
  if (failed(chosen))
    return mlir::failure();
  ScheduleAttr schedule = withOverrides(*chosen, wanted->schedule);
  setSchedule(kernel, schedule);
  explain(kernel.getLoc(), "schedule", "{} for {}, by the user: {}", name, Machine::nameOf(target), textOf(schedule));
  if (failed(forms.verify(kernel, target)))
    return mlir::failure();
  explainSchedule(kernel, name, forms, target);
  return schedule;
}

/// Gives each kernel a schedule for the target. Kernels of equal structure get equal schedules. `overrides` names a file with
/// the user's schedules (codegen/Schedules/Overrides.h), or is empty.
template <typename Machine>
mlir::LogicalResult scheduleKernels(mlir::ModuleOp module, const FormList<Machine> &forms,
                                    const typename Machine::Target &target, const std::string &overrides) {
  mlir::FailureOr<ScheduleOverrides> wanted = ScheduleOverrides::read(overrides, Machine::nameOf(target), module.getContext());
  if (failed(wanted))
    return mlir::failure();
  llvm::StringMap<ScheduleAttr> schedules; // by kernel structure
  mlir::LogicalResult done = forEachCompiledKernel(module, [&](KernelOp kernel) {
    nameForProfiles(kernel);
    auto [entry, isNew] = schedules.try_emplace(structureOf(kernel, Machine::kind));
    if (isNew) {
      mlir::FailureOr<ScheduleAttr> chosen = chooseOrOverride(kernel, forms, target, *wanted);
      if (failed(chosen))
        return mlir::failure();
      entry->second = *chosen;
    }
    setSchedule(kernel, entry->second);
    return mlir::success();
  });
  return failed(done) ? done : wanted->finish();
}

/// Appends the candidates of each kernel of another structure: what a tuner may try in the place of its schedule for the
/// target.
template <typename Machine>
void listCandidates(mlir::ModuleOp module, const FormList<Machine> &forms, const typename Machine::Target &target,
                    std::vector<KernelCandidates> &list) {
  llvm::StringSet<> known;
  (void)forEachCompiledKernel(module, [&](KernelOp kernel) {
    if (!known.insert(structureOf(kernel, Machine::kind)).second)
      return mlir::success();
    KernelCandidates &entry = list.emplace_back(codeNameOf(kernel, Machine::kind));
    for (ScheduleAttr each : forms.candidates(kernel, target))
      llvm::raw_string_ostream(entry.schedules.emplace_back()) << each;
    return mlir::success();
  });
}

/// Refuses, with a diagnostic, kernels without a schedule for the target, and schedules that no code obeys.
template <typename Machine>
mlir::LogicalResult verifySchedules(mlir::ModuleOp module, const FormList<Machine> &forms,
                                    const typename Machine::Target &target) {
  return forEachCompiledKernel(module, [&](KernelOp kernel) { return forms.verify(kernel, target); });
}

} // namespace lathe

#endif
