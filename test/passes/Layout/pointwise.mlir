// RUN: split-file %s %t
// RUN: lathe-opt %t/host.mlir --lathe-layout | FileCheck %t/host.mlir
// RUN: lathe-opt %t/device.mlir --lathe-layout | FileCheck %t/device.mlir
// RUN: lathe-run %t/net.mlir --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %t/net.mlir --random --check --rtol 1e-5 --atol 1e-5 --threads 3 --target x86-64-v2
// RUN: lathe-run %t/net.mlir step --random --gradcheck
// RUN: lathe-run %t/net.mlir gradients --random --dim N=3 --check --rtol 1e-5 --atol 1e-5
// A convolution with one tap is a product of all positions by a matrix, unless it skips positions or pads. The gradient of its
// filter is one even if it skips positions, which are copied.

//--- host.mlir
// CHECK-LABEL: @product(
// CHECK: %[[W:.*]] = lathe.reshape %arg1 to [8, 5] : tensor<1x1x8x5xf32>
// CHECK: lathe.dot_general %arg0, %[[W]] contract [3] x [0] : tensor<?x6x7x8xf32, #lathe.dims<N>>, tensor<8x5xf32>
func.func @product(%x: tensor<?x6x7x8xf32, #lathe.dims<N>>, %w: tensor<1x1x8x5xf32>) -> tensor<?x6x7x5xf32, #lathe.dims<N>> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] : tensor<?x6x7x8xf32, #lathe.dims<N>>, tensor<1x1x8x5xf32>
  return %0 : tensor<?x6x7x5xf32, #lathe.dims<N>>
}

// CHECK-LABEL: @others(
// CHECK-NOT: lathe.dot_general
// CHECK: return
func.func @others(%x: tensor<1x6x7x8xf32>, %w: tensor<1x1x8x5xf32>, %g: tensor<1x1x4x6xf32>, %k: tensor<1x3x8x5xf32>)
    -> (tensor<1x3x4x5xf32>, tensor<1x8x7x5xf32>, tensor<1x6x7x6xf32>, tensor<1x6x5x5xf32>) {
  %0 = lathe.conv %x, %w stride [2, 2] pad [[0, 0], [0, 0]] : tensor<1x6x7x8xf32>, tensor<1x1x8x5xf32>
  %1 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [0, 0]] : tensor<1x6x7x8xf32>, tensor<1x1x8x5xf32>
  %2 = lathe.conv %x, %g stride [1, 1] pad [[0, 0], [0, 0]] groups 2 : tensor<1x6x7x8xf32>, tensor<1x1x4x6xf32>
  %3 = lathe.conv %x, %k stride [1, 1] pad [[0, 0], [0, 0]] : tensor<1x6x7x8xf32>, tensor<1x3x8x5xf32>
  return %0, %1, %2, %3 : tensor<1x3x4x5xf32>, tensor<1x8x7x5xf32>, tensor<1x6x7x6xf32>, tensor<1x6x5x5xf32>
}

// CHECK-LABEL: @gradients(
// CHECK: %[[DOT:.*]] = lathe.dot_general %arg0, %arg1 contract [0, 1, 2] x [0, 1, 2] : tensor<?x6x7x8xf32, #lathe.dims<N>>, tensor<?x6x7x5xf32, #lathe.dims<N>>
// CHECK: lathe.reshape %[[DOT]] to [1, 1, 8, 5] : tensor<8x5xf32>
// CHECK: %[[READ:.*]] = lathe.slice %arg0 from [0, 0, 0, 0] to [N, 5, 7, 8] step [1, 2, 3, 1]
// CHECK: lathe.dot_general %[[READ]], %arg2 contract [0, 1, 2] x [0, 1, 2]
// CHECK: lathe.conv_filter_grad
// CHECK: return
func.func @gradients(%x: tensor<?x6x7x8xf32, #lathe.dims<N>>, %y: tensor<?x6x7x5xf32, #lathe.dims<N>>, %z: tensor<?x3x3x5xf32, #lathe.dims<N>>,
                     %p: tensor<?x8x7x5xf32, #lathe.dims<N>>) -> (tensor<1x1x8x5xf32>, tensor<1x1x8x5xf32>, tensor<1x1x8x5xf32>) {
  %0 = lathe.conv_filter_grad %x, %y filter [1, 1] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<?x6x7x8xf32, #lathe.dims<N>>, tensor<?x6x7x5xf32, #lathe.dims<N>>
  %1 = lathe.conv_filter_grad %x, %z filter [1, 1] stride [2, 3] pad [[0, 0], [0, 0]] : tensor<?x6x7x8xf32, #lathe.dims<N>>, tensor<?x3x3x5xf32, #lathe.dims<N>>
  %2 = lathe.conv_filter_grad %x, %p filter [1, 1] stride [1, 1] pad [[1, 1], [0, 0]] : tensor<?x6x7x8xf32, #lathe.dims<N>>, tensor<?x8x7x5xf32, #lathe.dims<N>>
  return %0, %1, %2 : tensor<1x1x8x5xf32>, tensor<1x1x8x5xf32>, tensor<1x1x8x5xf32>
}

//--- device.mlir
module attributes {lathe.on_device} {
  // CHECK-LABEL: @product(
  // CHECK-NOT: lathe.dot_general
  // CHECK: lathe.conv
  func.func @product(%x: tensor<2x6x7x8xf32>, %w: tensor<1x1x8x5xf32>) -> tensor<2x6x7x5xf32> {
    %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x6x7x8xf32>, tensor<1x1x8x5xf32>
    return %0 : tensor<2x6x7x5xf32>
  }
}

//--- net.mlir
func.func @f(%x: tensor<2x5x7x18xf32>, %v: tensor<3x9x4xf64>, %w: tensor<1x1x18x21xf32>, %u: tensor<1x4x1xf64>, %b: tensor<21xf32>)
    -> (tensor<2x5x7x21xf32>, tensor<3x9x1xf64>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x5x7x18xf32>, tensor<1x1x18x21xf32>
  %1 = lathe.add %0, %b : tensor<2x5x7x21xf32>, tensor<21xf32>
  %2 = lathe.max %1, %0 : tensor<2x5x7x21xf32>
  %3 = lathe.conv %v, %u stride [1] pad [[0, 0]] : tensor<3x9x4xf64>, tensor<1x4x1xf64>
  return %2, %3 : tensor<2x5x7x21xf32>, tensor<3x9x1xf64>
}
func.func @step(%x: tensor<2x3x2x4xf32>, %w: tensor<1x1x4x3xf32>) -> tensor<f32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x3x2x4xf32>, tensor<1x1x4x3xf32>
  %1 = lathe.mul %0, %0 : tensor<2x3x2x3xf32>
  %2 = lathe.reduce sum %1 dims [0, 1, 2, 3] : tensor<2x3x2x3xf32>
  return %2 : tensor<f32>
}
func.func @gradients(%x: tensor<?x6x7x8xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x6x7x5xf32> {lathe.dims = #lathe.dims<N>},
                     %z: tensor<?x3x3x5xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<1x1x8x5xf32>, tensor<1x1x8x5xf32>) {
  %0 = lathe.conv_filter_grad %x, %y filter [1, 1] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<?x6x7x8xf32>, tensor<?x6x7x5xf32>
  %1 = lathe.conv_filter_grad %x, %z filter [1, 1] stride [2, 3] pad [[0, 0], [0, 0]] : tensor<?x6x7x8xf32>, tensor<?x3x3x5xf32>
  return %0, %1 : tensor<1x1x8x5xf32>, tensor<1x1x8x5xf32>
}
