// Layers: dense, attention, pooling.

/// x times a matrix of weights [in, out], plus %bias: [..., in] gives [..., out].
template @linear(%x: float, %weights: float, %bias?: float) {
  %y = lathe.dot_general %x, %weights contract [${rank(%x) - 1}] x [0]
  if bias {
    %y = lathe.add %y, %bias
  }
  return %y
}

/// Scaled dot-product attention (Vaswani et al. 2017): queries [..., S, D], keys [..., T, D] and values [..., T, E] give
/// [..., S, E], softmax(q k^T * scale + bias) v. `scale` is 1 / sqrt(D) where it is not given. %mask, broadcast to [..., S, T],
/// is true where a query sees a key; with `causal` query i sees the keys up to i. A query that sees none gives zeros.
template @attention(%q: float, %k: float, %v: float, %mask?: bool, %bias?: float, scale: real = default, causal: flag) {
  if rank(%q) < 2 {
    fail "operand 0 'q' must be [..., S, D], got rank ${rank(%q)}"
  }
  if rank(%k) != rank(%q) {
    fail "operand 1 'k' has rank ${rank(%k)}, operand 0 'q' ${rank(%q)}"
  }
  if rank(%v) != rank(%q) {
    fail "operand 2 'v' has rank ${rank(%v)}, operand 0 'q' ${rank(%q)}"
  }
  if mask {
    if rank(%mask) > rank(%q) {
      fail "operand 'mask' has rank ${rank(%mask)}; it is broadcast to [..., S, T] of rank ${rank(%q)}"
    }
  }
  if bias {
    if rank(%bias) > rank(%q) {
      fail "operand 'bias' has rank ${rank(%bias)}; it is broadcast to [..., S, T] of rank ${rank(%q)}"
    }
  }
  if scale != default {
    %scale = lathe.constant dense<${scale * 1.0}> : tensor<${element(%q)}>
  } else if is_static(extent(%q, -1)) {
    %scale = lathe.constant dense<${1.0 / sqrt(extent(%q, -1))}> : tensor<${element(%q)}>
  } else {
    %size = lathe.dim_size %q dim ${rank(%q) - 1}
    %length = lathe.convert %size to ${element(%q)}
    %scale = lathe.rsqrt %length
  }
  %products = lathe.dot_general %q, %k contract [${rank(%q) - 1}] x [${rank(%k) - 1}] batch [${range(0, rank(%q) - 2)}] x [${range(0, rank(%q) - 2)}]
  %scores = lathe.mul %products, %scale
  if bias {
    %scores = lathe.add %scores, %bias
  }
  %never = lathe.constant dense<${least(%q)}> : tensor<${element(%q)}>
  if mask {
    %scores = lathe.select %mask, %scores, %never
  }
  if causal {
    %query = lathe.iota dim 0 to [${extent(%q, -2)}, ${extent(%k, -2)}] : i32
    %key = lathe.iota dim 1 to [${extent(%q, -2)}, ${extent(%k, -2)}] : i32
    %past = lathe.compare le %key, %query
    %scores = lathe.select %past, %scores, %never
  }
  %largest = lathe.std.max %scores dims [${rank(%q) - 1}] keep
  %fixed = lathe.stop_gradient %largest
  %zero = lathe.constant dense<0.0> : tensor<${element(%q)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%q)}>
  %blind = lathe.compare eq %fixed, %never
  %offset = lathe.select %blind, %zero, %fixed
  %shifted = lathe.sub %scores, %offset
  %exp = lathe.exp %shifted
  %total = lathe.std.sum %exp dims [${rank(%q) - 1}] keep
  %divisor = lathe.select %blind, %one, %total
  %weights = lathe.div %exp, %divisor
  %y = lathe.dot_general %weights, %v contract [${rank(%q) - 1}] x [${rank(%v) - 2}] batch [${range(0, rank(%q) - 2)}] x [${range(0, rank(%q) - 2)}]
  return %y
}

/// The largest element of each window over the dimensions between the first (batch) and the last (channels). `padding`, on
/// both sides, is never the largest.
template @max_pool(%x: number, window: ints, stride: ints, padding: ints = []) moves {
  if rank(%x) < 3 {
    fail "operand 0 'x' must be [batch, ..., channels], got rank ${rank(%x)}"
  }
  if padding == [] {
    %y = lathe.reduce_window max %x window [1, $window, 1] stride [1, $stride, 1]
  } else {
    %y = lathe.reduce_window max %x window [1, $window, 1] stride [1, $stride, 1] pad [[0, 0], ${pairs(padding)}, [0, 0]]
  }
  return %y
}

/// The mean of each window over the dimensions between the first (batch) and the last (channels); `padding` counts as zeros.
template @average_pool(%x: float, window: ints, stride: ints, padding: ints = []) {
  if rank(%x) < 3 {
    fail "operand 0 'x' must be [batch, ..., channels], got rank ${rank(%x)}"
  }
  if padding == [] {
    %total = lathe.reduce_window sum %x window [1, $window, 1] stride [1, $stride, 1]
  } else {
    %total = lathe.reduce_window sum %x window [1, $window, 1] stride [1, $stride, 1] pad [[0, 0], ${pairs(padding)}, [0, 0]]
  }
  %size = lathe.constant dense<${product(window) * 1.0}> : tensor<${element(%x)}>
  %y = lathe.div %total, %size
  return %y
}
