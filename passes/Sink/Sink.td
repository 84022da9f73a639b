// Products that the steps of a loop add up become one product after it.
include "mlir/Pass/PassBase.td"

def SinkProductsPass : Pass<"lathe-sink-products", "::mlir::func::FuncOp"> {
  let summary = "Move sums of products out of loops, as one product";
  let description = [{
    Where a `lathe.scan` only adds a product of each step to a carry, as a reverse derivative does for weights that all steps
    share, the loop collects the operands instead and one `lathe.dot_general` contracts the steps as well. The sum is then not
    read and written in each step, and products of few rows become one of many.

    Operands that are slices of the scan's sequences are not collected again. Others are collected only if a step writes no
    more of them than the sum is large, and at most eight times what is stored already. Loops of loops stay as they are.

    Requires inferred dimensions, and scans along the first dimension.

    Guarantees that the loop's memory grows by no more than a constant factor. f16 and bf16 values keep their type.
  }];
  let statistics = [Statistic<"sunk", "products-sunk", "carries that became one product after their loop">];
}
