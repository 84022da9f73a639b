// The checks that `lathec --check` adds to a graph.
include "mlir/Pass/PassBase.td"

def InsertChecksPass : Pass<"lathe-insert-checks", "::mlir::func::FuncOp"> {
  let summary = "Check for NaN, infinities and indices out of bounds";
  let description = [{
    Puts a `lathe.check` behind every op that computes floats, and in front of every op that reads or writes at computed
    indices, in regions too. A check of floats holds if an operand was not finite already.

    Requires expanded derivatives and batches.

    Guarantees that no value changes, and that the first check to fail, in the order of the graph, names the first op at fault.
  }];
  let options = [
    Option<"finite", "finite", "bool", /*default=*/"true", "Check that results are finite if the operands are">,
    Option<"bounds", "bounds", "bool", /*default=*/"true", "Check that indices are in bounds">
  ];
  let statistics = [Statistic<"inserted", "inserted", "checks that were inserted">];
}
