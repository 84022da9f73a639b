// Composites become calls of functions of plain ops.
include "mlir/Pass/PassBase.td"

def ExpandStdPass : Pass<"lathe-expand-std", "::mlir::ModuleOp"> {
  let summary = "Replace composites by calls of functions of plain ops";
  let description = [{
    Each use of the composite library, a `lathe.std.NAME`, becomes a call of a private function that the library's template
    makes for its operands and options. The function belongs to this use alone: its ops have the use's location, so that
    later diagnostics name the graph's line. It has the attribute `lathe.composite`.

    Requires nothing.

    Guarantees that no composite is left. Refuses a use whose operands or options do not fit its template.
  }];
  let statistics = [Statistic<"expanded", "expanded", "uses of composites that became calls">];
}
