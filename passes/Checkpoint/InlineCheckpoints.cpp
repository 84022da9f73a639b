#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Checkpoint/Checkpoint.h"

namespace lathe {
#define GEN_PASS_DEF_INLINECHECKPOINTSPASS
#include "passes/Checkpoint/Checkpoint.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct InlineCheckpoints : lathe::impl::InlineCheckpointsPassBase<InlineCheckpoints> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](CheckpointOp op) { // inner ones first
      Block &body = op.getBody().front();
      Operation *end = body.getTerminator();
      rewriter.inlineBlockBefore(&body, op, op.getConsts());
      rewriter.replaceOp(op, end->getOperands());
      rewriter.eraseOp(end);
      ++inlined;
    });
  }
};
} // namespace
