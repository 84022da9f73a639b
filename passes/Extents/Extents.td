// Extents that the sizes of a call must keep from being negative.
include "mlir/Pass/PassBase.td"

def RequireExtentsPass : Pass<"lathe-require-extents", "::mlir::ModuleOp"> {
  let summary = "Collect the conditions that entries check on sizes";
  let description = [{
    Writes the attribute `lathe.requires` of each function: the extents that may be negative within the bounds of its
    dimensions, and the pairs of sizes that an op takes for equal, each with the op that needs it. The entry checks them before
    it writes anything.

    Requires inferred dimensions, and no call or derivative left, so that a public function has all of its ops.

    Guarantees that all other extents are at least 0 for any sizes within the bounds. Refuses a name in the body that no
    argument, result or `lathe.dim` has, and a `lathe.kernel`.
  }];
  let statistics = [Statistic<"noted", "noted", "conditions that entries check">];
}
