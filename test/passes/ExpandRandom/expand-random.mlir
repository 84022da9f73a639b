// Random numbers beside derivatives and batches. What each distribution is: test/codegen/Types/random.test.
// A derivative goes through a location and a scale.
// RUN: lathe-run %s noisy --random --gradcheck | FileCheck %s --check-prefix=GRAD
// GRAD: 2 of 2 tensors agree
// A seed for each element of a batch gives each what it gives alone; one seed for all gives all the same.
// RUN: lathe-run %s batch --input seed=5 --interpret | FileCheck %s
// RUN: lathe-run %s batch --input seed=5 | FileCheck %s
// RUN: lathe-run %s batch --input seed=5 --check --rtol 0 --atol 0
// Shapes with names.
// RUN: lathe-run %s named --random --dim N=7 --check --rtol 0 --atol 0

func.func @noisy(%mean: tensor<f32>, %scale: tensor<f32>, %seed: tensor<i64>) -> tensor<f32> {
  %normal = lathe.random_normal %seed stream 0 to [40] : f32
  %uniform = lathe.random_uniform %seed stream 1 to [40] : f32
  %a = lathe.mul %normal, %scale : tensor<40xf32>, tensor<f32>
  %b = lathe.add %a, %mean : tensor<40xf32>, tensor<f32>
  %c = lathe.mul %b, %uniform : tensor<40xf32>
  %d = lathe.mul %c, %c : tensor<40xf32>
  %r = lathe.reduce sum %d dims [0] : tensor<40xf32>
  return %r : tensor<f32>
}

func.func private @draw(%seed: tensor<i64>) -> tensor<6xf64> {
  %normal = lathe.random_normal %seed stream 3 to [6] : f64
  %number = lathe.random_integers %seed stream 4 from -5 below 100 to [6] : i64
  %order = lathe.random_permutation %seed stream 5 to [6] : i32
  %folded = lathe.random_fold_in %seed, %seed : tensor<i64>
  %f = lathe.convert %number to f64 : tensor<6xi64>
  %o = lathe.convert %order to f64 : tensor<6xi32>
  %t = lathe.convert %folded to f64 : tensor<i64>
  %a = lathe.add %normal, %f : tensor<6xf64>
  %b = lathe.add %a, %o : tensor<6xf64>
  %r = lathe.add %b, %t : tensor<6xf64>, tensor<f64>
  return %r : tensor<6xf64>
}

func.func @batch(%seed: tensor<i64>) -> (tensor<6xf64>, tensor<i1>, tensor<6xf64>) {
  %seeds = lathe.random_bits %seed stream 9 to [3] : i64
  %all = lathe.vmap @draw(%seeds) in [0] : (tensor<3xi64>) -> tensor<3x6xf64>
  %slice = lathe.slice %seeds from [1] to [2] : tensor<3xi64>
  %second = lathe.reshape %slice to [] : tensor<1xi64>
  %alone = func.call @draw(%second) : (tensor<i64>) -> tensor<6xf64>
  %rows = lathe.slice %all from [1, 0] to [2, 6] : tensor<3x6xf64>
  %row = lathe.reshape %rows to [6] : tensor<1x6xf64>
  // CHECK: difference: {{.*}}: 0 0 0 0 0 0{{$}}
  %difference = lathe.sub %row, %alone : tensor<6xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %first = lathe.slice %all from [0, 0] to [1, 6] : tensor<3x6xf64>
  %other = lathe.compare ne %first, %rows : tensor<1x6xf64>
  // CHECK: differs = true
  %differs = lathe.reduce and %other dims [0, 1] : tensor<1x6xi1>
  %x = lathe.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %shared = lathe.vmap @shifted(%x, %seed) in [0, none] : (tensor<2xf64>, tensor<i64>) -> tensor<2x6xf64>
  %low = lathe.slice %shared from [0, 0] to [1, 6] : tensor<2x6xf64>
  %high = lathe.slice %shared from [1, 0] to [2, 6] : tensor<2x6xf64>
  %between = lathe.sub %high, %low : tensor<1x6xf64>
  // CHECK: step: {{.*}}: 1 1 1 1 1 1{{$}}
  %step = lathe.reshape %between to [6] : tensor<1x6xf64>
  return %difference, %differs, %step : tensor<6xf64>, tensor<i1>, tensor<6xf64>
}

func.func private @shifted(%x: tensor<f64>, %seed: tensor<i64>) -> tensor<6xf64> {
  %u = lathe.random_integers %seed stream 1 from 0 below 1000 to [6] : i32
  %f = lathe.convert %u to f64 : tensor<6xi32>
  %r = lathe.add %f, %x : tensor<6xf64>, tensor<f64>
  return %r : tensor<6xf64>
}

func.func @named(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %seed: tensor<i64>) -> (tensor<?x3xf32>, tensor<?x3xi32>) {
  %u = lathe.random_normal %seed stream 0 to [N, 3] : f32
  %p = lathe.random_permutation %seed stream 1 to [N, 3] : i32
  return %u, %p : tensor<?x3xf32>, tensor<?x3xi32>
}
