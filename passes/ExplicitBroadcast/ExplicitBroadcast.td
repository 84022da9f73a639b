// Implicit broadcasts become ops.
include "mlir/Pass/PassBase.td"

def ExplicitBroadcastPass : Pass<"lathe-explicit-broadcast", "::mlir::ModuleOp"> {
  let summary = "Make the broadcasts of elementwise ops explicit";
  let description = [{
    Puts a `lathe.broadcast` in front of each operand of an elementwise op whose shape differs from the result's, so that later
    passes see operands of one shape.

    Requires inferred dimensions.

    Guarantees that the operands of an elementwise op have its result's shape.
  }];
  let statistics = [Statistic<"broadcasts", "broadcasts", "operands that were broadcast">];
}
