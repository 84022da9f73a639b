// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s

func.func private @pick(%x: tensor<?x10xf32, #lathe.dims<N>>, %i: tensor<?xi32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.gather %x, %i axis 1 batch 1 : tensor<?x10xf32, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>
  return %0 : tensor<?xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_pick(
// CHECK: %[[ZERO:.*]] = lathe.broadcast %{{.*}} dims [] to [N, 10]
// CHECK: lathe.scatter add %[[ZERO]], %arg1, %arg2 axis 1 batch 1
func.func @vjp_pick(%x: tensor<?x10xf32, #lathe.dims<N>>, %i: tensor<?xi32, #lathe.dims<N>>, %c: tensor<?xf32, #lathe.dims<N>>) -> tensor<?x10xf32, #lathe.dims<N>> {
  %0:2 = lathe.vjp @pick(%x, %i) cotangents(%c) wrt [0] : (tensor<?x10xf32, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>), (tensor<?xf32, #lathe.dims<N>>) -> (tensor<?xf32, #lathe.dims<N>>, tensor<?x10xf32, #lathe.dims<N>>)
  return %0#1 : tensor<?x10xf32, #lathe.dims<N>>
}

func.func private @put(%x: tensor<10x2xf32>, %i: tensor<3xi32>, %u: tensor<3x2xf32>) -> tensor<10x2xf32> {
  %0 = lathe.scatter add %x, %i, %u axis 0 batch 0 : tensor<10x2xf32>, tensor<3xi32>, tensor<3x2xf32>
  return %0 : tensor<10x2xf32>
}
// CHECK-LABEL: @vjp_put(
// CHECK-NEXT: %[[DU:.*]] = lathe.gather %arg3, %arg1 axis 0
// CHECK-NEXT: return %arg3, %[[DU]]
func.func @vjp_put(%x: tensor<10x2xf32>, %i: tensor<3xi32>, %u: tensor<3x2xf32>, %c: tensor<10x2xf32>) -> (tensor<10x2xf32>, tensor<3x2xf32>) {
  %0:3 = lathe.vjp @put(%x, %i, %u) cotangents(%c) wrt [0, 2] : (tensor<10x2xf32>, tensor<3xi32>, tensor<3x2xf32>), (tensor<10x2xf32>) -> (tensor<10x2xf32>, tensor<10x2xf32>, tensor<3x2xf32>)
  return %0#1, %0#2 : tensor<10x2xf32>, tensor<3x2xf32>
}

func.func private @replaced(%x: tensor<3xf32>, %c: tensor<3xf32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = lathe.dynamic_update_slice %x, %c [%i] : tensor<3xf32>, tensor<3xf32>, (tensor<i32>)
  %1 = lathe.reduce sum %0 dims [0] : tensor<3xf32>
  return %1 : tensor<f32>
}
// All of %x is overwritten: what comes of the operand that stays is a zero for the ops behind it, not nothing.
// CHECK-LABEL: @jvp_replaced(
// CHECK: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK: %[[SUM:.*]] = lathe.reduce sum %[[ZERO]] dims [0]
// CHECK: return %[[SUM]]
func.func @jvp_replaced(%x: tensor<3xf32>, %t: tensor<3xf32>, %c: tensor<3xf32>, %i: tensor<i32>) -> tensor<f32> {
  %0:2 = lathe.jvp @replaced(%x, %c, %i) tangents(%t) wrt [0] : (tensor<3xf32>, tensor<3xf32>, tensor<i32>), (tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
