// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --lathe-import | FileCheck %s --check-prefix=IMPORTED

// After import bits and arithmetic are left.
// IMPORTED-COUNT-8: lathe.random_bits
// IMPORTED-NOT: lathe.random_{{[^b]|be}}
func.func @text(%s: tensor<i64>, %x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) {
  // CHECK: lathe.random_uniform %arg0 stream 1 to [N, 4] : f32 -> tensor<?x4xf32, #lathe.dims<N>>
  %0 = lathe.random_uniform %s stream 1 to [N, 4] : f32 -> tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.random_normal %arg0 stream 2 to [4] : bf16
  %1 = lathe.random_normal %s stream 2 to [4] : bf16
  // CHECK: lathe.random_integers %arg0 stream 3 from -2 below 7 to [] : i8
  %2 = lathe.random_integers %s stream 3 from -2 below 7 to [] : i8
  // CHECK: lathe.random_bernoulli %arg0 stream 4 probability 2.500000e-01 to [3] : i1
  %3 = lathe.random_bernoulli %s stream 4 probability 0.25 to [3] : i1
  // CHECK: lathe.random_permutation %arg0 stream 5 to [2, 3] : i32
  %4 = lathe.random_permutation %s stream 5 to [2, 3] : i32
  // CHECK: lathe.random_fold_in %arg0, %arg0 : tensor<i64>
  %5 = lathe.random_fold_in %s, %s : tensor<i64>
  // CHECK: lathe.random_bits %arg0 stream 6 to [2] : i64
  %6 = lathe.random_bits %s stream 6 to [2] : i64
  return
}
