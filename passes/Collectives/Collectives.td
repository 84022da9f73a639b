// Collectives in the forms that communicators carry out.
include "mlir/Pass/PassBase.td"

def DeclareAxesPass : Pass<"lathe-declare-axes", "::mlir::ModuleOp"> {
  let summary = "Declare the axes of ranks that options name as dimensions";
  let description = [{
    The number of ranks along an axis is a dimension of its name. A graph that gets its collectives from the compiler does not
    declare it.

    Requires nothing.

    Guarantees a `lathe.dim` of at least 1 for each of `axes`.
  }];
  let options = [ListOption<"axisOptions", "axes", "std::string", "Names of axes">];
}

def LowerCollectivesPass : Pass<"lathe-lower-collectives", "::mlir::func::FuncOp"> {
  let summary = "Rewrite collectives to sums, maxima and minima of whole parts";
  let description = [{
    A communicator sends contiguous parts of memory. So an all_gather, a reduce_scatter or an all_to_all along another dimension than
    the first becomes one along the first, between a reshape and a transpose. A mean becomes a sum, divided by the number of
    ranks.

    Requires explicit broadcasts.

    Guarantees that each all_gather and reduce_scatter is along dimension 0, that each all_to_all has `split` 0 and `concat` 0,
    and that no collective is a mean. Refuses collectives in the gradients of a step that several contexts share.
  }];
  let statistics = [Statistic<"moved", "moved", "collectives that are now along the first dimension">];
}

def OverlapPass : Pass<"lathe-overlap", "::mlir::func::FuncOp"> {
  let summary = "Let exchanges with other ranks run while kernels do";
  let description = [{
    A kernel of a collective moves to where its operand is complete, and only starts the exchange there. A kernel of a
    `lathe.collective_wait` before the first use of the result ends it. Updates that read only the result and the state, and on
    which no other exchange depends, move behind the last one. So the reduction of a gradient runs while the gradients of earlier layers are computed.

    Requires kernels, in the order in which they run. Does nothing if another op may fail: the entry would end while an
    exchange uses its workspace.

    Guarantees that all exchanges have ended where the last one was, because variables may be updated from there on.
  }];
  let statistics = [Statistic<"overlapped", "overlapped", "exchanges that run while kernels do">];
}
