// Training steps in two parts, so that several contexts share one step.
include "mlir/Pass/PassBase.td"

def SplitStepsPass : Pass<"lathe-split-steps", "::mlir::ModuleOp"> {
  let summary = "Split training steps for data-parallel use";
  let description = [{
    Cuts a training step at its `lathe.value_and_grad` and adds two functions. FUNCTION_gradients returns the minimised value
    and the gradients over its own examples. FUNCTION_update takes their means over all shards and does the rest of the step.

    Requires inferred dimensions, state as arguments and results, and no call left.

    Guarantees that FUNCTION_update does not depend on the batch dimension. The function itself only gets an attribute that
    names both parts. Refuses a step in which a per-example value is used after the cut.
  }];
  let options = [
    ListOption<"stepOptions", "steps", "std::string", "Functions to split, each FUNCTION:BATCH_DIMENSION">
  ];
  let statistics = [Statistic<"steps", "steps-split", "training steps that were split">];
}
