// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s

func.func private @mean(%x: tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.reduce sum %x dims [1] : tensor<?x4xf32, #lathe.dims<N>>
  return %0 : tensor<?xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_sum(
// CHECK-NEXT: %[[DX:.*]] = lathe.broadcast %arg1 dims [0] to [N, 4]
// CHECK-NEXT: return %[[DX]]
func.func @vjp_sum(%x: tensor<?x4xf32, #lathe.dims<N>>, %c: tensor<?xf32, #lathe.dims<N>>) -> tensor<?x4xf32, #lathe.dims<N>> {
  %0:2 = lathe.vjp @mean(%x) cotangents(%c) wrt [0] : (tensor<?x4xf32, #lathe.dims<N>>), (tensor<?xf32, #lathe.dims<N>>) -> (tensor<?xf32, #lathe.dims<N>>, tensor<?x4xf32, #lathe.dims<N>>)
  return %0#1 : tensor<?x4xf32, #lathe.dims<N>>
}

func.func private @max(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %0 = lathe.reduce max %x dims [1] : tensor<3x4xf32>
  return %0 : tensor<3xf32>
}
// Ties share equally: the cotangent is divided by their number before it spreads.
// CHECK-LABEL: @vjp_max(
// CHECK: %[[Y:.*]] = lathe.reduce max %arg0 dims [1]
// CHECK: %[[BEST:.*]] = lathe.broadcast %[[Y]] dims [0] to [3, 4]
// CHECK: %[[EQ:.*]] = lathe.compare eq %arg0, %[[BEST]]
// CHECK: %[[WINS:.*]] = lathe.convert %[[EQ]] to f32
// CHECK: %[[COUNT:.*]] = lathe.reduce sum %[[WINS]] dims [1]
// CHECK: %[[SHARE:.*]] = lathe.div %arg1, %[[COUNT]]
// CHECK: %[[WIDE:.*]] = lathe.broadcast %[[SHARE]] dims [0] to [3, 4]
// CHECK: lathe.mul %[[WIDE]], %[[WINS]]
func.func @vjp_max(%x: tensor<3x4xf32>, %c: tensor<3xf32>) -> tensor<3x4xf32> {
  %0:2 = lathe.vjp @max(%x) cotangents(%c) wrt [0] : (tensor<3x4xf32>), (tensor<3xf32>) -> (tensor<3xf32>, tensor<3x4xf32>)
  return %0#1 : tensor<3x4xf32>
}

func.func private @product(%x: tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.reduce product %x dims [1] : tensor<?x4xf32, #lathe.dims<N>>
  return %0 : tensor<?xf32, #lathe.dims<N>>
}
// The products before and after each element are running ones; no division.
// CHECK-LABEL: @vjp_product(
// CHECK-NOT: lathe.div
// CHECK: %[[BEFORE:.*]] = lathe.pad %arg0, %[[ONE:.*]] low [0, 1] high [0, -1]
// CHECK: lathe.cumulative product %[[BEFORE]] dim 1 :
// CHECK: %[[AFTER:.*]] = lathe.pad %arg0, %[[ONE]] low [0, -1] high [0, 1]
// CHECK: lathe.cumulative product %[[AFTER]] dim 1 reverse
// CHECK-NOT: lathe.div
// CHECK: return
func.func @vjp_product(%x: tensor<?x4xf32, #lathe.dims<N>>, %c: tensor<?xf32, #lathe.dims<N>>) -> tensor<?x4xf32, #lathe.dims<N>> {
  %0:2 = lathe.vjp @product(%x) cotangents(%c) wrt [0] : (tensor<?x4xf32, #lathe.dims<N>>), (tensor<?xf32, #lathe.dims<N>>) -> (tensor<?xf32, #lathe.dims<N>>, tensor<?x4xf32, #lathe.dims<N>>)
  return %0#1 : tensor<?x4xf32, #lathe.dims<N>>
}

func.func private @dense(%x: tensor<?x4xf32, #lathe.dims<N>>, %w: tensor<4x3xf32>) -> tensor<?x3xf32, #lathe.dims<N>> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>
  return %0 : tensor<?x3xf32, #lathe.dims<N>>
}
// Neither cotangent of a dense layer needs a transpose.
// CHECK-LABEL: @vjp_dense(
// CHECK-NEXT: %[[DW:.*]] = lathe.dot_general %arg0, %arg2 contract [0] x [0]
// CHECK-NEXT: %[[DX:.*]] = lathe.dot_general %arg2, %arg1 contract [1] x [1]
// CHECK-NEXT: return %[[DX]], %[[DW]]
func.func @vjp_dense(%x: tensor<?x4xf32, #lathe.dims<N>>, %w: tensor<4x3xf32>, %c: tensor<?x3xf32, #lathe.dims<N>>) -> (tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>) {
  %0:3 = lathe.vjp @dense(%x, %w) cotangents(%c) wrt [0, 1] : (tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>), (tensor<?x3xf32, #lathe.dims<N>>) -> (tensor<?x3xf32, #lathe.dims<N>>, tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>)
  return %0#1, %0#2 : tensor<?x4xf32, #lathe.dims<N>>, tensor<4x3xf32>
}

func.func private @batched(%a: tensor<3x2x5x4xf32>, %b: tensor<5x7x2x3xf32>) -> tensor<2x3x4x7xf32> {
  %0 = lathe.dot_general %a, %b contract [2] x [0] batch [1, 0] x [2, 3] : tensor<3x2x5x4xf32>, tensor<5x7x2x3xf32>
  return %0 : tensor<2x3x4x7xf32>
}
// CHECK-LABEL: @vjp_batched(
// CHECK: %[[B:.*]] = lathe.dot_general %arg2, %arg0 contract [2] x [3] batch [0, 1] x [1, 0]
// CHECK: lathe.transpose %[[B]] [3, 2, 0, 1]
// CHECK: %[[A:.*]] = lathe.dot_general %arg2, %arg1 contract [3] x [1] batch [0, 1] x [2, 3]
// CHECK: lathe.transpose %[[A]] [1, 0, 3, 2]
func.func @vjp_batched(%a: tensor<3x2x5x4xf32>, %b: tensor<5x7x2x3xf32>, %c: tensor<2x3x4x7xf32>) -> (tensor<3x2x5x4xf32>, tensor<5x7x2x3xf32>) {
  %0:3 = lathe.vjp @batched(%a, %b) cotangents(%c) wrt [0, 1] : (tensor<3x2x5x4xf32>, tensor<5x7x2x3xf32>), (tensor<2x3x4x7xf32>) -> (tensor<2x3x4x7xf32>, tensor<3x2x5x4xf32>, tensor<5x7x2x3xf32>)
  return %0#1, %0#2 : tensor<3x2x5x4xf32>, tensor<5x7x2x3xf32>
}

func.func private @itself(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = lathe.reduce min %x dims [] : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// The operand, whatever it is, so its tangent goes through: a share among winners would make a NaN of it where the operand is one.
// CHECK-LABEL: @jvp_itself(
// CHECK: return %arg1
func.func @jvp_itself(%x: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<3xf32> {
  %0:2 = lathe.jvp @itself(%x) tangents(%t) wrt [0] : (tensor<3xf32>), (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>
}
