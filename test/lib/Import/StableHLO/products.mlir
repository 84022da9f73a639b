// RUN: lathe-run %s main --check | FileCheck %s
// Products and convolutions, by hand.

// CHECK: result0: f32[2][1][1] {{.*}}: 11 53
// Bytes are widened before they are multiplied: 100 * 100 + 2 * 3.
// CHECK: result1 = 10006
// CHECK: result2: f32[2] {{.*}}: 3 7
// The sums of windows of 2 x 2 elements of 1 to 9.
// CHECK: result3: f32[1][2][2][1] {{.*}}: 12 16 24 28
// A reversed filter 1 2 over 1 2 3 with one hole between elements: 1*2+0 0+2*1 2*2+0 0+3*1.
// CHECK: result4: f32[1][1][4] {{.*}}: 2 2 4 3
// Two groups of the batch: the first filter sees the first image, the second one the second.
// CHECK: result5: f32[1][2][1] {{.*}}: 3 30
// CHECK: result6: f32[2][2] {{.*}}: 5 11 11 25
// CHECK: result7: f32[3] {{.*}}: 0.5 1 1.5
func.func public @main() -> (tensor<2x1x1xf32>, tensor<i32>, tensor<2xf32>, tensor<1x2x2x1xf32>, tensor<1x1x4xf32>, tensor<1x2x1xf32>,
                             tensor<2x2xf32>, tensor<3xf32>) {
  %a = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %b = stablehlo.constant dense<[[[3.0], [4.0]], [[7.0], [8.0]]]> : tensor<2x2x1xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST]
      : (tensor<2x1x2xf32>, tensor<2x2x1xf32>) -> tensor<2x1x1xf32>
  %c = stablehlo.constant dense<[100, 2]> : tensor<2xi8>
  %d = stablehlo.constant dense<[100, 3]> : tensor<2xi8>
  %1 = "stablehlo.dot_general"(%c, %d) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}>
      : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
  %m = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2xf32>
  %2 = stablehlo.dot %m, %ones : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %image = stablehlo.constant dense<[[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]], [[7.0], [8.0], [9.0]]]]> : tensor<1x3x3x1xf32>
  %box = stablehlo.constant dense<1.0> : tensor<2x2x1x1xf32>
  %3 = stablehlo.convolution(%image, %box) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x3x3x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x1xf32>
  %line = stablehlo.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %taps = stablehlo.constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %4 = stablehlo.convolution(%line, %taps) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
      window = {stride = [1], pad = [[0, 0]], lhs_dilate = [2], rhs_dilate = [1], reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  %batch = stablehlo.constant dense<[[[1.0, 2.0]], [[10.0, 20.0]]]> : tensor<2x1x2xf32>
  %pair = stablehlo.constant dense<1.0> : tensor<2x1x2xf32>
  %5 = "stablehlo.convolution"(%batch, %pair) <{batch_group_count = 2 : i64, feature_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<1x2x1xf32>
  %6 = stablehlo.einsum %m, %m, config = "ij,kj->ik" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // A lower triangle with 2 on its diagonal and ones below it: L x = [1, 2.5, 4.5].
  %l = stablehlo.constant dense<[[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 1.0, 2.0]]> : tensor<3x3xf32>
  %rhs = stablehlo.constant dense<[[1.0], [2.5], [4.5]]> : tensor<3x1xf32>
  %x = "stablehlo.triangular_solve"(%l, %rhs) <{left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %7 = stablehlo.reshape %x : (tensor<3x1xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x1x1xf32>, tensor<i32>, tensor<2xf32>, tensor<1x2x2x1xf32>, tensor<1x1x4xf32>, tensor<1x2x1xf32>,
      tensor<2x2xf32>, tensor<3xf32>
}
