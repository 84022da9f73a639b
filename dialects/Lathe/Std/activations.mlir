// Activations, one element each. Branches are chosen before a function is applied, not after, so that no derivative multiplies
// an infinity by zero.

/// x where it is above 0, else 0. Its slope at 0 is 0; a NaN stays.
template @relu(%x: float) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %off = lathe.compare le %x, %zero
  %y = lathe.select %off, %zero, %x
  return %y
}

/// relu with at most 6.
template @relu6(%x: float) {
  %positive = lathe.std.relu %x
  %six = lathe.constant dense<6.0> : tensor<${element(%x)}>
  %over = lathe.compare ge %positive, %six
  %y = lathe.select %over, %six, %positive
  return %y
}

/// x above 0, `slope` * x below.
template @leaky_relu(%x: float, slope: real = 0.01) {
  %slope = lathe.constant dense<$slope> : tensor<${element(%x)}>
  %y = lathe.std.prelu %x, %slope
  return %y
}

/// x above 0, %slope * x below; the slopes broadcast against x.
template @prelu(%x: float, %slope: float) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %off = lathe.compare le %x, %zero
  %scaled = lathe.mul %x, %slope
  %y = lathe.select %off, %scaled, %x
  return %y
}

/// x above 0, `alpha` * (exp(x) - 1) below.
template @elu(%x: float, alpha: real = 1.0) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %alpha = lathe.constant dense<$alpha> : tensor<${element(%x)}>
  %on = lathe.compare gt %x, %zero
  %below = lathe.select %on, %zero, %x
  %curve = lathe.expm1 %below
  %scaled = lathe.mul %curve, %alpha
  %y = lathe.select %on, %x, %scaled
  return %y
}

/// x above 0, `alpha` * (exp(x / alpha) - 1) below: smooth for every alpha.
template @celu(%x: float, alpha: real = 1.0) {
  %alpha = lathe.constant dense<$alpha> : tensor<${element(%x)}>
  %scaled = lathe.div %x, %alpha
  %curve = lathe.std.elu %scaled
  %y = lathe.mul %curve, %alpha
  return %y
}

/// The self-normalising elu (Klambauer et al. 2017).
template @selu(%x: float) {
  %curve = lathe.std.elu %x alpha 1.6732632423543772
  %scale = lathe.constant dense<1.0507009873554805> : tensor<${element(%x)}>
  %y = lathe.mul %curve, %scale
  return %y
}

/// x times the normal distribution's probability of less than x; `approximation tanh` is the one of Hendrycks and Gimpel (2016),
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
template @gelu(%x: float, approximation: one_of(none, tanh) = none) {
  %half = lathe.constant dense<0.5> : tensor<${element(%x)}>
  %scaled = lathe.mul %x, %half
  if approximation == none {
    %root = lathe.constant dense<-0.7071067811865476> : tensor<${element(%x)}>
    %z = lathe.mul %x, %root
    %tail = lathe.erfc %z
    %y = lathe.mul %scaled, %tail
    return %y
  } else {
    %cubic = lathe.constant dense<0.044715> : tensor<${element(%x)}>
    %factor = lathe.constant dense<0.7978845608028654> : tensor<${element(%x)}>
    %one = lathe.constant dense<1.0> : tensor<${element(%x)}>
    // Beyond 16 the hyperbolic tangent is 1; the cube could overflow there, to a slope of 0 times infinity.
    %low = lathe.constant dense<-16.0> : tensor<${element(%x)}>
    %high = lathe.constant dense<16.0> : tensor<${element(%x)}>
    %near = lathe.clamp %low, %x, %high
    %square = lathe.mul %near, %near
    %bend = lathe.mul %square, %cubic
    %stretch = lathe.add %bend, %one
    %inner = lathe.mul %near, %stretch
    %z = lathe.mul %inner, %factor
    %tanh = lathe.tanh %z
    %sum = lathe.add %tanh, %one
    %y = lathe.mul %scaled, %sum
    return %y
  }
}

/// x * logistic(x), also called swish.
template @silu(%x: float) {
  %gate = lathe.logistic %x
  %y = lathe.mul %x, %gate
  return %y
}

/// x * tanh(softplus(x)) (Misra 2019).
template @mish(%x: float) {
  %soft = lathe.std.softplus %x
  %gate = lathe.tanh %soft
  %y = lathe.mul %x, %gate
  return %y
}

/// log(1 + exp(x)), without overflow.
template @softplus(%x: float) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %on = lathe.compare gt %x, %zero
  %minus = lathe.neg %x
  %below = lathe.select %on, %minus, %x
  %exp = lathe.exp %below
  %log = lathe.log1p %exp
  %linear = lathe.select %on, %x, %zero
  %y = lathe.add %linear, %log
  return %y
}

/// x / (1 + |x|).
template @softsign(%x: float) {
  %one = lathe.constant dense<1.0> : tensor<${element(%x)}>
  %size = lathe.abs %x
  %divisor = lathe.add %size, %one
  %y = lathe.div %x, %divisor
  return %y
}

/// log(logistic(x)), without underflow.
template @log_sigmoid(%x: float) {
  %minus = lathe.neg %x
  %soft = lathe.std.softplus %minus
  %y = lathe.neg %soft
  return %y
}

/// `slope` * x + `offset`, held between 0 and 1.
template @hard_sigmoid(%x: float, slope: real = 0.16666666666666666, offset: real = 0.5) {
  %slope = lathe.constant dense<$slope> : tensor<${element(%x)}>
  %offset = lathe.constant dense<$offset> : tensor<${element(%x)}>
  %scaled = lathe.mul %x, %slope
  %line = lathe.add %scaled, %offset
  %y = lathe.std.hard_tanh %line low 0.0 high 1.0
  return %y
}

/// x * hard_sigmoid(x) (Howard et al. 2019).
template @hard_swish(%x: float) {
  %gate = lathe.std.hard_sigmoid %x
  %y = lathe.mul %x, %gate
  return %y
}

/// x held between `low` and `high`.
template @hard_tanh(%x: float, low: real = -1.0, high: real = 1.0) {
  %low = lathe.constant dense<$low> : tensor<${element(%x)}>
  %high = lathe.constant dense<$high> : tensor<${element(%x)}>
  %y = lathe.clamp %low, %x, %high
  return %y
}

/// x less its hyperbolic tangent.
template @tanh_shrink(%x: float) {
  %tanh = lathe.tanh %x
  %y = lathe.sub %x, %tanh
  return %y
}

/// x brought nearer to 0 by `threshold`; 0 within it.
template @soft_shrink(%x: float, threshold: real = 0.5) {
  %low = lathe.constant dense<${-threshold}> : tensor<${element(%x)}>
  %high = lathe.constant dense<$threshold> : tensor<${element(%x)}>
  %within = lathe.clamp %low, %x, %high
  %y = lathe.sub %x, %within
  return %y
}

/// x, or 0 within `threshold` of 0.
template @hard_shrink(%x: float, threshold: real = 0.5) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %threshold = lathe.constant dense<$threshold> : tensor<${element(%x)}>
  %size = lathe.abs %x
  %small = lathe.compare le %size, %threshold
  %y = lathe.select %small, %zero, %x
  return %y
}

/// The first half along a dimension times the logistic function of the second (Dauphin et al. 2017).
template @glu(%x: float, dim: dim = -1) {
  %value = lathe.std.part %x dim $dim index 0 of 2
  %gate = lathe.std.part %x dim $dim index 1 of 2
  %open = lathe.logistic %gate
  %y = lathe.mul %value, %open
  return %y
}
