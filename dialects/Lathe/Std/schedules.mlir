// Learning rates as functions of the number of steps so far, a rank 0 float: `learning_rate` of an optimiser.

/// `initial` * `factor`^(step / `steps`); with `staircase` only whole powers.
template @exponential_decay(%step: float, initial: real, factor: real, steps: real, staircase: flag) {
  %steps = lathe.constant dense<${steps * 1.0}> : tensor<${element(%step)}>
  %power = lathe.div %step, %steps
  if staircase {
    %power = lathe.floor %power
  }
  %factor = lathe.constant dense<${factor * 1.0}> : tensor<${element(%step)}>
  %share = lathe.pow %factor, %power
  %initial = lathe.constant dense<${initial * 1.0}> : tensor<${element(%step)}>
  %y = lathe.mul %share, %initial
  return %y
}

/// From `initial` to `final` along half a period of a cosine in `steps` steps, then `final` (Loshchilov and Hutter 2017).
template @cosine_decay(%step: float, initial: real, final: real = 0.0, steps: real) {
  %steps = lathe.constant dense<${steps * 1.0}> : tensor<${element(%step)}>
  %pi = lathe.constant dense<3.141592653589793> : tensor<${element(%step)}>
  %half = lathe.constant dense<${(initial - final) * 0.5}> : tensor<${element(%step)}>
  %middle = lathe.constant dense<${(initial + final) * 0.5}> : tensor<${element(%step)}>
  %passed = lathe.min %step, %steps
  %share = lathe.div %passed, %steps
  %angle = lathe.mul %share, %pi
  %cos = lathe.cos %angle
  %swing = lathe.mul %cos, %half
  %y = lathe.add %swing, %middle
  return %y
}

/// From `initial` to `final` along a line in `steps` steps, then `final`. From 0 it is a warm-up.
template @linear_schedule(%step: float, initial: real, final: real, steps: real) {
  %steps = lathe.constant dense<${steps * 1.0}> : tensor<${element(%step)}>
  %initial = lathe.constant dense<${initial * 1.0}> : tensor<${element(%step)}>
  %difference = lathe.constant dense<${(final - initial) * 1.0}> : tensor<${element(%step)}>
  %passed = lathe.min %step, %steps
  %share = lathe.div %passed, %steps
  %change = lathe.mul %share, %difference
  %y = lathe.add %change, %initial
  return %y
}

/// `initial` times step / `warmup` up to that step, then times sqrt(`warmup` / step) (Vaswani et al. 2017). Steps count from 1.
template @inverse_sqrt_schedule(%step: float, initial: real, warmup: real) {
  %warmup = lathe.constant dense<${warmup * 1.0}> : tensor<${element(%step)}>
  %initial = lathe.constant dense<${initial * 1.0}> : tensor<${element(%step)}>
  %share = lathe.div %step, %warmup
  %root = lathe.rsqrt %share
  %factor = lathe.min %share, %root
  %y = lathe.mul %factor, %initial
  return %y
}
