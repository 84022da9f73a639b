// Tensor parallelism: variables whose dimensions the ranks of an axis divide.
include "mlir/Pass/PassBase.td"

def PartitionPass : Pass<"lathe-partition", "::mlir::ModuleOp"> {
  let summary = "Divide variables and what is computed with them among ranks";
  let description = [{
    `lathe.shard = ["", "model"]` on a variable, or `shards`, divides dimensions of it among the ranks of axes. Each op then computes
    a block of its result where its operands are blocks (Xu et al. 2021, "GSPMD: General and Scalable Parallelization for ML
    Computation Graphs"). Where both contracted dimensions of a product are divided, the results of the ranks are added up by a
    `lathe.all_reduce`; an op that cannot be computed in blocks gets a `lathe.all_gather` of its operands. A variable without
    annotation is divided if the value that it gets is: the slots of an optimiser, for instance. `lathe.shard` on an argument or a
    result of an entry says that each rank passes its block; other arguments and results are whole and the same on all ranks of an
    axis. Values are those of one rank, up to the rounding of sums that are divided.

    Requires state as arguments and results, explicit broadcasts, and no derivative or call left.

    Guarantees that each divided variable has the attributes `lathe.whole` and `lathe.splits`. Refuses splits of dimensions that are
    named, or that the size of the axis does not divide, and collectives of the graph over an axis that divides variables.
  }];
  let options = [
    ListOption<"shardOptions", "shards", "std::string", "Splits of variables, each PATTERN:DIM@AXIS">,
    ListOption<"axisOptions", "axes", "std::string", "The number of ranks along each axis, AXIS=RANKS">
  ];
  let statistics = [Statistic<"variables", "variables-divided", "variables of which each rank has a block">];
}
