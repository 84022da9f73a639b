// Recomputation under a memory budget.
include "mlir/Pass/PassBase.td"

def RecomputePass : Pass<"lathe-recompute", "::mlir::func::FuncOp"> {
  let summary = "Compute values again instead of keeping them, until the workspace fits";
  let description = [{
    Where the largest live set holds a value that is read only later, its kernel may run again directly before that read. The pass
    chooses such kernels one after the other: each lowers the largest live sets most for the time that it adds, by a model of
    the kernels' time. It stops as soon as the plan of the function fits into the budget. The choices do not depend on the budget,
    so that a larger budget never means more of them.

    With a `share` of the function's time, as many of these kernels run again in any case as add at most that much time, if the
    function's sizes are known and its largest live set is larger than `share-above`.

    A kernel that only maps elements runs again for the values that are read, and then makes only the others the first time; any
    other kernel runs again as a whole. Both compute the same bits as before. Branches, reports and external calls never run twice.

    Where another loop over the same steps is the only reader of a stack of a `lathe.scan`, its steps may compute the slices again: from other
    stacks, the carries before the step, and what the first loop reads. It gets copies of the kernels, and everything else keeps its
    order. What the first loop reads in slices may be made again before the second loop, or slice by slice in its steps.

    With `offload`, a value may instead move to the cold workspace, which the budget does not bound: a kernel with `lathe.cold`
    copies it there after its last early read, and another one copies it back before the next read. Both choices are compared by
    their time.

    Requires a body of kernels, as `lathe-fuse` and `lathe-order` make it.

    Guarantees that the function's plan fits into the budget, if there is one, for the given sizes of named dimensions. Refuses a function for which
    it finds no such plan, and names the smallest workspace that it found and the largest values in it.
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", /*default=*/"0", "The largest live set to aim at; 0 for any">,
    Option<"offload", "offload", "bool", /*default=*/"false", "Whether values may move to a cold workspace">,
    Option<"share", "share", "double", /*default=*/"0", "The share of the time that may be added in any case">,
    Option<"shareAbove", "share-above", "int64_t", /*default=*/"0", "The largest live set for which that is not done">
  ];
  let statistics = [Statistic<"recomputed", "recomputed", "kernels that run again">,
                    Statistic<"moved", "moved", "values that move to the cold workspace">];
}
