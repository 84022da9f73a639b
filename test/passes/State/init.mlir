// RUN: lathe-opt %s --lathe-lower-state --split-input-file | FileCheck %s

lathe.variable @u : tensor<2x3xf32> init #lathe.glorot_uniform
lathe.variable @n : tensor<4xf64> init #lathe.normal<1.0, 2.0>
lathe.variable @c : tensor<2xi32> init dense<[1, 2]> : tensor<2xi32>

// Bits of streams 2 i and 2 i + 1; limits of 6 / (2 + 3), below the upper one.
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[SEED:.*]]: tensor<i64> {lathe.name = "seed"}) -> (tensor<2x3xf32> {lathe.state = @u}, tensor<4xf64> {lathe.state = @n}, tensor<2xi32> {lathe.state = @c})
// CHECK: %[[BITS:.*]] = lathe.random_bits %[[SEED]] stream 0 to [2, 3] : i32
// CHECK: %[[SHIFTED:.*]] = lathe.shift_right %[[BITS]], %{{.*}} : tensor<2x3xi32>
// CHECK: lathe.convert %[[SHIFTED]] to f32
// CHECK: lathe.constant dense<-1.09544516>
// CHECK: lathe.constant dense<1.09544504>
// CHECK: %[[U:.*]] = lathe.min
// CHECK: lathe.random_bits %[[SEED]] stream 2 to [4] : i32
// CHECK: lathe.log
// CHECK: lathe.sqrt
// CHECK: lathe.random_bits %[[SEED]] stream 3 to [4] : i32
// CHECK: lathe.cos
// CHECK: %[[N:.*]] = lathe.add {{.*}} : tensor<4xf64>
// CHECK: %[[C:.*]] = lathe.constant dense<[1, 2]>
// CHECK: return %[[U]], %[[N]], %[[C]]

// -----

lathe.variable @w : tensor<f32> init #lathe.fill<1.0>
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.read @w : tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with sgd<momentum = 0.5> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// A module's own @init stays; slots, which it cannot know, are added.
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[SEED:.*]]: tensor<i64>) -> (tensor<f32> {lathe.state = @w}, tensor<f32> {lathe.state = @w.momentum})
// CHECK: %[[W:.*]] = lathe.convert %[[SEED]] to f32
// CHECK: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00>
// CHECK: return %[[W]], %[[ZERO]]
func.func @init(%seed: tensor<i64>) {
  %0 = lathe.convert %seed to f32 : tensor<i64>
  lathe.write @w, %0 : tensor<f32>
  return
}
