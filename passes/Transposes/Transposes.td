// Transposes that meet and cancel.
include "mlir/Pass/PassBase.td"

def SinkTransposesPass : Pass<"lathe-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Move transposes towards results until they cancel";
  let description = [{
    Moves a transpose behind an elementwise op, reduction, window reduction, concatenation or pad, which then works in the
    other order of dimensions. It moves behind a gather, too, if the slices are contiguous without it: it keeps the last
    dimension, or all that follows the axis follows it in the operand, as if channels become last. If it keeps the last
    dimension, it also moves behind a product that reads each element at most eight times. In a model with channels first, the transpose that leaves this order after one convolution meets
    the one that enters it before the next, and both disappear.

    Requires inferred dimensions and explicit broadcasts.

    Guarantees the same elements. Sums add up in the order in which their operand is in memory.
  }];
  let statistics = [Statistic<"sunk", "sunk", "ops that a transpose moved past">];
}
