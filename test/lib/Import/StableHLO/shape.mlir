// RUN: lathe-run %s main --check | FileCheck %s
// Ops that move elements.

// The operand's dimension 0 is the result's 1, and its 1 the result's 0.
// CHECK: result0: f32[3][2] {{.*}}: 1 4 2 5 3 6
// With holes the rows are 1 9 2 9 3; one 9 goes before them and the last two elements go.
// CHECK: result1: f32[2][4] {{.*}}: 9 1 9 2 9 4 9 5
// CHECK: result2: f32[1][2] {{.*}}: 4 6
// The start 7 is clamped to 1.
// CHECK: result3: f32[2][2] {{.*}}: 2 3 5 6
// CHECK: result4: f32[2][3] {{.*}}: 1 2 3 4 5 9
// CHECK: result5: f32[2][3] {{.*}}: 3 2 1 6 5 4
// CHECK: result6: i32[2][3] {{.*}}: 0 1 2 0 1 2
// CHECK: result7: f32[2][3] {{.*}}: 7 7 7 7 7 7
func.func public @main() -> (tensor<3x2xf32>, tensor<2x4xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
                             tensor<2x3xi32>, tensor<2x3xf32>) {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %nine = stablehlo.constant dense<9.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.pad %x, %nine, low = [0, 1], high = [0, -2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
  %2 = stablehlo.slice %x [1:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %i = stablehlo.constant dense<0> : tensor<ui32>
  %j = stablehlo.constant dense<7> : tensor<ui32>
  %3 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] : (tensor<2x3xf32>, tensor<ui32>, tensor<ui32>) -> tensor<2x2xf32>
  %one = stablehlo.broadcast_in_dim %nine, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
  %4 = stablehlo.dynamic_update_slice %x, %one, %j, %j : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<ui32>, tensor<ui32>) -> tensor<2x3xf32>
  %5 = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
  %6 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %7 = stablehlo.constant dense<7.0> : tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x2xf32>, tensor<2x4xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xi32>, tensor<2x3xf32>
}
