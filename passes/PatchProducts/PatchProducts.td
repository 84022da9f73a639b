// Convolutions as products of patches of bf16, under --math=fast.
include "mlir/Pass/PassBase.td"

def PatchProductsPass : Pass<"lathe-patch-products", "::mlir::func::FuncOp"> {
  let summary = "Write convolutions as products of patches of bf16";
  let description = [{
    Some CPUs add two products of bf16 to an f32 sum at once, but only products of matrices have such kernels. This pass rounds the
    images of a convolution to bf16. The inputs that each output reads, its patch, are a row of a matrix: slices of the images,
    concatenated. The convolution is then a product of this matrix and the filter, which `lathe-round-products` rounds.
    docs/fast-math.md has the errors. The pass runs under `--math=fast`, for CPUs with these instructions.

    With `in-place`, slices and concatenation have the attribute `lathe.patches`, and belong to the product's kernel, which reads
    the images: the taps of a line are one run of memory. A line with an odd number of factors gets a tap of zeros. Patches of
    dilated lines, and all of them without `in-place`, are copied; these have enough channels that a tap is copied as one run of
    memory, and fit the second-level cache or a little more.

    The filter is a constant with enough filters for the kernels of products, in one group. A convolution that Winograd's filtering
    computes with many squares stays: it takes fewer operations still. With few squares, it waits for its transformed filter, which
    takes eight times the memory of one of bf16.

    Requires inferred dimensions and explicit layouts.

    Guarantees the same choice for all versions of a function, because it does not look at the sizes that specialization chooses.
  }];
  let dependentDialects = ["::lathe::LatheDialect"];
  let options = [Option<"inPlace", "in-place", "bool", /*default=*/"true",
                        "Mark patches for products that read the images; the tile registers of AMX cannot">];
  let statistics = [Statistic<"written", "written", "convolutions that became products">];
}
