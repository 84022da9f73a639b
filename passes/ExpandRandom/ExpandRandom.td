// Distributions become random bits and arithmetic.
include "mlir/Pass/PassBase.td"

def ExpandRandomPass : Pass<"lathe-expand-random", "::mlir::ModuleOp"> {
  let summary = "Replace distributions by random bits and arithmetic";
  let description = [{
    Each random op becomes `lathe.random_bits` and arithmetic that rounds in one way only, so that every target and the
    interpreter make the same numbers from a seed.

    Requires inferred dimensions.

    Guarantees that `lathe.random_bits` is the only random op left. Operands of the new elementwise ops may need broadcasts.
  }];
  let statistics = [Statistic<"expanded", "expanded", "random ops that were replaced">];
}
