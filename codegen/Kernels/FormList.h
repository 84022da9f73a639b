// The list of a machine's forms. It chooses a form and a schedule for each kernel, and lowers kernels for their form.
#ifndef LATHE_CODEGEN_KERNELS_FORMLIST_H
#define LATHE_CODEGEN_KERNELS_FORMLIST_H

#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Schedules/Form.h"
#include "codegen/Schedules/Panels.h"
#include "dialects/Lathe/IR/SkippedKeys.h"
#include "lib/Analysis/PairProducts.h"
#include "mlir/IR/Diagnostics.h"

namespace lathe {

/// A kernel lowered for the form of its schedule.
template <typename Machine>
struct ScheduledKernel {
  mlir::OwningOpRef<KernelOp> nests;
  ScheduleAttr schedule;
  const MachineForm<Machine> *form;
};

/// The forms of a machine, in order of precedence: the first form that takes a kernel gets it.
template <typename Machine>
class FormList {
public:
  using Target = typename Machine::Target;

  explicit FormList(llvm::ArrayRef<const MachineForm<Machine> *> forms) : forms(forms) {}

  /// Returns the form that a schedule names. Fails with a diagnostic at `place` if the machine has no such form.
  mlir::FailureOr<const MachineForm<Machine> *> named(ScheduleAttr schedule, mlir::Location place) const {
    for (const MachineForm<Machine> *form : forms)
      if (form->name == schedule.getForm())
        return form;
    auto names = llvm::map_range(forms, [](const MachineForm<Machine> *each) { return each->name; });
    return mlir::emitError(place, "kernels for ")
               << Machine::name << " have no form '" << schedule.getForm() << "'; their forms are " << llvm::join(names, ", "),
           mlir::failure();
  }

  /// Lowers a copy of a kernel to nests and the ops that forms compute directly, and chooses its schedule. Fails with a
  /// diagnostic. With `wanted`, chooses the parameters of that form.
  mlir::FailureOr<ScheduleAttr> choose(KernelOp kernel, const Target &target,
                                       const MachineForm<Machine> *wanted = nullptr) const {
    if (wanted && failed(refuseOtherOrder(kernel, *wanted, target)))
      return mlir::failure();
    mlir::OwningOpRef<KernelOp> nests(kernel.clone());
    mlir::FailureOr<const MachineForm<Machine> *> form = wanted;
    if (failed(wanted ? lowerFor(*nests, *wanted, target) : findForm(kernel, *nests, target, form)))
      return mlir::failure();
    mlir::FailureOr<mlir::DictionaryAttr> parameters = (*form)->choose(*nests, target);
    if (failed(parameters))
      return mlir::failure();
    return ScheduleAttr::get(kernel.getContext(), Machine::nameOf(target), (*form)->name, *parameters);
  }

  /// Lowers a copy of the kernel for its schedule's form, and lets the form verify the schedule. Fails with a diagnostic, also
  /// if the kernel has no schedule for the target.
  mlir::FailureOr<ScheduledKernel<Machine>> lower(KernelOp kernel, const Target &target) const {
    ScheduleAttr schedule = scheduleFor(kernel, Machine::nameOf(target));
    if (!schedule)
      return kernel.emitError("has no schedule for '")
                 << Machine::nameOf(target) << "'; " << Machine::schedulePass << " chooses one",
             mlir::failure();
    mlir::FailureOr<const MachineForm<Machine> *> form = named(schedule, kernel.getLoc());
    if (failed(form) || failed(refuseOtherOrder(kernel, **form, target)))
      return mlir::failure();
    ScheduledKernel<Machine> scheduled{mlir::OwningOpRef<KernelOp>(kernel.clone()), schedule, *form};
    if (failed(lowerFor(*scheduled.nests, **form, target)) || failed((*form)->verify(*scheduled.nests, schedule, target)))
      return mlir::failure();
    return scheduled;
  }

  mlir::LogicalResult verify(KernelOp kernel, const Target &target) const { return lower(kernel, target); }

  /// Returns the other schedules that the kernel could have on the target: its form's candidates around the schedule that it
  /// has, and what other forms would choose.
  llvm::SmallVector<ScheduleAttr> candidates(KernelOp kernel, const Target &target) const {
    llvm::SmallVector<ScheduleAttr> valid;
    mlir::ScopedDiagnosticHandler ignoring(kernel.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
    mlir::FailureOr<ScheduledKernel<Machine>> scheduled = lower(kernel, target);
    if (failed(scheduled))
      return valid;
    ScheduleAttr current = scheduled->schedule;
    for (mlir::DictionaryAttr each : scheduled->form->candidates(current)) {
      ScheduleAttr changed = ScheduleAttr::get(kernel.getContext(), current.getTarget(), current.getForm(), each);
      if (succeeded(scheduled->form->verify(*scheduled->nests, changed, target)))
        valid.push_back(changed);
    }
    for (const MachineForm<Machine> *form : forms) {
      mlir::OwningOpRef<KernelOp> nests(kernel.clone());
      if (form == scheduled->form || pairProductOf(kernel) || failed(lowerFor(*nests, *form, target)))
        continue;
      mlir::FailureOr<mlir::DictionaryAttr> chosen = form->choose(*nests, target);
      if (succeeded(chosen))
        valid.push_back(ScheduleAttr::get(kernel.getContext(), current.getTarget(), form->name, *chosen));
    }
    return valid;
  }

  /// Returns what the kernel's schedule for the target means, as one line for --explain; empty if its parameters say it all.
  std::string describe(KernelOp kernel, const Target &target) const {
    mlir::FailureOr<ScheduledKernel<Machine>> scheduled = lower(kernel, target);
    return failed(scheduled) ? "" : scheduled->form->describe(*scheduled->nests, scheduled->schedule);
  }

private:
  /// Lowers a kernel for a form. Fails with a diagnostic if the form has no code for the kernel's ops.
  static mlir::LogicalResult lowerFor(KernelOp nests, const MachineForm<Machine> &form, const Target &target) {
    if (failed(lowerToNests(nests, [&](mlir::Operation *op) { return form.isHero(op); })))
      return mlir::failure();
    mlir::Operation *hero = form.heroOf(nests);
    if (!form.takes(nests, target) || (hero && !form.canCompute(hero, target)))
      return nests.emitError("form '") << form.name << "' has no code for the ops of this kernel", mlir::failure();
    if (nests->hasAttr(kPanelsAttr) && !form.readsPanels())
      return nests.emitError("form '") << form.name << "' cannot read a constant that the object stores in panels",
             mlir::failure();
    if (nests->hasAttr(kSkipsAttr) && !form.skipsKeys())
      return nests.emitError("form '") << form.name << "' computes keys that the kernels beside this one skip", mlir::failure();
    return mlir::success();
  }

  /// Refuses another form than the first one for products of bf16 in pairs, which it alone adds up in their order.
  mlir::LogicalResult refuseOtherOrder(KernelOp kernel, const MachineForm<Machine> &form, const Target &target) const {
    if (!pairProductOf(kernel))
      return mlir::success();
    mlir::OwningOpRef<KernelOp> nests(kernel.clone());
    mlir::FailureOr<const MachineForm<Machine> *> first;
    if (failed(findForm(kernel, *nests, target, first)))
      return mlir::failure();
    if (*first == &form)
      return mlir::success();
    return kernel.emitError("form '") << form.name << "' adds up products of bf16 in another order; expected '"
                                      << (*first)->name << "'",
           mlir::failure();
  }

  /// Lowers a kernel for the first form that takes it.
  mlir::LogicalResult findForm(KernelOp kernel, KernelOp nests, const Target &target,
                               mlir::FailureOr<const MachineForm<Machine> *> &form) const {
    const MachineForm<Machine> *ofHero = nullptr;
    auto keeps = [&](mlir::Operation *op) { // keep the heroes of the first form that has code for one
      for (const MachineForm<Machine> *each : forms)
        if ((!ofHero || ofHero == each) && each->isHero(op) && each->canCompute(op, target))
          return ofHero = each, true;
      return false;
    };
    if (failed(lowerToNests(nests, keeps)))
      return mlir::failure();
    if (ofHero)
      return form = ofHero, mlir::success();
    auto taking = llvm::find_if(forms, [&](const MachineForm<Machine> *each) { return each->takes(nests, target); });
    if (taking == forms.end())
      return kernel.emitError("no form has code for the ops of this kernel"), mlir::failure();
    form = *taking;
    return mlir::success();
  }

  llvm::ArrayRef<const MachineForm<Machine> *> forms;
};

} // namespace lathe

#endif
