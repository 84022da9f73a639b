// Scans go along the first dimension.
include "mlir/Pass/PassBase.td"

def ScanFirstDimPass : Pass<"lathe-scan-first-dim", "::mlir::ModuleOp"> {
  let summary = "Make scans go along the first dimension";
  let description = [{
    Transposes the sequences that a `lathe.scan` goes over and the stacks that it collects, so that each step's slice is
    contiguous.

    Requires inferred dimensions.

    Guarantees that the `dim` of every `lathe.scan` is 0.
  }];
  let statistics = [Statistic<"scans", "scans", "scans that went along another dimension">];
}
