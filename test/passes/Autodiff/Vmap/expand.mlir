// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s
// One op becomes one op on the batch; what all elements share is computed once.

// CHECK-LABEL: @layer(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #lathe.dims<N>>, %[[W:.*]]: tensor<4x3xf32>
// CHECK-NEXT: %[[SHARED:.*]] = lathe.tanh %[[W]] : tensor<4x3xf32>
// CHECK-NEXT: %[[DOT:.*]] = lathe.dot_general %[[X]], %[[SHARED]] contract [1] x [0] : tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>
// CHECK-NEXT: %[[MAX:.*]] = lathe.argmax %[[DOT]] dim 1
// CHECK-NEXT: return %[[DOT]], %[[MAX]]
func.func private @one(%x: tensor<4xf32>, %w: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<i32>) {
  %v = lathe.tanh %w : tensor<4x3xf32>
  %y = lathe.dot_general %x, %v contract [0] x [0] : tensor<4xf32>, tensor<4x3xf32>
  %i = lathe.argmax %y dim 0 : tensor<3xf32>
  return %y, %i : tensor<3xf32>, tensor<i32>
}
func.func @layer(%x: tensor<?x4xf32, #lathe.dims<N>>, %w: tensor<4x3xf32>) -> (tensor<?x3xf32, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>) {
  %0:2 = lathe.vmap @one(%x, %w) in [0, none] : (tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>) -> (tensor<?x3xf32, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>)
  return %0#0, %0#1 : tensor<?x3xf32, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>
}

// A result that depends on no batched argument is repeated, and a batch that lies elsewhere comes to the front.
// CHECK-LABEL: @places(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<2xf32>
// CHECK-DAG: %[[FRONT:.*]] = lathe.transpose %[[X]] [1, 0] : tensor<4x3xf32>
// CHECK-DAG: %[[ALL:.*]] = lathe.broadcast %[[Y]] dims [1] to [3, 2] : tensor<2xf32>
// CHECK: return %[[FRONT]], %[[ALL]]
func.func private @both(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  return %x, %y : tensor<4xf32>, tensor<2xf32>
}
func.func @places(%x: tensor<4x3xf32>, %y: tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %0:2 = lathe.vmap @both(%x, %y) in [1, none] : (tensor<4x3xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x2xf32>
}

// One filter for all: a batch of batches of images. A filter each: groups.
// CHECK-LABEL: @convolutions(
// CHECK: lathe.reshape %{{.*}} to [6, 5, 4] : tensor<3x2x5x4xf32>
// CHECK: lathe.conv %{{.*}} : tensor<6x5x4xf32>, tensor<3x2x6xf32>
// CHECK: lathe.conv %{{.*}} groups 6 : tensor<2x5x12xf32>, tensor<3x2x18xf32>
func.func private @conv(%x: tensor<2x5x4xf32>, %w: tensor<3x2x6xf32>) -> tensor<2x3x6xf32> {
  %0 = lathe.conv %x, %w stride [1] pad valid groups 2 : tensor<2x5x4xf32>, tensor<3x2x6xf32>
  return %0 : tensor<2x3x6xf32>
}
func.func @convolutions(%x: tensor<3x2x5x4xf32>, %w: tensor<3x2x6xf32>, %v: tensor<3x3x2x6xf32>) -> (tensor<3x2x3x6xf32>, tensor<3x2x3x6xf32>) {
  %0 = lathe.vmap @conv(%x, %w) in [0, none] : (tensor<3x2x5x4xf32>, tensor<3x2x6xf32>) -> tensor<3x2x3x6xf32>
  %1 = lathe.vmap @conv(%x, %v) in [0, 0] : (tensor<3x2x5x4xf32>, tensor<3x3x2x6xf32>) -> tensor<3x2x3x6xf32>
  return %0, %1 : tensor<3x2x3x6xf32>, tensor<3x2x3x6xf32>
}

// Per-example gradients, and the gradient of a batch's loss: transforms nest either way.
// CHECK-LABEL: @examples(
// CHECK-NOT: lathe.vmap
// CHECK-NOT: lathe.value_and_grad
// CHECK: return
func.func private @loss(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<f32> {
  %p = lathe.mul %w, %x : tensor<4xf32>
  %s = lathe.sin %p : tensor<4xf32>
  %r = lathe.reduce sum %s dims [0] : tensor<4xf32>
  return %r : tensor<f32>
}
func.func private @slope(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.value_and_grad @loss(%w, %x) wrt [0] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
func.func private @total(%w: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<f32> {
  %0 = lathe.vmap @loss(%w, %x) in [none, 0] : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  %1 = lathe.reduce sum %0 dims [0] : tensor<3xf32>
  return %1 : tensor<f32>
}
func.func @examples(%w: tensor<4xf32>, %x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
  %0 = lathe.vmap @slope(%w, %x) in [none, 0] : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1:2 = lathe.value_and_grad @total(%w, %x) wrt [0] : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %0, %1#1 : tensor<3x4xf32>, tensor<4xf32>
}
