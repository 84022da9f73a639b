#include "codegen/Kernels/LowerToNests.h"

using namespace mlir;
using namespace lathe;

LogicalResult lathe::lowerToNests(KernelOp kernel, llvm::function_ref<bool(Operation *)> keeps) {
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
