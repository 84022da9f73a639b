// Checkpoints end where fusion begins.
include "mlir/Pass/PassBase.td"

def InlineCheckpointsPass : Pass<"lathe-inline-checkpoints", "::mlir::func::FuncOp"> {
  let summary = "Replace checkpoints by the ops that they hold";
  let description = [{
    A `lathe.checkpoint` keeps recomputed ops apart from the first computation while passes join equal ops. This pass puts its
    ops in its place, inner checkpoints first.

    Requires that no later pass joins equal ops. That would keep the values of the first computation instead of recomputing
    them.

    Guarantees that no `lathe.checkpoint` is left.
  }];
  let statistics = [Statistic<"inlined", "checkpoints-inlined", "checkpoints that were replaced">];
}
