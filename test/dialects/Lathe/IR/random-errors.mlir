// RUN: lathe-opt %s --split-input-file -verify-diagnostics

// random_uniform_c1
func.func @random_uniform_c1(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_uniform: element type must be f64, f32, f16 or bf16, got 'i32'}}
  %0 = lathe.random_uniform %s stream 0 to [4] : i32
  return
}

// -----

// random_uniform_c2
func.func @random_uniform_c2(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_uniform: stream -1 does not fit 32 bits}}
  %0 = lathe.random_uniform %s stream -1 to [4] : f32
  return
}

// -----

// random_normal_c1
func.func @random_normal_c1(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_normal: element type must be f64, f32, f16 or bf16, got 'i1'}}
  %0 = lathe.random_normal %s stream 0 to [4] : i1
  return
}

// -----

// random_normal_c2
func.func @random_normal_c2(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_normal: stream 4294967296 does not fit 32 bits}}
  %0 = lathe.random_normal %s stream 4294967296 to [4] : f32
  return
}

// -----

// random_integers_c1
func.func @random_integers_c1(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_integers: element type must be an integer of 8 to 64 bits, got 'f32'}}
  %0 = lathe.random_integers %s stream 0 from 0 below 4 to [4] : f32
  return
}

// -----

// random_integers_c2
func.func @random_integers_c2(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_integers: stream -1 does not fit 32 bits}}
  %0 = lathe.random_integers %s stream -1 from 0 below 4 to [4] : i32
  return
}

// -----

// random_integers_c3
func.func @random_integers_c3(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_integers: expected low < high, got from 4 below 4}}
  %0 = lathe.random_integers %s stream 0 from 4 below 4 to [4] : i32
  return
}

// -----

// random_integers_c4
func.func @random_integers_c4(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_integers: from 0 below 4294967297 are more than 2^32 numbers; use lathe.random_bits for the full range of i64}}
  %0 = lathe.random_integers %s stream 0 from 0 below 4294967297 to [4] : i64
  return
}

// -----

// random_integers_c5
func.func @random_integers_c5(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_integers: numbers from -1 to 3 do not fit 'ui8'}}
  %0 = lathe.random_integers %s stream 0 from -1 below 4 to [4] : ui8
  return
}

// -----

// random_integers_c5
func.func @random_integers_c5(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_integers: numbers from 0 to 128 do not fit 'i8'}}
  %0 = lathe.random_integers %s stream 0 from 0 below 129 to [4] : i8
  return
}

// -----

// random_bernoulli_c1
func.func @random_bernoulli_c1(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_bernoulli: element type must be i1, got 'i8'}}
  %0 = lathe.random_bernoulli %s stream 0 probability 0.5 to [4] : i8
  return
}

// -----

// random_bernoulli_c2
func.func @random_bernoulli_c2(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_bernoulli: stream -1 does not fit 32 bits}}
  %0 = lathe.random_bernoulli %s stream -1 probability 0.5 to [4] : i1
  return
}

// -----

// random_bernoulli_c3
func.func @random_bernoulli_c3(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_bernoulli: probability must be from 0 to 1, got 1.5}}
  %0 = lathe.random_bernoulli %s stream 0 probability 1.5 to [4] : i1
  return
}

// -----

// random_permutation_c1
func.func @random_permutation_c1(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_permutation: element type must be i32, got 'i64'}}
  %0 = lathe.random_permutation %s stream 0 to [4] : i64
  return
}

// -----

// random_permutation_c2
func.func @random_permutation_c2(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_permutation: stream -1 does not fit 32 bits}}
  %0 = lathe.random_permutation %s stream -1 to [4] : i32
  return
}

// -----

// random_permutation_c3
func.func @random_permutation_c3(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_permutation: expected a dimension to permute, got the shape []}}
  %0 = lathe.random_permutation %s stream 0 to [] : i32
  return
}
