#include "codegen/CPU/Forms.h"
#include "codegen/CPU/ByteProducts/ByteProducts.h"
#include "codegen/CPU/Columns/Columns.h"
#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Items/Items.h"
#include "codegen/CPU/Loops/Loops.h"
#include "codegen/CPU/PairProducts/AmxProducts.h"
#include "codegen/CPU/PairProducts/PairProducts.h"
#include "codegen/CPU/RowPasses/RowPasses.h"
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Strips/Strips.h"
#include "codegen/CPU/Winograd/Winograd.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

FormList<Machine> lathe::cpu::forms() {
  static const SmallVector<const Form *> all = [] {
    SmallVector<const Form *> list{&rowPassesForm(), &itemsForm()};
    llvm::append_range(list, rowForms());
    list.append({&byteProductForm(), &amxProductForm(), &pairProductForm(), &winogradForm(), &winogradGradientForm()});
    llvm::append_range(list, convolutionForms());
    list.append({&stripsForm(), &contractionForm(), &columnsForm(), &loopsForm()});
    return list;
  }();
  return FormList<Machine>(all);
}

FailureOr<KernelCode> lathe::cpu::emitKernel(KernelOp kernel, ModuleOp module, StringRef name, const VectorTarget &target) {
  FailureOr<ScheduledKernel<Machine>> scheduled = forms().lower(kernel, target);
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
