// RUN: lathe-run %s main --check | FileCheck %s
// Of windows of two elements the larger magnitude: -3 twice, then 2. The scatter multiplies 1 by 10 and 20, and by 30.
// CHECK: result0: f32[1][4] {{.*}}: 1 200 30 1
// Windows of which the first and the last one reach into the padding, which is never selected: 2 of (pad, 2), 2 of (2, -1), 0 of (0, pad).
// CHECK: result1: f32[4] {{.*}}: 10 20 0 30
func.func public @main() -> (tensor<1x4xf32>, tensor<4xf32>) {
  %x = stablehlo.constant dense<[[1.0, -3.0, 2.0, 0.0]]> : tensor<1x4xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, -1.0, 0.0]> : tensor<4xf32>
  %source = stablehlo.constant dense<[[10.0, 20.0, 30.0]]> : tensor<1x3xf32>
  %three = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %one) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.abs %a : tensor<f32>
    %q = stablehlo.abs %b : tensor<f32>
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x4xf32>, tensor<1x3xf32>, tensor<f32>) -> tensor<1x4xf32>
  %1 = "stablehlo.select_and_scatter"(%y, %three, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<4xf32>
}
