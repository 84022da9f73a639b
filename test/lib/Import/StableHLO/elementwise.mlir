// RUN: lathe-run %s main --check | FileCheck %s
// Elementwise ops, and those of booleans, of bits and of floats in the total order.

// CHECK: result0: f32[4] {{.*}}: -2 0 1.5 3
// CHECK: result1: i1[4] {{.*}}: false true true true
// CHECK: result2: i1[4] {{.*}}: false false false true
// -NaN, -1, -0 are below 0 in the total order; 1 is not.
// CHECK: result3: i1[4] {{.*}}: true true true false
// 0xF0 shifted by 4 with copies of the highest bit is 0xFF.
// CHECK: result4: u8[2] {{.*}}: 255 1
// 1 + 2^-8 is halfway between 1 and 1 + 2^-7, and goes to the even one; 1 + 3 * 2^-8 goes up.
// CHECK: result5: f32[3] {{.*}}: 1 1.015625 inf
// CHECK: result6: u8[4] {{.*}}: 4 3 2 1
// CHECK: result7: i32[2] {{.*}}: -3 -1
// CHECK: result8: f32[4] {{.*}}: 4 0 2.25 100
// CHECK: result9: i32[3] {{.*}}: -1 7 1
func.func public @main() -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2xui8>, tensor<3xf32>, tensor<4xui8>,
                             tensor<2xi32>, tensor<4xf32>, tensor<3xi32>) {
  %x = stablehlo.constant dense<[-2.0, 0.0, 1.5, 10.0]> : tensor<4xf32>
  %low = stablehlo.constant dense<-3.0> : tensor<f32>
  %high = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %p = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %q = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %1 = stablehlo.add %p, %q : tensor<4xi1>
  %2 = "stablehlo.multiply"(%p, %q) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %y = stablehlo.constant dense<[0xFFC00000, -1.0, -0.0, 1.0]> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %3 = stablehlo.compare LT, %y, %zero, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %bytes = stablehlo.constant dense<[240, 16]> : tensor<2xui8>
  %four = stablehlo.constant dense<4> : tensor<2xui8>
  %4 = stablehlo.shift_right_arithmetic %bytes, %four : tensor<2xui8>
  %fine = stablehlo.constant dense<[1.00390625, 1.01171875, 1.0e+39]> : tensor<3xf32>
  %5 = stablehlo.reduce_precision %fine, format = e8m7 : tensor<3xf32>
  %word = stablehlo.constant dense<16909060> : tensor<ui32>
  %6 = stablehlo.bitcast_convert %word : (tensor<ui32>) -> tensor<4xui8>
  %pairs = stablehlo.constant dense<[[65533, 65535], [65535, 65535]]> : tensor<2x2xui16>
  %7 = stablehlo.bitcast_convert %pairs : (tensor<2x2xui16>) -> tensor<2xi32>
  %8 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %product = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %product : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = stablehlo.constant dense<[7, -7, 7]> : tensor<3xi32>
  %d = stablehlo.constant dense<[0, -1, 4]> : tensor<3xi32>
  %9 = stablehlo.divide %n, %d : tensor<3xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2xui8>, tensor<3xf32>,
      tensor<4xui8>, tensor<2xi32>, tensor<4xf32>, tensor<3xi32>
}
