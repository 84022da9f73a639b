// Kernels run together, a strip of rows at a time.
include "mlir/Pass/PassBase.td"

def CutStripsPass : Pass<"lathe-cut-strips", "::mlir::func::FuncOp"> {
  let summary = "Run attention's kernels together, some rows at a time";
  let description = [{
    Looks for a product whose left operand is computed from another product, row by row, as in attention: the scores of a row of
    queries, their softmax, and the mean of the values. The kernels on this path become one kernel with a `lathe.strips`, which
    computes some rows of all of them before the next rows. The matrices of scores and weights are never stored as a whole: their
    memory grows with the length of a row, not with the number of rows, and a strip stays in the cache.

    The kernels themselves do not change, and neither does any result: each row is computed as before. A kernel on the path may
    have more results with one element for each row, which other kernels may read after the strips.
    The last product may have several functions as results.

    Requires a body of kernels, as `lathe-fuse` makes it.

    Guarantees that a matrix is still stored if something else reads it, if it takes less than `least` bytes, if the scratch
    memory of the strips would not be smaller, or if the strips would read more than they save: each of them reads the whole
    right operands of its products, and constant ones are stored in the order in which products of many rows read them.
  }];
  let options = [
    Option<"height", "height", "int64_t", /*default=*/"96", "Rows of a strip; half of it where all rows are few">,
    Option<"least", "least", "int64_t", /*default=*/"131072", "The least bytes of a matrix that is not stored; a matrix of named size is assumed to take more">
  ];
  let statistics = [Statistic<"cut", "cut", "kernels of strips">];
}
