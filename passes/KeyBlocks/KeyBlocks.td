// Attention over long rows of keys, a block of keys at a time.
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
