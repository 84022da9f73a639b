// Normalisations. Means and variances are of the population (no correction); scale and bias may be left out.

/// (x - mean) / sqrt(variance + epsilon) along `dims`, the last by default (Ba et al. 2016); times %scale, plus %bias, which
/// broadcast against x. What rounding takes from the mean is the mean of the differences, which comes off them; it has no slope.
template @layer_norm(%x: float, %scale?: float, %bias?: float, dims: dims = [-1], epsilon: real = 1.0e-5) {
  %mean = lathe.std.mean %x dims [$dims] keep
  %centred = lathe.sub %x, %mean
  %squares = lathe.mul %centred, %centred
  %variance = lathe.std.mean %squares dims [$dims] keep
  %rest = lathe.std.mean %centred dims [$dims] keep
  %fixed = lathe.stop_gradient %rest
  %centred = lathe.sub %centred, %fixed
  %epsilon = lathe.constant dense<$epsilon> : tensor<${element(%x)}>
  %sum = lathe.add %variance, %epsilon
  %factor = lathe.rsqrt %sum
  %y = lathe.mul %centred, %factor
  if scale {
    %y = lathe.mul %y, %scale
  }
  if bias {
    %y = lathe.add %y, %bias
  }
  return %y
}

/// x / sqrt(mean(x^2) + epsilon) along `dims`, the last by default (Zhang and Sennrich 2019); times %scale.
template @rms_norm(%x: float, %scale?: float, dims: dims = [-1], epsilon: real = 1.0e-6) {
  %squares = lathe.mul %x, %x
  %mean = lathe.std.mean %squares dims [$dims] keep
  %epsilon = lathe.constant dense<$epsilon> : tensor<${element(%x)}>
  %sum = lathe.add %mean, %epsilon
  %factor = lathe.rsqrt %sum
  %y = lathe.mul %x, %factor
  if scale {
    %y = lathe.mul %y, %scale
  }
  return %y
}

/// x over its Euclidean length along `dims`, the last by default, or over `epsilon` where that is larger.
template @l2_normalize(%x: float, dims: dims = [-1], epsilon: real = 1.0e-12) {
  %squares = lathe.mul %x, %x
  %total = lathe.std.sum %squares dims [$dims] keep
  %least = lathe.constant dense<${epsilon * epsilon}> : tensor<${element(%x)}>
  %divisor = lathe.max %total, %least
  %factor = lathe.rsqrt %divisor
  %y = lathe.mul %x, %factor
  return %y
}

/// The training form of batch normalisation (Ioffe and Szegedy 2015): x normalised by mean and variance of its channel, which is
/// dimension `dim`; then these two, for running averages. %scale and %bias have one entry a channel.
template @batch_norm(%x: float, %scale?: float, %bias?: float, dim: dim = -1, epsilon: real = 1.0e-5) {
  %kept = lathe.std.mean %x dims [${others(%x, dim)}] keep
  %centred = lathe.sub %x, %kept
  %squares = lathe.mul %centred, %centred
  %spread = lathe.std.mean %squares dims [${others(%x, dim)}] keep
  %epsilon = lathe.constant dense<$epsilon> : tensor<${element(%x)}>
  %sum = lathe.add %spread, %epsilon
  %factor = lathe.rsqrt %sum
  %y = lathe.mul %centred, %factor
  if scale {
    %scale = lathe.reshape %scale to [${kept(%x, others(%x, dim))}]
    %y = lathe.mul %y, %scale
  }
  if bias {
    %bias = lathe.reshape %bias to [${kept(%x, others(%x, dim))}]
    %y = lathe.add %y, %bias
  }
  %mean = lathe.reshape %kept to [${extent(%x, dim)}]
  %variance = lathe.reshape %spread to [${extent(%x, dim)}]
  return %y, %mean, %variance
}

/// Batch normalisation by given means and variances, one a channel: (x - mean) / sqrt(variance + epsilon), times %scale, plus
/// %bias.
template @batch_norm_inference(%x: float, %mean: float, %variance: float, %scale?: float, %bias?: float, dim: dim = -1,
                               epsilon: real = 1.0e-5) {
  %epsilon = lathe.constant dense<$epsilon> : tensor<${element(%x)}>
  %sum = lathe.add %variance, %epsilon
  %factor = lathe.rsqrt %sum
  if scale {
    %factor = lathe.mul %factor, %scale
  }
  %mean = lathe.reshape %mean to [${kept(%x, others(%x, dim))}]
  %factor = lathe.reshape %factor to [${kept(%x, others(%x, dim))}]
  %centred = lathe.sub %x, %mean
  %y = lathe.mul %centred, %factor
  if bias {
    %bias = lathe.reshape %bias to [${kept(%x, others(%x, dim))}]
    %y = lathe.add %y, %bias
  }
  return %y
}

/// Each sample's channels, dimension `dim`, in `groups` equal groups, each normalised by its own mean and variance over all but
/// the first dimension (Wu and He 2018). %scale and %bias have one entry a channel.
template @group_norm(%x: float, %scale?: float, %bias?: float, groups: int, dim: dim = -1, epsilon: real = 1.0e-5) {
  if rank(%x) < 2 {
    fail "operand 0 'x' must have a batch and a channel dimension, got rank ${rank(%x)}"
  }
  if dim == 0 {
    fail "'dim' is 0, which is the batch; expected the channels"
  }
  if groups < 1 {
    fail "'groups' is $groups; expected 1 or more"
  }
  %grouped = lathe.reshape %x to [${replaced(shape(%x), dim, [groups, extent(%x, dim) / groups])}]
  %normal = lathe.std.layer_norm %grouped dims [${others(%grouped, [0, dim])}] epsilon $epsilon
  %y = lathe.reshape %normal to [${shape(%x)}]
  if scale {
    %scale = lathe.reshape %scale to [${kept(%x, others(%x, dim))}]
    %y = lathe.mul %y, %scale
  }
  if bias {
    %bias = lathe.reshape %bias to [${kept(%x, others(%x, dim))}]
    %y = lathe.add %y, %bias
  }
  return %y
}

/// Each channel of each sample normalised by its own mean and variance (Ulyanov et al. 2016); channels are dimension `dim`.
template @instance_norm(%x: float, %scale?: float, %bias?: float, dim: dim = -1, epsilon: real = 1.0e-5) {
  if rank(%x) < 3 {
    fail "operand 0 'x' must have batch, channel and other dimensions, got rank ${rank(%x)}"
  }
  if dim == 0 {
    fail "'dim' is 0, which is the batch; expected the channels"
  }
  %y = lathe.std.layer_norm %x dims [${others(%x, [0, dim])}] epsilon $epsilon
  if scale {
    %scale = lathe.reshape %scale to [${kept(%x, others(%x, dim))}]
    %y = lathe.mul %y, %scale
  }
  if bias {
    %bias = lathe.reshape %bias to [${kept(%x, others(%x, dim))}]
    %y = lathe.add %y, %bias
  }
  return %y
}
