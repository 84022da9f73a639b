// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s
// The derivatives of windows, cumulative ops, sorts and linear systems.

func.func private @pool(%x: tensor<?x16xf32, #lathe.dims<N>>) -> tensor<?x8xf32, #lathe.dims<N>> {
  %0 = lathe.reduce_window max %x window [1, 3] stride [1, 2] pad [[0, 0], [0, 1]] : tensor<?x16xf32, #lathe.dims<N>>
  return %0 : tensor<?x8xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_pool(
// CHECK: %[[TAPS:.*]] = lathe.window_index max %arg0
// CHECK: lathe.window_scatter %arg1, %[[TAPS]] to [N, 16] window [1, 3] stride [1, 2] pad {{\[\[}}0, 0], [0, 1]]
func.func @vjp_pool(%x: tensor<?x16xf32, #lathe.dims<N>>, %c: tensor<?x8xf32, #lathe.dims<N>>) -> tensor<?x16xf32, #lathe.dims<N>> {
  %0:2 = lathe.vjp @pool(%x) cotangents(%c) wrt [0] : (tensor<?x16xf32, #lathe.dims<N>>), (tensor<?x8xf32, #lathe.dims<N>>) -> (tensor<?x8xf32, #lathe.dims<N>>, tensor<?x16xf32, #lathe.dims<N>>)
  return %0#1 : tensor<?x16xf32, #lathe.dims<N>>
}

// Stride and base dilation change sides, and padding is what fills the shape.
func.func private @windows(%x: tensor<16xf32>) -> tensor<6xf32> {
  %0 = lathe.reduce_window sum %x window [4] stride [3] pad [[1, 2]] : tensor<16xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: @vjp_windows(
// CHECK: lathe.reduce_window sum %arg1 window [4] pad {{\[\[}}2, 1]] base_dilation [3] : tensor<6xf32>
func.func @vjp_windows(%x: tensor<16xf32>, %c: tensor<6xf32>) -> tensor<16xf32> {
  %0:2 = lathe.vjp @windows(%x) cotangents(%c) wrt [0] : (tensor<16xf32>), (tensor<6xf32>) -> (tensor<6xf32>, tensor<16xf32>)
  return %0#1 : tensor<16xf32>
}

func.func private @sums(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = lathe.cumulative sum %x dim 1 : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
// CHECK-LABEL: @vjp_sums(
// CHECK: lathe.cumulative sum %arg1 dim 1 reverse
func.func @vjp_sums(%x: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0:2 = lathe.vjp @sums(%x) cotangents(%c) wrt [0] : (tensor<4x5xf32>), (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return %0#1 : tensor<4x5xf32>
}

func.func private @products(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = lathe.cumulative product %x dim 1 : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
// CHECK-LABEL: @vjp_products(
// CHECK: %[[NEXT:.*]] = lathe.pad %arg0, %{{.*}} low [0, -1] high [0, 1]
// CHECK: lathe.linear_recurrence %[[NEXT]], %arg1 dim 1 reverse
func.func @vjp_products(%x: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0:2 = lathe.vjp @products(%x) cotangents(%c) wrt [0] : (tensor<4x5xf32>), (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return %0#1 : tensor<4x5xf32>
}

func.func private @sort(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = lathe.sort %x dim 1 descending : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
// CHECK-LABEL: @vjp_sort(
// CHECK: %[[ORDER:.*]] = lathe.argsort %arg0 dim 1 descending
// CHECK: lathe.scatter add %{{.*}}, %[[ORDER]], %arg1 axis 1 batch 1
func.func @vjp_sort(%x: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0:2 = lathe.vjp @sort(%x) cotangents(%c) wrt [0] : (tensor<4x5xf32>), (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return %0#1 : tensor<4x5xf32>
}

func.func private @solve(%a: tensor<5x5xf32>, %b: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = lathe.triangular_solve %a, %b upper : tensor<5x5xf32>, tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
// CHECK-LABEL: @vjp_solve(
// CHECK: %[[DB:.*]] = lathe.triangular_solve %arg0, %arg2 upper transposed
// CHECK: return %{{.*}}, %[[DB]]
func.func @vjp_solve(%a: tensor<5x5xf32>, %b: tensor<5x2xf32>, %c: tensor<5x2xf32>) -> (tensor<5x5xf32>, tensor<5x2xf32>) {
  %0:3 = lathe.vjp @solve(%a, %b) cotangents(%c) wrt [0, 1] : (tensor<5x5xf32>, tensor<5x2xf32>), (tensor<5x2xf32>) -> (tensor<5x2xf32>, tensor<5x5xf32>, tensor<5x2xf32>)
  return %0#1, %0#2 : tensor<5x5xf32>, tensor<5x2xf32>
}

func.func private @replace(%x: tensor<8xf32>, %i: tensor<3xi32>, %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = lathe.scatter set %x, %i, %u axis 0 : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: @vjp_replace(
// CHECK-DAG: lathe.scatter set %arg3, %arg1, %{{.*}} axis 0 : tensor<8xf32>
// CHECK-DAG: lathe.scatter set %{{.*}}, %arg1, %{{.*}} axis 0 : tensor<8xi64>
func.func @vjp_replace(%x: tensor<8xf32>, %i: tensor<3xi32>, %u: tensor<3xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  %0:3 = lathe.vjp @replace(%x, %i, %u) cotangents(%c) wrt [0, 2] : (tensor<8xf32>, tensor<3xi32>, tensor<3xf32>), (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<3xf32>)
  return %0#1, %0#2 : tensor<8xf32>, tensor<3xf32>
}

func.func private @line_of_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = lathe.cumulative product %x dim 1 : tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
// The operand itself: its tangent goes through.
// CHECK-LABEL: @jvp_line_of_one(
// CHECK: return %arg1
func.func @jvp_line_of_one(%x: tensor<4x1xf32>, %t: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0:2 = lathe.jvp @line_of_one(%x) tangents(%t) wrt [0] : (tensor<4x1xf32>), (tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return %0#1 : tensor<4x1xf32>
}
