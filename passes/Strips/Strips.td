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

    Where a mask turns the scores of hidden keys into -inf, and what follows is a softmax, the kernels of a strip stop at the last
    key that one of its rows sees, as with a causal mask. They read this number at run time. Where a value behind that key is not
    finite, they go on up to this value: its product with a weight of zero is not a number.

    Requires a body of kernels, as `lathe-fuse` makes it.

    Guarantees that a matrix is still stored if something else reads it, if it takes less than `least` bytes, if the scratch
    memory of the strips would not be smaller, or if the strips would read more than they save: each of them reads the whole
    right operands of its products, and constant ones are stored in the order in which products of many rows read them.
  }];
  let options = [
    Option<"height", "height", "int64_t", /*default=*/"96", "Rows of a strip; half of it where all rows are few">,
    Option<"least", "least", "int64_t", /*default=*/"131072", "The least bytes of a matrix that is not stored; a matrix of named size is assumed to take more">
  ];
  let statistics = [Statistic<"cut", "cut", "kernels of strips">,
                    Statistic<"skipping", "skipping", "kernels of strips that skip hidden keys">];
}

def SkipKeysPass : Pass<"lathe-skip-keys", "::mlir::func::FuncOp"> {
  let summary = "Skip the keys that no query of a step sees, in gradients of attention";
  let description = [{
    In a loop over blocks of queries (`lathe-block-rows`), a mask such as that of causal attention hides some keys from all
    queries of a step. Their weights, and the cotangents of their scores, are zeros. The kernels of a step stop at the last key
    that one of its queries sees, which they read at run time: products of scores and their cotangents, sums along the keys, and
    gradients of queries, keys and values.

    Zeros times infinite numbers are not numbers, so that a step computes all keys if one of the loop's inputs is not finite or
    so large that a product may overflow, or if one of its queries sees no key.

    Requires a body of kernels, as `lathe-fuse` makes it.

    Guarantees that results do not change. A step computes all keys if it needs another value than weights and cotangents that
    the mask sets to zero.
  }];
  let statistics = [Statistic<"skipping", "skipping", "loops whose steps skip hidden keys">];
}
