// Calls become the bodies of their callees.
include "mlir/Pass/PassBase.td"

def InlinePass : Pass<"lathe-inline", "::mlir::ModuleOp"> {
  let summary = "Replace calls by the bodies of their callees";
  let description = [{
    Copies each callee in place of its call, callees of callees first. The copied ops keep the callee's locations. A call of a
    function with a derivative rule stays, because differentiation needs the call.

    Requires that each callee has a body of one block.

    Guarantees that only calls of functions with a derivative rule are left, and no private function without a use. Refuses
    recursion.
  }];
  let statistics = [Statistic<"inlined", "calls", "calls that were inlined">];
}
