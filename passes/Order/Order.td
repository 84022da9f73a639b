// The order in which kernels run.
include "mlir/Pass/PassBase.td"

def OrderPass : Pass<"lathe-order", "::mlir::func::FuncOp"> {
  let summary = "Order kernels so that few bytes are live at once";
  let description = [{
    Searches each block for an order of its kernels, branches and loops with a smaller largest live set, so that the plan's
    workspace is smaller. An update of `lathe.minimize` moves to where its gradient is complete, and a value to where it is used.
    Blocks of fewer than 12 kernels are searched exactly. The kernels do not change, and neither does any result.

    Requires a body of kernels, constants, reshapes, branches and loops, as `lathe-fuse` makes it.

    Guarantees that a block keeps its order unless another one has a smaller largest live set; with named dimensions it must be
    smaller for middle sizes, and no larger for small and for large ones. What may fail, prints and checks keep their order.
    A variable or a loop's carry that can be updated in place still can: what reads its old value, and what may fail before the
    update, stays before it.
  }];
  let options = [
    Option<"effort", "effort", "uint64_t", /*default=*/"1", "How many times as many orders of a long block are tried">
  ];
  let statistics = [Statistic<"ordered", "ordered", "blocks whose order changed">];
}
