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
  let options = [
    ListOption<"treeSums", "tree-sums", "std::string",
               "Functions whose micro-batches are added as a balanced tree, so that ranks that share them get the same bits">
  ];
  let statistics = [Statistic<"steps", "minimize-expanded", "optimiser steps that became ops">];
}

def DeclareSlotsPass : Pass<"lathe-declare-slots", "::mlir::ModuleOp"> {
  let summary = "Declare the variables that optimisers need";
  let description = [{
    `lathe-run` removes the functions that it does not run. A state file of the graph has the variables of all of them, so this
    pass declares the slots of every `lathe.minimize` before functions are removed, and marks them with `lathe.slot`.

    Requires nothing.

    Guarantees that `lathe-lower-state` uses the declared slots, and removes the marks. So a graph has the same variables
    whichever of its functions stay.
  }];
  let statistics = [Statistic<"declared", "slots-declared", "variables that optimisers need">];
}

def VariableGradientsPass : Pass<"lathe-variable-gradients", "::mlir::ModuleOp"> {
  let summary = "Return gradients by variables from the entries of --grad";
  let description = [{
    `lathec --grad=F:wrt=V` makes an entry of one `lathe.value_and_grad` and marks it with `lathe.variable_gradients` if V is a
    variable. Once variables are arguments of F, the op takes the gradients by them as well, and the entry returns these behind
    its own results.

    Requires `lathe-lower-state`.

    Guarantees that no mark is left. Refuses a function that does not read one of the variables.
  }];
  let statistics = [Statistic<"gradients", "variable-gradients", "gradients by variables">];
}
