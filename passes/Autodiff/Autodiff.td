// Derivatives and batches become plain ops.
include "mlir/Pass/PassBase.td"

def ExpandDerivativesPass : Pass<"lathe-expand-derivatives", "::mlir::ModuleOp"> {
  let summary = "Expand derivatives and vmap into plain ops";
  let description = [{
    Replaces each `lathe.jvp`, `lathe.vjp`, `lathe.value_and_grad` and `lathe.vmap` by the ops that compute it, innermost
    first. One table gives each op its tangent and, where it is linear, its transpose; forward and reverse mode and all orders
    follow from it.

    Requires lowered state, and dimensions that are static or named.

    Guarantees that no derivative op, no `lathe.vmap` and no derivative rule of a function is left. Refuses an op without a
    rule for what passes through it.
  }];
  let options = [
    Option<"hoists", "hoists", "bool", /*default=*/"true",
           "Hoist loop-invariant ops out of loops">
  ];
  let statistics = [
    Statistic<"expanded", "derivatives-expanded", "derivatives and vmaps that became plain ops">
  ];
}
