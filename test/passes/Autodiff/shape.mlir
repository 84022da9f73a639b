// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s

func.func private @slice(%x: tensor<2x9xf32>) -> tensor<2x3xf32> {
  %0 = lathe.slice %x from [0, 2] to [2, 8] step [1, 2] : tensor<2x9xf32>
  return %0 : tensor<2x3xf32>
}
// Elements 2, 4 and 6 were read: two zeros before, two after, one between.
// CHECK-LABEL: @vjp_slice(
// CHECK: lathe.pad %arg1, %{{.*}} low [0, 2] high [0, 2] interior [0, 1]
func.func @vjp_slice(%x: tensor<2x9xf32>, %c: tensor<2x3xf32>) -> tensor<2x9xf32> {
  %0:2 = lathe.vjp @slice(%x) cotangents(%c) wrt [0] : (tensor<2x9xf32>), (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x9xf32>)
  return %0#1 : tensor<2x9xf32>
}

func.func private @head(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<3xf32> {
  %0 = lathe.slice %x from [1] to [4] : tensor<?xf32, #lathe.dims<N>>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: @vjp_head(
// CHECK: lathe.pad %arg1, %{{.*}} low [1] high [N - 4]
func.func @vjp_head(%x: tensor<?xf32, #lathe.dims<N>>, %c: tensor<3xf32>) -> tensor<?xf32, #lathe.dims<N>> {
  %0:2 = lathe.vjp @head(%x) cotangents(%c) wrt [0] : (tensor<?xf32, #lathe.dims<N>>), (tensor<3xf32>) -> (tensor<3xf32>, tensor<?xf32, #lathe.dims<N>>)
  return %0#1 : tensor<?xf32, #lathe.dims<N>>
}

func.func private @pad(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %0 = lathe.pad %x, %v low [2] high [-1] interior [1] : tensor<3xf32>, tensor<f32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: @vjp_pad(
// CHECK: %[[CUT:.*]] = lathe.pad %arg2, %{{.*}} low [-2] high [1]
// CHECK: %[[DX:.*]] = lathe.slice %[[CUT]] from [0] to [5] step [2]
// CHECK: %[[ISX:.*]] = lathe.pad %{{.*}}, %{{.*}} low [2] high [-1] interior [1] : tensor<3xi1>
// CHECK: %[[OTHERS:.*]] = lathe.select %[[ISX]], %{{.*}}, %arg2
// CHECK: %[[DV:.*]] = lathe.reduce sum %[[OTHERS]] dims [0]
// CHECK: return %[[DX]], %[[DV]]
func.func @vjp_pad(%x: tensor<3xf32>, %v: tensor<f32>, %c: tensor<6xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %0:3 = lathe.vjp @pad(%x, %v) cotangents(%c) wrt [0, 1] : (tensor<3xf32>, tensor<f32>), (tensor<6xf32>) -> (tensor<6xf32>, tensor<3xf32>, tensor<f32>)
  return %0#1, %0#2 : tensor<3xf32>, tensor<f32>
}

func.func private @crop(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = lathe.pad %x, %v low [0] high [-1] interior [0] : tensor<3xf32>, tensor<f32>
  return %0 : tensor<2xf32>
}
// The padding contributes nothing, whatever the cotangent: a difference of sums would be NaN if the cotangent is infinite.
// CHECK-LABEL: @vjp_crop(
// CHECK: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NOT: lathe.sub
// CHECK: return %{{.*}}, %[[ZERO]]
func.func @vjp_crop(%x: tensor<3xf32>, %v: tensor<f32>, %c: tensor<2xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %0:3 = lathe.vjp @crop(%x, %v) cotangents(%c) wrt [0, 1] : (tensor<3xf32>, tensor<f32>), (tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>)
  return %0#1, %0#2 : tensor<3xf32>, tensor<f32>
}

func.func private @concatenate(%a: tensor<?x2xf32, #lathe.dims<N>>, %b: tensor<3x2xf32>, %c: tensor<?x2xf32, #lathe.dims<M>>) -> tensor<?x2xf32, #lathe.dims<M + N + 3>> {
  %0 = lathe.concatenate %a, %b, %c dim 0 : tensor<?x2xf32, #lathe.dims<N>>, tensor<3x2xf32>, tensor<?x2xf32, #lathe.dims<M>>
  return %0 : tensor<?x2xf32, #lathe.dims<M + N + 3>>
}
// Parts begin at named places.
// CHECK-LABEL: @vjp_concatenate(
// CHECK: lathe.slice %arg3 from [N, 0] to [N + 3, 2]
// CHECK: lathe.slice %arg3 from [N + 3, 0] to [M + N + 3, 2]
func.func @vjp_concatenate(%a: tensor<?x2xf32, #lathe.dims<N>>, %b: tensor<3x2xf32>, %c: tensor<?x2xf32, #lathe.dims<M>>, %d: tensor<?x2xf32, #lathe.dims<M + N + 3>>) -> (tensor<3x2xf32>, tensor<?x2xf32, #lathe.dims<M>>) {
  %0:3 = lathe.vjp @concatenate(%a, %b, %c) cotangents(%d) wrt [1, 2] : (tensor<?x2xf32, #lathe.dims<N>>, tensor<3x2xf32>, tensor<?x2xf32, #lathe.dims<M>>), (tensor<?x2xf32, #lathe.dims<M + N + 3>>) -> (tensor<?x2xf32, #lathe.dims<M + N + 3>>, tensor<3x2xf32>, tensor<?x2xf32, #lathe.dims<M>>)
  return %0#1, %0#2 : tensor<3x2xf32>, tensor<?x2xf32, #lathe.dims<M>>
}

func.func private @grow(%x: tensor<4x1xf32>) -> tensor<2x4x?xf32, #lathe.dims<N>> {
  %0 = lathe.broadcast %x dims [1, 2] to [2, 4, N] : tensor<4x1xf32> -> tensor<2x4x?xf32, #lathe.dims<N>>
  return %0 : tensor<2x4x?xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_grow(
// CHECK-NEXT: %[[SUM:.*]] = lathe.reduce sum %arg1 dims [0, 2]
// CHECK-NEXT: %[[DX:.*]] = lathe.reshape %[[SUM]] to [4, 1]
// CHECK-NEXT: return %[[DX]]
func.func @vjp_grow(%x: tensor<4x1xf32>, %c: tensor<2x4x?xf32, #lathe.dims<N>>) -> tensor<4x1xf32> {
  %0:2 = lathe.vjp @grow(%x) cotangents(%c) wrt [0] : (tensor<4x1xf32>), (tensor<2x4x?xf32, #lathe.dims<N>>) -> (tensor<2x4x?xf32, #lathe.dims<N>>, tensor<4x1xf32>)
  return %0#1 : tensor<4x1xf32>
}

func.func private @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = lathe.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  return %0 : tensor<4x2x3xf32>
}
// CHECK-LABEL: @vjp_transpose(
// CHECK: lathe.transpose %arg1 [1, 2, 0]
func.func @vjp_transpose(%x: tensor<2x3x4xf32>, %c: tensor<4x2x3xf32>) -> tensor<2x3x4xf32> {
  %0:2 = lathe.vjp @transpose(%x) cotangents(%c) wrt [0] : (tensor<2x3x4xf32>), (tensor<4x2x3xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>)
  return %0#1 : tensor<2x3x4xf32>
}
