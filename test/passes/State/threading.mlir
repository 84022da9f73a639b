// RUN: lathe-opt %s --lathe-lower-state | FileCheck %s
// State arguments and results are in the order of the declarations, behind a function's own.

// CHECK-LABEL: module
// CHECK: lathe.variable @a : tensor<f32>
lathe.variable @a : tensor<f32> init #lathe.zeros
lathe.variable @b : tensor<i64> init #lathe.fill<3.0>

// Read, written, read again: the second read sees the new value.
// CHECK-LABEL: func.func private @bump(
// CHECK-SAME: %[[X:.*]]: tensor<i64>, %[[B:.*]]: tensor<i64> {lathe.state = @b}) -> (tensor<i64>, tensor<i64> {lathe.state = @b})
// CHECK-NEXT: %[[NEW:.*]] = lathe.add %[[B]], %[[X]]
// CHECK-NEXT: %[[TWICE:.*]] = lathe.add %[[NEW]], %[[NEW]]
// CHECK-NEXT: return %[[TWICE]], %[[NEW]]
func.func private @bump(%x: tensor<i64>) -> tensor<i64> {
  %0 = lathe.read @b : tensor<i64>
  %1 = lathe.add %0, %x : tensor<i64>
  lathe.write @b, %1 : tensor<i64>
  %2 = lathe.read @b : tensor<i64>
  %3 = lathe.add %2, %2 : tensor<i64>
  return %3 : tensor<i64>
}

// A variable that is written before it is read is no argument; the last write is what returns.
// CHECK-LABEL: func.func @overwrite(
// CHECK-SAME: %[[X:.*]]: tensor<f32>) -> (tensor<f32>, tensor<f32> {lathe.state = @a})
// CHECK-NEXT: %[[E:.*]] = lathe.exp %[[X]]
// CHECK-NEXT: return %[[X]], %[[E]]
func.func @overwrite(%x: tensor<f32>) -> tensor<f32> {
  lathe.write @a, %x : tensor<f32>
  %0 = lathe.read @a : tensor<f32>
  %1 = lathe.exp %0 : tensor<f32>
  lathe.write @a, %1 : tensor<f32>
  return %0 : tensor<f32>
}

// State goes through calls, in program order.
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: %[[X:.*]]: tensor<i64>, %[[A:.*]]: tensor<f32> {lathe.state = @a}, %[[B:.*]]: tensor<i64> {lathe.state = @b})
// CHECK-SAME: -> (tensor<i64>, tensor<f32>, tensor<i64> {lathe.state = @b})
// CHECK-NEXT: %[[C:.*]]:2 = call @bump(%[[X]], %[[B]])
// CHECK-NEXT: %[[D:.*]]:2 = call @bump(%[[C]]#0, %[[C]]#1)
// CHECK-NEXT: return %[[D]]#0, %[[A]], %[[D]]#1
func.func @caller(%x: tensor<i64>) -> (tensor<i64>, tensor<f32>) {
  %0 = call @bump(%x) : (tensor<i64>) -> tensor<i64>
  %1 = call @bump(%0) : (tensor<i64>) -> tensor<i64>
  %2 = lathe.read @a : tensor<f32>
  return %1, %2 : tensor<i64>, tensor<f32>
}

// And through derivatives; nothing is pulled back through new values of state.
func.func private @scaled(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.read @a : tensor<f32>
  %1 = lathe.mul %0, %x : tensor<f32>
  lathe.write @a, %1 : tensor<f32>
  return %1 : tensor<f32>
}
// CHECK-LABEL: func.func @derivatives(
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[A:.*]]: tensor<f32> {lathe.state = @a})
// CHECK-NEXT: %[[J:.*]]:4 = lathe.jvp @scaled(%[[X]], %[[A]]) tangents(%[[X]]) wrt [0]
// CHECK-NEXT: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00>
// CHECK-NEXT: %[[V:.*]]:3 = lathe.vjp @scaled(%[[X]], %[[J]]#1) cotangents(%[[X]], %[[ZERO]]) wrt [0]
// CHECK-NEXT: return %[[J]]#2, %[[V]]#2, %[[V]]#1
func.func @derivatives(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = lathe.jvp @scaled(%x) tangents(%x) wrt [0] : (tensor<f32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %1:2 = lathe.vjp @scaled(%x) cotangents(%x) wrt [0] : (tensor<f32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1, %1#1 : tensor<f32>, tensor<f32>
}

// All elements of a batch read one state.
// CHECK-LABEL: func.func @each(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[W:.*]]: tensor<4xf32> {lathe.state = @each.w}
// CHECK: lathe.vmap @weighted(%[[X]], %[[W]]) in [0, none] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
lathe.variable @each.w : tensor<4xf32> init #lathe.zeros
func.func private @weighted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = lathe.read @each.w : tensor<4xf32>
  %0 = lathe.mul %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @each(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = lathe.vmap @weighted(%x) in [0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// A variable that a branch or loop reads is read before it: the read moves out, through all regions, and becomes a const.
lathe.variable @w : tensor<4xf32> init #lathe.zeros
// CHECK-LABEL: func.func @inside(
// CHECK-SAME: %[[P:.*]]: tensor<i1>{{.*}}, %[[W:.*]]: tensor<4xf32> {lathe.state = @w})
// CHECK-NOT: lathe.read
// CHECK: lathe.scan carry(%[[H:.*]] = %[[W]]
// CHECK: lathe.if
// CHECK: lathe.mul %[[H]], %[[W]]
func.func @inside(%p: tensor<i1>) {
  %w = lathe.read @w : tensor<4xf32>
  %r = lathe.scan carry(%h = %w : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %next = lathe.if %p -> tensor<4xf32> {
      %v = lathe.read @w : tensor<4xf32>
      %m = lathe.mul %h, %v : tensor<4xf32>
      lathe.yield %m : tensor<4xf32>
    } else {
      lathe.yield %h : tensor<4xf32>
    }
    lathe.yield carry(%next : tensor<4xf32>)
  }
  lathe.write @w, %r : tensor<4xf32>
  return
}
