// Attention over long rows of keys, a block of keys at a time; its derivatives, a block of queries at a time.
include "mlir/Pass/PassBase.td"

def BlockKeysPass : Pass<"lathe-block-keys", "::mlir::func::FuncOp"> {
  let summary = "Compute attention over long rows of keys in blocks of keys";
  let description = [{
    A softmax of scores over many keys, times values, becomes a `lathe.scan` over blocks of `block` keys. The loop carries the
    largest score of each row so far, the sum of its exponentials relative to that score, and the sum of the values with these
    weights. Where a block has a larger score, both sums are multiplied by the exponential of the difference (Milakov and
    Gimelshein 2018). The keys that fill no block follow the loop. So a strip of rows (`lathe-cut-strips`) holds the scores of one
    block only, which stay in the cache for any number of keys.

    A row without keys, whose scores all are -inf, has the results of the ops that were there: NaN, or zeros where the graph asks
    for them. NaN and infinite scores give a NaN, too. The exponentials are divided by a power of two that is at least the number
    of keys, so that the sums do not overflow before the last quotient.

    Requires explicit broadcasts, and scans along the first dimension.

    Guarantees the same choice for all versions of a function, because it needs a known number of keys, `least` or more, and does
    not look at the sizes that specialization chooses. Something else that reads the weights or the exponentials keeps the ops as
    they are.
  }];
  let options = [
    Option<"block", "block", "int64_t", /*default=*/"512", "Keys of a block">,
    Option<"least", "least", "int64_t", /*default=*/"4096", "The least number of keys that blocks divide">,
    Option<"rows", "rows", "int64_t", /*default=*/"768", "The least number of rows; named ones are assumed to be more">
  ];
  let statistics = [Statistic<"blocked", "blocked", "products of a softmax that became loops over blocks of keys">];
}

def BlockRowsPass : Pass<"lathe-block-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute derivatives of attention in blocks of queries and keys";
  let description = [{
    A reverse derivative of attention reads the weights of all queries, and computes their cotangents: matrices with an element
    for each query and key. Here a `lathe.scan` over blocks of queries computes the weights of a block again, from the
    queries, the keys, and the sums of the softmax, which have one element for each query; then their cotangents, and the
    block's part of the gradients. The gradients of keys and values are sums, which the loop carries. Outer loops run over the
    batch, the heads, and blocks of keys, which add up the gradient of the queries. So the memory grows with the number of keys,
    not with its product with the number of queries, and a block's matrices stay in the caches.

    Blocks of keys need elements that do not depend on others of their row. The pass therefore first computes the sums along rows
    that the derivative of a softmax needs from the attention's result and its cotangents. Where other sums along rows are left, a
    block has all keys, and `rows` queries instead of `tall`.

    The pass does not know what a softmax is. It looks for products that add up the rows of a matrix, and for what computes this matrix
    row by row from other matrices, back to products of thin ones. All products of these matrices and thin ones are computed in the
    loop, except those that its inputs depend on: the result of the attention itself. Values with one element for each row that
    other ops compute anyway are inputs.

    Requires inferred dimensions and explicit broadcasts.

    Guarantees the same choice for all versions of a function, because it needs known extents. The matrices stay as they are if they
    take less than `least` bytes, if the loop's inputs take more than a quarter of a matrix, if more than a third of its products
    would be computed a second time, or if something else reads the cotangents, such as the gradient of a bias.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"64", "Queries of a block of all keys">,
    Option<"tall", "tall", "int64_t", /*default=*/"256", "Queries of a block of some keys">,
    Option<"columns", "columns", "int64_t", /*default=*/"256", "Keys of such a block">,
    Option<"least", "least", "int64_t", /*default=*/"33554432", "The least bytes of a matrix that is not stored">
  ];
  let statistics = [Statistic<"blocked", "blocked", "loops over blocks of rows">];
}
