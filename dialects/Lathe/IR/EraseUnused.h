// Removal of unused ops for passes that only remove some of them.
#ifndef LATHE_IR_ERASE_UNUSED_H
#define LATHE_IR_ERASE_UNUSED_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace lathe {

/// Erases unused ops that may go, from the last to the first, so that chains of unused ops are erased too. The terminator
/// stays.
inline void eraseUnused(mlir::Block &block, llvm::function_ref<bool(mlir::Operation *)> mayGo) {
  mlir::Operation *before;
  for (mlir::Operation *op = block.getTerminator()->getPrevNode(); op; op = before) {
    before = op->getPrevNode();
    if (op->use_empty() && mayGo(op))
      op->erase();
  }
}

} // namespace lathe

#endif
