// Winograd's minimal filtering for convolutions, under --math=fast.
include "mlir/Pass/PassBase.td"

def WinogradPass : Pass<"lathe-winograd", "::mlir::func::FuncOp"> {
  let summary = "Choose convolutions for Winograd's minimal filtering";
  let description = [{
    A convolution with filters of 3 x 3 taps, without strides, dilation and groups, gets the attribute `lathe.winograd` with the
    outputs of a square a side, 2 or 4, where the kernel then takes clearly fewer operations than the definition. The kernel
    transforms squares of inputs and the filter, multiplies them point by point, and transforms the sums back. The results are
    those of the convolution with a larger rounding error (docs/fast-math.md). So does the gradient of such a filter, for which squares
    of inputs and of cotangents are transformed. The pass runs for CPUs under `--math=fast`.

    Requires inferred dimensions.

    Guarantees the same choice for all versions of a function, because it does not look at the sizes that specialization chooses.
  }];
  let statistics = [Statistic<"chosen", "chosen", "convolutions and gradients that Winograd's filtering computes">];
}
