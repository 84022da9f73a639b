// `pad same` of convolutions becomes numbers.
include "mlir/Pass/PassBase.td"

def ResolvePadSamePass : Pass<"lathe-pad-same", "::mlir::ModuleOp"> {
  let summary = "Replace 'pad same' of convolutions by numbers";
  let description = [{
    Writes the padding of a convolution or of one of its gradients as numbers where the sizes are known. Where a named size
    decides the padding, the images get a `lathe.pad` of their own.

    Requires inferred dimensions.

    Guarantees that no op has `pad same`.
  }];
  let statistics = [Statistic<"resolved", "resolved", "ops with `pad same`">];
}
