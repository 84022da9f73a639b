// Values that depend on constants alone are computed while compiling.
include "mlir/Pass/PassBase.td"

def ConstantFoldPass : Pass<"lathe-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Compute what depends only on constants";
  let description = [{
    Replaces ops whose operands are all constants by their values, which the interpreter computes; layout changes of weights
    above all. An op stays if its value would make the object larger, such as a broadcast, or if it takes long to interpret,
    such as a large contraction.

    Requires inferred dimensions.

    Guarantees that the constants take no more bytes than before.
  }];
  let statistics = [Statistic<"folded", "ops", "ops that were computed while compiling">];
}
