#include "codegen/Kernels/LowerToNests.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/NaNs.h"
#include "lib/Analysis/Signs.h"

using namespace mlir;
using namespace lathe;

/// Marks the exps whose operands are at most 0, and the maxima that may ignore NaN: nests no longer show either.
static void markRows(KernelOp kernel) {
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    if (mayIgnoreNaN(reduce))
      reduce->setAttr(kIgnoresNaNAttr, UnitAttr::get(reduce.getContext()));
  for (auto exp : kernel.getBody().getOps<ExpOp>())
    if (isNonpositive(exp.getOperand()))
      exp->setAttr(kNonpositiveAttr, UnitAttr::get(exp.getContext()));
}

LogicalResult lathe::lowerToNests(KernelOp kernel, llvm::function_ref<bool(Operation *)> keeps) {
  markRows(kernel);
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front().without_terminator())) {
    if (isa<NestOp, ScratchOp>(op) || op.hasTrait<OwnKernelTrait>() || (keeps && keeps(&op)))
      continue;
    OpBuilder builder(&op);
    Value nest;
    for (auto lower : {lowerElementwise, lowerShape, lowerReduction, lowerConvolution, lowerIndexing, lowerWindow})
      if ((nest = lower(&op, builder)))
        break;
    if (!nest)
      return op.emitOpError("has no loop nest");
    op.getResult(0).replaceAllUsesWith(nest);
    op.erase();
  }
  return success();
}
