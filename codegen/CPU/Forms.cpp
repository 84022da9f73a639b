#include "codegen/CPU/Forms.h"
#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Loops/Loops.h"
#include "codegen/CPU/RowPasses/RowPasses.h"
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/Kernels/LowerToNests.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

Operation *Form::heroOf(KernelOp kernel) const {
  for (Operation &op : kernel.getBody().front())
    if (isHero(&op))
      return &op;
  return nullptr;
}

ArrayRef<const Form *> lathe::cpu::forms() {
  static const SmallVector<const Form *> all = [] {
    SmallVector<const Form *> list{&rowPassesForm()};
    llvm::append_range(list, rowForms());
    llvm::append_range(list, convolutionForms());
    list.append({&contractionForm(), &loopsForm()});
    return list;
  }();
  return all;
}

/// Lowers a kernel to what a form takes; failure with a diagnostic where it has no code for the kernel's ops.
static LogicalResult lowerFor(KernelOp nests, const Form &form, const VectorTarget &target) {
  if (failed(lowerToNests(nests, [&](Operation *op) { return form.isHero(op); })))
    return failure();
  Operation *hero = form.heroOf(nests);
  if (!form.takes(nests) || (hero && !form.canCompute(hero, target)))
    return nests.emitError("form '") << form.name << "' has no code for the ops of this kernel", failure();
  return success();
}

FailureOr<ScheduleAttr> lathe::cpu::chooseSchedule(KernelOp kernel, const VectorTarget &target, const Form *wanted) {
  OwningOpRef<KernelOp> nests(kernel.clone());
  const Form *form = wanted;
  if (wanted) {
    if (failed(lowerFor(*nests, *wanted, target)))
      return failure();
  } else {
    auto keeps = [&](Operation *op) { // for the first form that has code for the hero
      auto found = llvm::find_if(forms(), [&](const Form *each) { return each->isHero(op) && each->canCompute(op, target); });
      if (found == forms().end())
        return false;
      form = *found;
      return true;
    };
    if (failed(lowerToNests(*nests, keeps)))
      return failure();
    auto taking = llvm::find_if(forms(), [&](const Form *each) { return each->takes(*nests); });
    if (!form && taking == forms().end())
      return kernel.emitError("no form has code for the ops of this kernel"), failure();
    form = form ? form : *taking;
  }
  FailureOr<DictionaryAttr> parameters = form->choose(*nests, target);
  if (failed(parameters))
    return failure();
  return ScheduleAttr::get(kernel.getContext(), target.name(), form->name, *parameters);
}

namespace {
/// A kernel lowered for the form of its schedule.
struct ScheduledKernel {
  OwningOpRef<KernelOp> nests;
  ScheduleAttr schedule;
  const Form *form;
};
} // namespace

FailureOr<const Form *> lathe::cpu::formOf(ScheduleAttr schedule, Location place) {
  for (const Form *form : forms())
    if (form->name == schedule.getForm())
      return form;
  auto names = llvm::map_range(forms(), [](const Form *each) { return each->name; });
  return emitError(place, "kernels for a CPU have no form '")
             << schedule.getForm() << "'; their forms are " << llvm::join(names, ", "),
         failure();
}

/// Lowers a copy of the kernel to what its schedule's form takes, and has the form verify the schedule.
static FailureOr<ScheduledKernel> lowerBySchedule(KernelOp kernel, const VectorTarget &target) {
  ScheduleAttr schedule = scheduleFor(kernel, target.name());
  if (!schedule)
    return kernel.emitError("has no schedule for '") << target.name() << "'; lathe-schedule-cpu chooses one", failure();
  FailureOr<const Form *> form = formOf(schedule, kernel.getLoc());
  if (failed(form))
    return failure();
  ScheduledKernel scheduled{OwningOpRef<KernelOp>(kernel.clone()), schedule, *form};
  if (failed(lowerFor(*scheduled.nests, **form, target)) || failed((*form)->verify(*scheduled.nests, schedule, target)))
    return failure();
  return scheduled;
}

LogicalResult lathe::cpu::verifySchedule(KernelOp kernel, const VectorTarget &target) {
  return LogicalResult(lowerBySchedule(kernel, target));
}

FailureOr<KernelCode> lathe::cpu::emitKernel(KernelOp kernel, ModuleOp module, StringRef name, const VectorTarget &target) {
  FailureOr<ScheduledKernel> scheduled = lowerBySchedule(kernel, target);
  if (failed(scheduled))
    return failure();
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, i64});
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), name, type, LLVM::Linkage::Internal);
  return scheduled->form->emit(*scheduled->nests, scheduled->schedule, {function, target, b});
}
