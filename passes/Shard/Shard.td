// Training steps whose batch several contexts or ranks divide.
include "mlir/Pass/PassBase.td"

def SplitStepsPass : Pass<"lathe-split-steps", "::mlir::ModuleOp"> {
  let summary = "Split training steps for data-parallel use";
  let description = [{
    Cuts a training step at its `lathe.value_and_grad`, or behind the means over its micro-batches, and adds two functions. FUNCTION_gradients returns the minimised value
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

def AverageGradientsPass : Pass<"lathe-average-gradients", "::mlir::ModuleOp"> {
  let summary = "Average the gradients of a step over the ranks of an axis";
  let description = [{
    Each rank calls the step with its own examples. The float results of each `lathe.value_and_grad`, or of the loop around it, that
    do not have the batch as a dimension become means over the ranks: the loss, its other values and the gradients. So all ranks
    update their variables with the same values.

    Requires inferred dimensions, and state as arguments and results.

    Guarantees that no variable gets a value that depends on a rank's own examples, or refuses the step with the place where it
    does.
  }];
  let options = [
    ListOption<"stepOptions", "steps", "std::string", "Functions to divide, each FUNCTION:BATCH_DIMENSION@AXIS, or FUNCTION@AXIS">
  ];
  let statistics = [Statistic<"steps", "steps-divided", "training steps whose gradients are averaged">];
}

def ShardStatePass : Pass<"lathe-shard-state", "::mlir::ModuleOp"> {
  let summary = "Divide variables of optimisers among the ranks of an axis";
  let description = [{
    Each rank keeps an equal part of the elements of each slot of an optimiser, in row-major order and padded with zeros, and updates
    only that part of the parameters. A mean of gradients becomes a `lathe.reduce_scatter`, and the new parameters a
    `lathe.all_gather` (Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"). With
    `parameters` they are divided too, and gathered where they are read. The values are those of undivided variables, bit for bit.

    Requires state as arguments and results, explicit broadcasts, and no derivative or call left.

    Guarantees that each divided variable has the attributes `lathe.whole` and `lathe.flat_axis`. Variables that other ops than
    updates read, and those of fewer elements than ranks, stay whole.
  }];
  let options = [
    Option<"axisOption", "axis", "std::string", /*default=*/"", "The axis and the number of its ranks, NAME=RANKS">,
    Option<"parameters", "parameters", "bool", /*default=*/"false", "Divide all float variables, not only slots">
  ];
  let statistics = [Statistic<"variables", "variables-divided", "variables of which each rank has a part">];
}
