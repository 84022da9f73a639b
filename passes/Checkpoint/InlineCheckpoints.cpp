#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Checkpoint/Checkpoint.h"

using namespace mlir;
using namespace lathe;

namespace {
struct InlineCheckpoints : PassWrapper<InlineCheckpoints, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCheckpoints)
  InlineCheckpoints() = default;
  InlineCheckpoints(const InlineCheckpoints &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lathe-inline-checkpoints"; }
  StringRef getDescription() const final {
    return "Puts the ops of each lathe.checkpoint in its place. Requires that nothing after it joins equal ops, which would "
           "keep "
           "what a checkpoint computes again.";
  }

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

  Statistic inlined{this, "checkpoints-inlined", "Checkpoints whose ops stand in their place"};
};
} // namespace

std::unique_ptr<Pass> lathe::createInlineCheckpointsPass() { return std::make_unique<InlineCheckpoints>(); }
void lathe::registerCheckpointPasses() { PassRegistration<InlineCheckpoints>(); }
