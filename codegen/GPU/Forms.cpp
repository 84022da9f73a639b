#include "codegen/GPU/Forms.h"
#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Loops/Loops.h"
#include "codegen/GPU/Predication.h"
#include "codegen/GPU/RowPasses/RowPasses.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

FormList<Machine> lathe::gpu::forms() {
  static const SmallVector<const Form *> all = [] {
    SmallVector<const Form *> list{&rowPassesForm()};
    llvm::append_range(list, rowForms());
    list.append({&warpGroupsForm(), &tensorCoresForm(), &transposedTilesForm(), &loopsForm()});
    return list;
  }();
  return FormList<Machine>(all);
}

void lathe::gpu::markForDevice(KernelOp kernel) {
  if (kernel->hasAttr(kBuffersAttr)) { // else nothing is planned yet
    markUnaligned(kernel);
    markInPlace(kernel);
  }
  if (unsigned depth = predicateDepth(kernel))
    kernel->setAttr(kPredicatesAttr, Builder(kernel.getContext()).getI64IntegerAttr(depth));
}

FailureOr<KernelCode> lathe::gpu::emitKernel(KernelOp kernel, ModuleOp module, StringRef name, const Target &target) {
  FailureOr<ScheduledKernel<Machine>> scheduled = forms().lower(kernel, target);
  if (failed(scheduled))
    return failure();
  return scheduled->form->emit(*scheduled->nests, scheduled->schedule, {module, name, target});
}
