// Losses. `reduction` tells what is made of the single losses: their mean (of all elements), their sum, or nothing.

/// The mean or the sum of all elements, or all of them as they are.
template @reduced(%each: float, reduction: one_of(mean, sum, none) = mean) {
  if reduction == mean {
    %y = lathe.std.mean %each
  } else if reduction == sum {
    %y = lathe.std.sum %each
  } else {
    %zero = lathe.constant dense<-0.0> : tensor<${element(%each)}>
    %y = lathe.add %each, %zero
  }
  return %y
}

/// -log(softmax(logits)[label]) over the last dimension: logits [..., classes], labels [...]. With `smoothing` s, a share s of
/// the label is spread evenly over all classes (Szegedy et al. 2016). With `ignore_negative` a label below 0 has no loss and
/// does not count in the mean; otherwise a label outside of the classes counts as a logit of 0.
template @cross_entropy(%logits: float, %labels: index, smoothing: real = 0.0, ignore_negative: flag,
                        reduction: one_of(mean, sum, none) = mean) {
  if rank(%logits) < 1 {
    fail "operand 0 'logits' must be [..., classes], got rank 0"
  }
  if rank(%labels) != rank(%logits) - 1 {
    fail "operand 1 'labels' has rank ${rank(%labels)}; expected ${rank(%logits) - 1}, a label for each row of operand 0 'logits'"
  }
  if smoothing < 0.0 {
    fail "'smoothing' is $smoothing; expected 0 or more"
  }
  if smoothing > 1.0 {
    fail "'smoothing' is $smoothing; expected 1 or less"
  }
  %total = lathe.std.logsumexp %logits dims [-1]
  %right = lathe.gather %logits, %labels axis ${rank(%logits) - 1} batch ${rank(%logits) - 1}
  if smoothing != 0.0 {
    %mean = lathe.std.mean %logits dims [-1]
    %own = lathe.constant dense<${1.0 - smoothing}> : tensor<${element(%logits)}>
    %shared = lathe.constant dense<${smoothing * 1.0}> : tensor<${element(%logits)}>
    %kept = lathe.mul %right, %own
    %spread = lathe.mul %mean, %shared
    %right = lathe.add %kept, %spread
  }
  %each = lathe.sub %total, %right
  if not ignore_negative {
    %y = lathe.std.reduced %each reduction $reduction
  } else {
    %none = lathe.constant dense<0> : tensor<${element(%labels)}>
    %zero = lathe.constant dense<0.0> : tensor<${element(%logits)}>
    %ignored = lathe.compare lt %labels, %none
    %each = lathe.select %ignored, %zero, %each
    if reduction == mean {
      %counted = lathe.not %ignored
      %ones = lathe.convert %counted to ${element(%logits)}
      %count = lathe.std.sum %ones
      %sum = lathe.std.sum %each
      %y = lathe.div %sum, %count
    } else {
      %y = lathe.std.reduced %each reduction $reduction
    }
  }
  return %y
}

/// -sum(probabilities * log_softmax(logits)) over the last dimension.
template @soft_cross_entropy(%logits: float, %probabilities: float, reduction: one_of(mean, sum, none) = mean) {
  %log = lathe.std.log_softmax %logits
  %products = lathe.mul %probabilities, %log
  %total = lathe.std.sum %products dims [-1]
  %each = lathe.neg %total
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// (prediction - target)^2.
template @mse(%prediction: float, %target: float, reduction: one_of(mean, sum, none) = mean) {
  %difference = lathe.sub %prediction, %target
  %each = lathe.mul %difference, %difference
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// |prediction - target|. Its slope is 0 where they are equal.
template @mae(%prediction: float, %target: float, reduction: one_of(mean, sum, none) = mean) {
  %difference = lathe.sub %prediction, %target
  %each = lathe.abs %difference
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// d^2 / 2 of differences d up to `delta`, then the line delta * (|d| - delta / 2) (Huber 1964).
template @huber(%prediction: float, %target: float, delta: real = 1.0, reduction: one_of(mean, sum, none) = mean) {
  %delta = lathe.constant dense<$delta> : tensor<${element(%prediction)}>
  %half = lathe.constant dense<0.5> : tensor<${element(%prediction)}>
  %difference = lathe.sub %prediction, %target
  %size = lathe.abs %difference
  %near = lathe.compare le %size, %delta
  %bent = lathe.select %near, %size, %delta
  %halved = lathe.mul %bent, %half
  %arm = lathe.sub %size, %halved
  %each = lathe.mul %bent, %arm
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// -(t log(p) + (1 - t) log(1 - p)) of probabilities; a logarithm below -100 counts as -100, so that no loss is infinite.
template @binary_cross_entropy(%probability: float, %target: float, reduction: one_of(mean, sum, none) = mean) {
  %least = lathe.constant dense<-100.0> : tensor<${element(%probability)}>
  %zero = lathe.constant dense<0.0> : tensor<${element(%probability)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%probability)}>
  %never = lathe.compare eq %probability, %zero
  %above = lathe.select %never, %one, %probability
  %log = lathe.log %above
  %held = lathe.max %log, %least
  %on = lathe.select %never, %least, %held
  %always = lathe.compare eq %probability, %one
  %below = lathe.select %always, %zero, %probability
  %minus = lathe.neg %below
  %rest = lathe.log1p %minus
  %kept = lathe.max %rest, %least
  %off = lathe.select %always, %least, %kept
  %other = lathe.sub %one, %target
  %a = lathe.mul %target, %on
  %b = lathe.mul %other, %off
  %sum = lathe.add %a, %b
  %each = lathe.neg %sum
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// binary_cross_entropy of logistic(logits), without overflow: softplus(x) - x t.
template @binary_cross_entropy_with_logits(%logits: float, %target: float, reduction: one_of(mean, sum, none) = mean) {
  %soft = lathe.std.softplus %logits
  %product = lathe.mul %logits, %target
  %each = lathe.sub %soft, %product
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// max(0, 1 - prediction * target) of targets -1 and 1.
template @hinge(%prediction: float, %target: float, reduction: one_of(mean, sum, none) = mean) {
  %one = lathe.constant dense<1.0> : tensor<${element(%prediction)}>
  %product = lathe.mul %prediction, %target
  %margin = lathe.sub %one, %product
  %each = lathe.std.relu %margin
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// The divergence of Kullback and Leibler, target * (log(target) - log_prediction), of a prediction given by its logarithm; 0
/// where the target is.
template @kl_divergence(%log_prediction: float, %target: float, reduction: one_of(mean, sum, none) = mean) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%target)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%target)}>
  %none = lathe.compare eq %target, %zero
  %safe = lathe.select %none, %one, %target
  %log = lathe.log %safe
  %ratio = lathe.sub %log, %log_prediction
  %product = lathe.mul %target, %ratio
  %each = lathe.select %none, %zero, %product
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}

/// The cosine of the angle between vectors along a dimension; lengths below `epsilon` count as it.
template @cosine_similarity(%a: float, %b: float, dim: dim = -1, epsilon: real = 1.0e-8) {
  %x = lathe.std.l2_normalize %a dims [$dim] epsilon $epsilon
  %z = lathe.std.l2_normalize %b dims [$dim] epsilon $epsilon
  %products = lathe.mul %x, %z
  %y = lathe.std.sum %products dims [$dim]
  return %y
}

/// Connectionist temporal classification (Graves et al. 2006): -log of the probability of a target, summed over all its
/// alignments with the steps. log_probabilities [T, N, C] are log_softmax's; targets [N, L] are classes; `blank` is the class
/// that stands for none. Of row n the first %input_lengths [N] steps and the first %target_lengths [N] targets count, all without
/// them. A target that no alignment fits, for it is too long or has what is no class, has the loss inf and no slope. The mean is
/// that of the rows' losses, which are not divided by lengths.
template @ctc_loss(%log_probabilities: float, %targets: index, %input_lengths?: index, %target_lengths?: index, blank: int = 0,
                   reduction: one_of(mean, sum, none) = mean, checkpoint: checkpoint) {
  if rank(%log_probabilities) != 3 {
    fail "operand 0 'log_probabilities' has rank ${rank(%log_probabilities)}; expected 3, steps, rows and classes"
  }
  if rank(%targets) != 2 {
    fail "operand 1 'targets' has rank ${rank(%targets)}; expected 2, rows and their classes"
  }
  if target_lengths {
    if rank(%target_lengths) != 1 {
      fail "operand 'target_lengths' has rank ${rank(%target_lengths)}; expected 1, a number of classes for each row"
    }
  }
  %zero = lathe.constant dense<0.0> : tensor<${element(%log_probabilities)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%log_probabilities)}>
  %never = lathe.constant dense<${least(%log_probabilities)}> : tensor<${element(%log_probabilities)}>
  // The target with a blank around each class; a step stays, goes on by one, or over a blank between two different classes.
  %blank = lathe.constant dense<$blank> : tensor<${element(%targets)}>
  %labels = lathe.pad %targets, %blank low [0, 1] high [0, 1] interior [0, 1]
  %before = lathe.pad %labels, %blank low [0, 2] high [0, -2]
  %differs = lathe.compare ne %labels, %before
  %spoken = lathe.compare ne %labels, %blank
  %leaps = lathe.and %differs, %spoken
  %nothing = lathe.constant dense<0> : tensor<${element(%targets)}>
  %count = lathe.dim_size %log_probabilities dim 2
  %classes = lathe.convert %count to ${element(%targets)}
  %high = lathe.compare lt %labels, %classes
  %low = lathe.compare ge %labels, %nothing
  %known = lathe.and %low, %high
  %place = lathe.iota dim 0 to [${extent(%targets, 1) * 2 + 1}] : i64
  %start = lathe.constant dense<0> : tensor<i64>
  %starts = lathe.compare eq %place, %start
  %begin = lathe.select %starts, %zero, %never
  %reached = lathe.broadcast %begin dims [1] to [${extent(%targets, 0)}, ${extent(%targets, 1) * 2 + 1}]
  if input_lengths {
    %within = lathe.std.within %log_probabilities, %input_lengths
  }
  // Logarithms of the probabilities of being there, after each step.
  %ends = lathe.scan carry(%there = %reached) over(%said = %log_probabilities${when(input_lengths, ", %runs = %within")}) $checkpoint {
    %spoken_now = lathe.gather %said, %labels axis 1 batch 1
    %emitted = lathe.select %known, %spoken_now, %never
    %next = lathe.pad %there, %never low [0, 1] high [0, -1]
    %over = lathe.pad %there, %never low [0, 2] high [0, -2]
    %leap = lathe.select %leaps, %over, %never
    %most = lathe.max %there, %next
    %largest = lathe.max %most, %leap
    %fixed = lathe.stop_gradient %largest
    %dead = lathe.compare eq %fixed, %never
    %offset = lathe.select %dead, %zero, %fixed
    %a = lathe.sub %there, %offset
    %b = lathe.sub %next, %offset
    %c = lathe.sub %leap, %offset
    %exp_a = lathe.exp %a
    %exp_b = lathe.exp %b
    %exp_c = lathe.exp %c
    %two = lathe.add %exp_a, %exp_b
    %three = lathe.add %two, %exp_c
    %safe = lathe.select %dead, %one, %three
    %log = lathe.log %safe
    %total = lathe.add %log, %offset
    %arrived = lathe.select %dead, %never, %total
    %now = lathe.add %arrived, %emitted
    if input_lengths {
      %now = lathe.select %runs, %now, %there
    }
    lathe.yield carry(%now)
  }
  // At the end there is the last class or the blank behind it.
  %twice = lathe.constant dense<2> : tensor<i64>
  if target_lengths {
    %length = lathe.convert %target_lengths to i64
    %column = lathe.reshape %length to [${extent(%target_lengths, 0)}, 1]
    %last = lathe.mul %column, %twice
  } else {
    %length = lathe.dim_size %targets dim 1
    %last = lathe.mul %length, %twice
  }
  %unit = lathe.constant dense<1> : tensor<i64>
  %spoken_last = lathe.sub %last, %unit
  %at_blank = lathe.compare eq %place, %last
  %at_class = lathe.compare eq %place, %spoken_last
  %final = lathe.or %at_blank, %at_class
  %kept = lathe.select %final, %ends, %never
  %likelihood = lathe.std.logsumexp %kept dims [1]
  %each = lathe.neg %likelihood
  %y = lathe.std.reduced %each reduction $reduction
  return %y
}
