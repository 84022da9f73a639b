// Ops become kernels.
include "mlir/Pass/PassBase.td"

def FusePass : Pass<"lathe-fuse", "::mlir::func::FuncOp"> {
  let summary = "Group ops into kernels";
  let description = [{
    Grows clusters of ops in program order and makes a `lathe.kernel` of each. Values inside a kernel never reach memory. Ops
    that are cheaper to recompute than to load, such as broadcasts, are copied into the kernels that use them.

    Requires explicit broadcasts, no call, and no state or derivative op left.

    Guarantees that a function's body consists of kernels, constants, reshapes, branches and loops, whose regions do the same.
    A kernel has at most one reduction and results of one shape, or it is a loop over rows (`lathe.rows`) or over items
    (`lathe.items`): many items with few elements each, of which any number of ops is one kernel. A depthwise
    convolution between transposes from and to planes is one kernel with these, and any other convolution of images of known size
    with a transpose of its results to planes (`lib/Analysis/Planes.h`).
  }];
  let options = [
    Option<"fuse", "fuse", "bool", /*default=*/"true", "Make kernels of several ops; without it each op is a kernel">,
    Option<"planes", "planes", "bool", /*default=*/"true",
           "Fuse convolutions with transposes of their results to planes, and depthwise ones with those on both sides; only CPU kernels have code for that">,
    Option<"items", "items", "bool", /*default=*/"true",
           "Make one kernel of ops that move and compute few elements for each of many items; only CPU kernels have code for that">,
    Option<"anyItems", "any-items", "bool", /*default=*/"false",
           "Make kernels over items of any number of items and ops, for tests of their code">
  ];
  let statistics = [Statistic<"kernels", "kernels", "kernels">];
}
