// Sizes that data decides become bounds, and counts of what is valid.
include "mlir/Pass/PassBase.td"

def BoundDataSizesPass : Pass<"lathe-bound-data-sizes", "::mlir::ModuleOp"> {
  let summary = "Give dimensions that data decides the size of their bound";
  let description = [{
    A dimension that `lathe.set_dim_size` names is stored with the size of the op's operand, which is its bound. Ops that read
    it get a neutral element for what lies past the valid part, and entries return the valid sizes as results of their own.

    Requires inferred dimensions, and no call left.

    Guarantees that no `lathe.set_dim_size` is left and that no valid element depends on one past the valid part. Refuses an
    op for which no neutral element exists.
  }];
  let statistics = [Statistic<"bounded", "bounded", "sizes that data decides">];
}
