// RUN: lathe-run %s main --check | FileCheck %s
// RUN: lathec %s --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=OPS
// Reductions and windows: by Lathe's kinds, and by any body.

// CHECK: result0: f32[2] {{.*}}: 6 15
// The start 10 counts once.
// CHECK: result1: f32[2] {{.*}}: 16 25
// CHECK: result2: f32[2] {{.*}}: 3 6
// CHECK: result3: i32[2] {{.*}}: 2 2
// A sum and a product by one body.
// CHECK: result4 = 21
// CHECK: result5 = 720
// CHECK: result6: f32[2][3] {{.*}}: 1 3 6 4 9 15
// CHECK: result7: f32[1][2] {{.*}}: 5 6
// x + y + x y, from 0: (1 + 1)(1 + 2) - 1 and so on, which is associative.
// CHECK: result8: f32[2][2] {{.*}}: 5 11 29 41
// The gradient of a window's maximum goes to the maximum.
// CHECK: result9: f32[2][3] {{.*}}: 0 0 0 0 7 8
// OPS: lathe.reduce sum
// OPS: lathe.argmax
// OPS: lathe.cumulative sum
func.func public @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<f32>, tensor<2x3xf32>, tensor<1x2xf32>,
                             tensor<2x2xf32>, tensor<2x3xf32>) {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = "stablehlo.reduce"(%x, %ten) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %places = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %2:2 = stablehlo.reduce(%x init: %least), (%places init: %none) across dimensions = [1]
      : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %better = stablehlo.or %more, %nan : tensor<i1>
    %same = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %same, %before : tensor<i1>
    %first = stablehlo.or %better, %tie : tensor<i1>
    %value = stablehlo.select %better, %v, %w : tensor<i1>, tensor<f32>
    %place = stablehlo.select %first, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<f32>, tensor<i32>
  }
  %3:2 = stablehlo.reduce(%x init: %zero), (%x init: %one) across dimensions = [0, 1]
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    %s = stablehlo.add %a, %b : tensor<f32>
    %p = stablehlo.multiply %c, %d : tensor<f32>
    stablehlo.return %s, %p : tensor<f32>, tensor<f32>
  }
  %4 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %5 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x2xf32>
  %6 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    %p = stablehlo.multiply %a, %b : tensor<f32>
    %r = stablehlo.add %s, %p : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  %source = stablehlo.constant dense<[[7.0, 8.0]]> : tensor<1x2xf32>
  %7 = "stablehlo.select_and_scatter"(%x, %source, %zero) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0, %1, %2#0, %2#1, %3#0, %3#1, %4, %5, %6, %7 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<f32>,
      tensor<2x3xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}
