// Optimisers: one step of one parameter. Operands are the parameter, its gradient, the learning rate and, where the rule counts,
// the number of this step, 1 first, both rank 0; then slots, which start at zero. Results are the parameter and the slots anew.
// `lathe.minimize ... with NAME<option = value>` applies them to all parameters of a loss and keeps the slots.

/// p - rate * g, with `weight_decay` * p added to g.
template @sgd(%parameter: float, %gradient: float, %learning_rate: float, weight_decay: real = 0.0) {
  if weight_decay != 0.0 {
    %gradient = lathe.std.decayed %parameter, %gradient weight_decay $weight_decay
  }
  %step = lathe.mul %gradient, %learning_rate
  %y = lathe.sub %parameter, %step
  return %y
}

/// The gradient with `weight_decay` * p added.
template @decayed(%parameter: float, %gradient: float, weight_decay: real) {
  %decay = lathe.constant dense<$weight_decay> : tensor<${element(%parameter)}>
  %pull = lathe.mul %parameter, %decay
  %y = lathe.add %gradient, %pull
  return %y
}

/// v = momentum * v + g, p - rate * v; with `nesterov` p - rate * (g + momentum * v). `weight_decay` * p is added to g.
template @momentum(%parameter: float, %gradient: float, %learning_rate: float, %momentum: float, momentum: real = 0.9,
                   nesterov: flag, weight_decay: real = 0.0) {
  if momentum < 0.0 {
    fail "'momentum' is $momentum; expected 0 or more"
  }
  if momentum >= 1.0 {
    fail "'momentum' is $momentum; expected less than 1"
  }
  if weight_decay != 0.0 {
    %gradient = lathe.std.decayed %parameter, %gradient weight_decay $weight_decay
  }
  %factor = lathe.constant dense<$momentum> : tensor<${element(%parameter)}>
  %kept = lathe.mul %momentum, %factor
  %velocity = lathe.add %kept, %gradient
  if nesterov {
    %ahead = lathe.mul %velocity, %factor
    %direction = lathe.add %gradient, %ahead
    %step = lathe.mul %direction, %learning_rate
  } else {
    %step = lathe.mul %velocity, %learning_rate
  }
  %y = lathe.sub %parameter, %step
  return %y, %velocity
}

/// Adam (Kingma and Ba 2015, algorithm 1): m = beta1 * m + (1 - beta1) * g, v = beta2 * v + (1 - beta2) * g^2 and
/// p - rate * (m / c1) / (sqrt(v / c2) + epsilon) with c = 1 - beta^step. Both corrections are scalars, and sqrt(c2) can leave the
/// root, so that an element costs one root and one division.
template @adam(%parameter: float, %gradient: float, %learning_rate: float, %step: float, %mean: float, %variance: float,
               beta1: real = 0.9, beta2: real = 0.999, epsilon: real = 1.0e-8) {
  if beta1 < 0.0 {
    fail "'beta1' is $beta1; expected 0 or more"
  }
  if beta1 >= 1.0 {
    fail "'beta1' is $beta1; expected less than 1"
  }
  if beta2 < 0.0 {
    fail "'beta2' is $beta2; expected 0 or more"
  }
  if beta2 >= 1.0 {
    fail "'beta2' is $beta2; expected less than 1"
  }
  if beta1 > 0.0 {
    %log1 = lathe.constant dense<${log(beta1)}> : tensor<${element(%step)}>
    %power1 = lathe.mul %step, %log1
    %less1 = lathe.expm1 %power1
    %correction1 = lathe.neg %less1
  } else {
    %correction1 = lathe.constant dense<1.0> : tensor<${element(%step)}>
  }
  if beta2 > 0.0 {
    %log2 = lathe.constant dense<${log(beta2)}> : tensor<${element(%step)}>
    %power2 = lathe.mul %step, %log2
    %less2 = lathe.expm1 %power2
    %correction2 = lathe.neg %less2
  } else {
    %correction2 = lathe.constant dense<1.0> : tensor<${element(%step)}>
  }
  %root2 = lathe.sqrt %correction2
  %rate = lathe.convert %learning_rate to ${element(%step)}
  %scaled = lathe.mul %rate, %root2
  %wide = lathe.div %scaled, %correction1
  %factor = lathe.convert %wide to ${element(%parameter)}
  %small = lathe.constant dense<$epsilon> : tensor<${element(%step)}>
  %shifted = lathe.mul %root2, %small
  %epsilon = lathe.convert %shifted to ${element(%parameter)}
  %beta1 = lathe.constant dense<$beta1> : tensor<${element(%parameter)}>
  %rest1 = lathe.constant dense<${1.0 - beta1}> : tensor<${element(%parameter)}>
  %beta2 = lathe.constant dense<$beta2> : tensor<${element(%parameter)}>
  %rest2 = lathe.constant dense<${1.0 - beta2}> : tensor<${element(%parameter)}>
  %kept1 = lathe.mul %mean, %beta1
  %new1 = lathe.mul %gradient, %rest1
  %mean = lathe.add %kept1, %new1
  %square = lathe.mul %gradient, %gradient
  %kept2 = lathe.mul %variance, %beta2
  %new2 = lathe.mul %square, %rest2
  %variance = lathe.add %kept2, %new2
  %root = lathe.sqrt %variance
  %divisor = lathe.add %root, %epsilon
  %numerator = lathe.mul %mean, %factor
  %change = lathe.div %numerator, %divisor
  %y = lathe.sub %parameter, %change
  return %y, %mean, %variance
}

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019): p shrinks by rate * weight_decay * p before Adam's step.
template @adamw(%parameter: float, %gradient: float, %learning_rate: float, %step: float, %mean: float, %variance: float,
                beta1: real = 0.9, beta2: real = 0.999, epsilon: real = 1.0e-8, weight_decay: real = 0.01) {
  %decay = lathe.constant dense<$weight_decay> : tensor<${element(%learning_rate)}>
  %share = lathe.mul %learning_rate, %decay
  %own = lathe.convert %share to ${element(%parameter)}
  %pull = lathe.mul %parameter, %own
  %shrunk = lathe.sub %parameter, %pull
  %y, %mean, %variance = lathe.std.adam %shrunk, %gradient, %learning_rate, %step, %mean, %variance beta1 $beta1 beta2 $beta2 epsilon $epsilon
  return %y, %mean, %variance
}

/// s = decay * s + (1 - decay) * g^2, p - rate * g / (sqrt(s) + epsilon) (Tieleman and Hinton 2012).
template @rmsprop(%parameter: float, %gradient: float, %learning_rate: float, %mean_square: float, decay: real = 0.9,
                  epsilon: real = 1.0e-8) {
  if decay < 0.0 {
    fail "'decay' is $decay; expected 0 or more"
  }
  if decay >= 1.0 {
    fail "'decay' is $decay; expected less than 1"
  }
  %decay = lathe.constant dense<$decay> : tensor<${element(%parameter)}>
  %rest = lathe.constant dense<${1.0 - decay}> : tensor<${element(%parameter)}>
  %epsilon = lathe.constant dense<$epsilon> : tensor<${element(%parameter)}>
  %square = lathe.mul %gradient, %gradient
  %kept = lathe.mul %mean_square, %decay
  %new = lathe.mul %square, %rest
  %mean_square = lathe.add %kept, %new
  %root = lathe.sqrt %mean_square
  %divisor = lathe.add %root, %epsilon
  %numerator = lathe.mul %gradient, %learning_rate
  %change = lathe.div %numerator, %divisor
  %y = lathe.sub %parameter, %change
  return %y, %mean_square
}

/// s = s + g^2, p - rate * g / (sqrt(s) + epsilon) (Duchi et al. 2011).
template @adagrad(%parameter: float, %gradient: float, %learning_rate: float, %total: float, epsilon: real = 1.0e-10) {
  %epsilon = lathe.constant dense<$epsilon> : tensor<${element(%parameter)}>
  %square = lathe.mul %gradient, %gradient
  %total = lathe.add %total, %square
  %root = lathe.sqrt %total
  %divisor = lathe.add %root, %epsilon
  %numerator = lathe.mul %gradient, %learning_rate
  %change = lathe.div %numerator, %divisor
  %y = lathe.sub %parameter, %change
  return %y, %total
}

/// p - rate * (sign(beta1 * m + (1 - beta1) * g) + weight_decay * p), then m = beta2 * m + (1 - beta2) * g (Chen et al. 2023).
template @lion(%parameter: float, %gradient: float, %learning_rate: float, %mean: float, beta1: real = 0.9, beta2: real = 0.99,
               weight_decay: real = 0.0) {
  if beta1 < 0.0 {
    fail "'beta1' is $beta1; expected 0 or more"
  }
  if beta1 >= 1.0 {
    fail "'beta1' is $beta1; expected less than 1"
  }
  if beta2 < 0.0 {
    fail "'beta2' is $beta2; expected 0 or more"
  }
  if beta2 >= 1.0 {
    fail "'beta2' is $beta2; expected less than 1"
  }
  %beta1 = lathe.constant dense<$beta1> : tensor<${element(%parameter)}>
  %rest1 = lathe.constant dense<${1.0 - beta1}> : tensor<${element(%parameter)}>
  %beta2 = lathe.constant dense<$beta2> : tensor<${element(%parameter)}>
  %rest2 = lathe.constant dense<${1.0 - beta2}> : tensor<${element(%parameter)}>
  %a = lathe.mul %mean, %beta1
  %b = lathe.mul %gradient, %rest1
  %blend = lathe.add %a, %b
  %direction = lathe.sign %blend
  if weight_decay != 0.0 {
    %direction = lathe.std.decayed %parameter, %direction weight_decay $weight_decay
  }
  %change = lathe.mul %direction, %learning_rate
  %y = lathe.sub %parameter, %change
  %c = lathe.mul %mean, %beta2
  %d = lathe.mul %gradient, %rest2
  %mean = lathe.add %c, %d
  return %y, %mean
}

/// A gradient shortened to the Euclidean length `limit` where it is longer.
template @clip_by_norm(%gradient: float, limit: real) {
  %squares = lathe.mul %gradient, %gradient
  %total = lathe.std.sum %squares
  %factor = lathe.std.clip_factor %total limit $limit
  %y = lathe.mul %gradient, %factor
  return %y
}

/// What shortens vectors of this total of squares to the length `limit`: limit / max(limit, sqrt(total)).
template @clip_factor(%total: float, limit: real) {
  if limit <= 0.0 {
    fail "'limit' is $limit; expected more than 0"
  }
  %limit = lathe.constant dense<$limit> : tensor<${element(%total)}>
  %length = lathe.sqrt %total
  %divisor = lathe.max %length, %limit
  %y = lathe.div %limit, %divisor
  return %y
}
