// Random numbers. They depend on the seed, the stream and their place alone: another seed, or lathe.random_fold_in of it and the
// number of a step, gives others.

/// x with each element kept with the probability 1 - `rate`, times 1 / (1 - `rate`), else 0 (Srivastava et al. 2014). For training;
/// a predictor leaves it out.
template @dropout(%x: float, %seed: integer, rate: real = 0.5, stream: int = 0) {
  if rate >= 1.0 {
    fail "'rate' is $rate; expected at least 0.0 and less than 1.0"
  }
  if rate < 0.0 {
    fail "'rate' is $rate; expected at least 0.0 and less than 1.0"
  }
  %kept = lathe.random_bernoulli %seed stream $stream probability ${1.0 - rate} to [${shape(%x)}] : i1
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %factor = lathe.constant dense<${1.0 / (1.0 - rate)}> : tensor<${element(%x)}>
  %scaled = lathe.mul %x, %factor
  %y = lathe.select %kept, %scaled, %zero
  return %y
}
