// Matrix products of operands that are rounded to bf16, under --math=fast.
include "mlir/Pass/PassBase.td"

def RoundProductsPass : Pass<"lathe-round-products", "::mlir::func::FuncOp"> {
  let summary = "Round the operands of matrix products to bf16";
  let description = [{
    Some CPUs add two products of bf16 to an f32 sum at once. This pass rounds the operands of matrix products of f32 to bf16, and
    gives the products the attribute `lathe.bf16_pairs`. A constant operand takes half of the memory once it is folded. Another one
    is stored as bf16 by the kernel that computes it, once for all products that read it. Operands that are widened bf16 are
    not rounded again. docs/fast-math.md has the errors. The pass runs under `--math=fast`, for CPUs with these instructions.

    A product has contiguous rows and a matrix of known size as its right operand, without batches. If that matrix is not a
    constant, it has many rows, so that rounding the matrix takes a small part of the time. In a loop or a branch the matrix is a
    constant, which is rounded outside. A constant whose rows are summed is turned first. A product of widened f16 stays as it is.

    The images of a depthwise convolution that follows such a product, through elementwise ops only, are rounded as well, and the
    convolution gets the attribute `lathe.bf16_images`: the images take half the memory between the two kernels.

    Requires inferred dimensions and explicit layouts.

    Guarantees the same choice for all versions of a function, because it does not look at the sizes that specialization chooses.
  }];
  let statistics = [Statistic<"rounded", "rounded", "products of rounded operands">,
                    Statistic<"images", "images", "convolutions of rounded images">];
}
