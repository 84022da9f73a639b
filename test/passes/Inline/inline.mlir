// RUN: lathe-opt %s --lathe-inline --mlir-print-debuginfo | FileCheck %s
// Callees first; what no function needs any more is gone, what only a derivative names stays.

// CHECK-NOT: @inner
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-NOT: @outer
func.func private @outer(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %x : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @loss(
// CHECK-NEXT: lathe.exp
// CHECK-NEXT: lathe.reduce
func.func private @loss(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lathe.reduce sum %0 dims [0] : tensor<4xf32>
  return %1 : tensor<f32>
}
// CHECK-NOT: func.func private @unused
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// Ops keep the line that they were written on.
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %[[X:arg0]]
// CHECK-NEXT: %[[A:.*]] = lathe.exp %[[X]] : tensor<4xf32> loc(#[[LINE:.*]])
// CHECK-NEXT: %[[B:.*]] = lathe.exp %[[A]] : tensor<4xf32> loc(#[[LINE]])
// CHECK-NEXT: %[[G:.*]]:2 = lathe.value_and_grad @loss(%[[X]])
// CHECK-NEXT: return %[[B]], %[[X]], %[[G]]#1
// CHECK: #[[LINE]] = loc("{{.*}}inline.mlir":6:8)
func.func @entry(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:2 = func.call @outer(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = lathe.value_and_grad @loss(%x) wrt [0] : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %0#0, %0#1, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
