// Softmax and its relatives. The largest element is taken off first, so that no exponential overflows; it counts as a constant
// in derivatives, where it cancels.

/// Probabilities along a dimension: exp(x) over the sum of these.
template @softmax(%x: float, dim: dim = -1) {
  %largest = lathe.std.max %x dims [$dim] keep
  %fixed = lathe.stop_gradient %largest
  %shifted = lathe.sub %x, %fixed
  %exp = lathe.exp %shifted
  %total = lathe.std.sum %exp dims [$dim] keep
  %y = lathe.div %exp, %total
  return %y
}

/// The logarithm of softmax: x less the logarithm of the sum of exp(x).
template @log_softmax(%x: float, dim: dim = -1) {
  %largest = lathe.std.max %x dims [$dim] keep
  %fixed = lathe.stop_gradient %largest
  %shifted = lathe.sub %x, %fixed
  %exp = lathe.exp %shifted
  %total = lathe.std.sum %exp dims [$dim] keep
  %log = lathe.log %total
  %y = lathe.sub %shifted, %log
  return %y
}

/// log(sum(exp(x))) along `dims`, all by default: -inf where all elements are, with a slope of 0 there, and inf where one is. With
/// `keep` the dimensions stay, 1 long.
template @logsumexp(%x: float, dims: dims = all, keep: flag) {
  %largest = lathe.std.max %x dims [$dims] keep
  %fixed = lathe.stop_gradient %largest
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %infinite = lathe.is_inf %fixed
  %offset = lathe.select %infinite, %zero, %fixed
  %shifted = lathe.sub %x, %offset
  %exp = lathe.exp %shifted
  %total = lathe.std.sum %exp dims [$dims] keep
  %one = lathe.constant dense<1.0> : tensor<${element(%x)}>
  %none = lathe.compare eq %total, %zero
  %positive = lathe.select %none, %one, %total
  %log = lathe.log %positive
  %sum = lathe.add %log, %offset
  %y = lathe.select %none, %fixed, %sum
  if keep {
    return %y
  } else {
    %flat = lathe.reshape %y to [${without(%x, dims)}]
    return %flat
  }
}
