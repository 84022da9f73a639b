// Ops get the forms that have fast kernels.
include "mlir/Pass/PassBase.td"

def LayoutPass : Pass<"lathe-layout", "::mlir::ModuleOp"> {
  let summary = "Rewrite ops into the forms that have fast kernels";
  let description = [{
    - An input gradient of one group becomes the convolution of the cotangent with the flipped and transposed filter.
    - A convolution with one tap, stride 1 and no padding becomes a product, unless it is for a device.
    - A product gets operands whose last dimension the kernel reads contiguously, by transposed copies, unless all is for a
      device; a short last dimension and those before it become one. A product by one column becomes one by a vector.
    - The transpose of a product becomes the product of the factors in the other order, if their columns are contiguous, unless all
      is for a device.
    - Bytes are transposed and reshaped before they are widened to i32. Constant bytes minus a zero point become i8; a product or
      convolution by constants that do not fit is one by i8, plus the sums of the rows or windows times a number for each column.
    - A reduction of what is the same along a dimension that it keeps is made once and broadcast.
    - An extreme of a whole tensor, or another reduction to one number that has no order, is reduced row by row and then over the rows,
      unless all is for a device; so a kernel that computes the rows can do it. A product of integers by one vector becomes a
      reduction.
    - A solve from the right becomes one from the left.
    - The first elements of a sort by a named number become a slice of the order.
    - A scatter of one update a line by constant indices becomes a select, one into zeros a gather; a sum of padded parts
      becomes a concatenation.

    Requires inferred dimensions.

    Guarantees the same sums in the same order for all versions of a function, because it does not look at the sizes that
    specialization chooses.
  }];
  let statistics = [
    Statistic<"rewritten", "input-grads", "input gradients that became convolutions">
  ];
}
