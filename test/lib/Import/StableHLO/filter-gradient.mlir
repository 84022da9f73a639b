// RUN: lathe-run %s main --check | FileCheck %s
// RUN: lathec %s --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=OPS
// The gradients of a convolution by its filter, as JAX writes them. dW[i] is the sum of x[h + i] dy[h], and with stride 2 that of
// x[2 h + i] dy[h], where the last element of x is in no window.
// OPS: lathe.conv_filter_grad {{.*}} filter [2] stride [1]
// OPS: lathe.conv_filter_grad {{.*}} filter [2] stride [2]
// A filter that has fewer taps than the result has elements is one.
// OPS: lathe.conv %
// OPS: lathe.conv_filter_grad {{.*}} groups 2
// CHECK: result0: f32[2][1][1] {{.*}}: 6 9
// CHECK: result1: f32[2][1][1] {{.*}}: 531 642
// CHECK: result2: f32[1][3][1] {{.*}}: 3 5 7
// With two groups, each of which has a channel of the image and of the cotangent.
// CHECK: result3: f32[2][1][2] {{.*}}: 6 600 9 900
func.func public @main() -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<1x3x1xf32>, tensor<2x1x2xf32>) {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %long = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]]> : tensor<1x7x1xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<1x3x1xf32>
  %powers = stablehlo.constant dense<[[[1.0], [10.0], [100.0]]]> : tensor<1x3x1xf32>
  %two = stablehlo.constant dense<1.0> : tensor<2x1x1xf32>
  %pair = stablehlo.constant dense<[[[1.0, 100.0], [2.0, 200.0], [3.0, 300.0], [4.0, 400.0]]]> : tensor<1x4x2xf32>
  %pairs = stablehlo.constant dense<1.0> : tensor<1x3x2xf32>
  %0 = stablehlo.convolution(%x, %ones) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x4x1xf32>, tensor<1x3x1xf32>) -> tensor<2x1x1xf32>
  %1 = stablehlo.convolution(%long, %powers) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[0, -1]], rhs_dilate = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x1xf32>, tensor<1x3x1xf32>) -> tensor<2x1x1xf32>
  %2 = stablehlo.convolution(%x, %two) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  %3 = stablehlo.convolution(%pair, %pairs) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
      : (tensor<1x4x2xf32>, tensor<1x3x2xf32>) -> tensor<2x1x2xf32>
  return %0, %1, %2, %3 : tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<1x3x1xf32>, tensor<2x1x2xf32>
}
