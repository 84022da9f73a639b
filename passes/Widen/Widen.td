// Graphs in double precision, for comparing derivatives with differences.
include "mlir/Pass/PassBase.td"

def WidenPass : Pass<"lathe-widen", "::mlir::ModuleOp"> {
  let summary = "Compute everything in f64";
  let description = [{
    Makes every float type of the module f64: values, constants, initialisers and the targets of conversions. Constants keep
    their values, so that a constant which f32 rounded stays rounded.

    Requires that fusion has not run.

    Guarantees that no float type but f64 is left, except at a bitcast or a `lathe.extern`, whose operands are converted.
  }];
  let statistics = [Statistic<"results", "results", "results of ops that became f64">];
}
