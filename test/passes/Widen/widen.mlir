// RUN: lathe-opt %s --lathe-widen | FileCheck %s
// Types, constants with the values that f32 has, targets of conversions, initialisers; integers and f64 stay.

// CHECK: lathe.variable @w : tensor<2xf64> init dense<[1.000000e+00, 0.10000000149011612]> : tensor<2xf64>
lathe.variable @w : tensor<2xf32> init dense<[1.0, 0.1]> : tensor<2xf32>

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %{{.*}}: tensor<?x2xf64, #lathe.dims<N>>, %{{.*}}: tensor<2xi32>, %{{.*}}: tensor<f64>) -> tensor<?x2xf64, #lathe.dims<N>>
func.func @f(%x: tensor<?x2xf32, #lathe.dims<N>>, %i: tensor<2xi32>, %y: tensor<f64>) -> tensor<?x2xf32, #lathe.dims<N>> {
  // CHECK: lathe.constant dense<0.10000000149011612> : tensor<2xf64>
  %c = lathe.constant dense<0.1> : tensor<2xf32>
  // CHECK: lathe.constant dense<[2.500000e-01, 3.000000e+00]> : tensor<2xf64>
  %r = lathe.constant dense_resource<two> : tensor<2xf32>
  // CHECK: lathe.constant dense<7> : tensor<2xi32>
  %n = lathe.constant dense<7> : tensor<2xi32>
  // CHECK: lathe.convert %{{.*}} to f64 : tensor<2xi32>
  %f = lathe.convert %i to f32 : tensor<2xi32>
  // CHECK: lathe.iota dim 0 to [2] : f64
  %k = lathe.iota dim 0 to [2] : f32
  // Bits are those of the type that was written.
  // CHECK: %[[NARROW:.*]] = lathe.convert %{{.*}} to f32 : tensor<?x2xf64, #lathe.dims<N>>
  // CHECK: lathe.bitcast %[[NARROW]] to i32 : tensor<?x2xf32, #lathe.dims<N>>
  %bits = lathe.bitcast %x to i32 : tensor<?x2xf32, #lathe.dims<N>>
  // CHECK: %[[NUMBER:.*]] = lathe.bitcast %{{.*}} to f32 : tensor<2xi32>
  // CHECK: %[[WIDE:.*]] = lathe.convert %[[NUMBER]] to f64 : tensor<2xf32>
  %number = lathe.bitcast %i to f32 : tensor<2xi32>
  // CHECK: lathe.neg %[[WIDE]] : tensor<2xf64>
  %negative = lathe.neg %number : tensor<2xf32>
  // CHECK: lathe.read @w : tensor<2xf64>
  %w = lathe.read @w : tensor<2xf32>
  // CHECK: call @g(%{{.*}}) : (tensor<2xf64>) -> tensor<2xf64>
  %g = call @g(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<?x2xf32, #lathe.dims<N>>
}
// CHECK: func.func private @g(%{{.*}}: tensor<2xf64>) -> tensor<2xf64>
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

{-# dialect_resources: { builtin: { two: "0x040000000000803E00004040" } } #-}
