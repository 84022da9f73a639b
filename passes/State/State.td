// Variables become arguments and results.
include "mlir/Pass/PassBase.td"

def LowerStatePass : Pass<"lathe-lower-state", "::mlir::ModuleOp"> {
  let summary = "Turn variables into arguments and results";
  let description = [{
    A function that reads a variable gets a trailing argument for it, one that writes it a trailing result; both have the
    attribute `lathe.state`. Each `lathe.minimize` becomes a `lathe.value_and_grad` and the optimiser's updates. @init returns
    the initial values, unless the module defines it.

    Requires inferred dimensions. It must run before any pass that may reorder or remove ops, because reads and writes
    are ordered only by their places.

    Guarantees that no read, write or `lathe.minimize` is left. The `lathe.variable` ops stay as declarations. Optimisers leave
    composites, calls and implicit broadcasts behind.
  }];
  let statistics = [Statistic<"steps", "minimize-expanded", "optimiser steps that became ops">];
}
