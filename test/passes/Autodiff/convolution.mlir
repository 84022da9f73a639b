// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s
// The transposes of each member of the family are the other two, with its geometry and the spatial extents of what is missing.

func.func private @conv(%x: tensor<?x9x8x4xf32, #lathe.dims<N>>, %w: tensor<3x2x2x6xf32>) -> tensor<?x5x6x6xf32, #lathe.dims<N>> {
  %0 = lathe.conv %x, %w stride [2, 1] pad [[1, 1], [0, 0]] dilation [1, 2] groups 2 : tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>
  return %0 : tensor<?x5x6x6xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_conv(
// CHECK: lathe.conv_filter_grad %arg0, %arg2 filter [3, 2] stride [2, 1] pad {{\[\[}}1, 1], [0, 0]] dilation [1, 2] groups 2
// CHECK: lathe.conv_input_grad %arg2, %arg1 input [9, 8] stride [2, 1] pad {{\[\[}}1, 1], [0, 0]] dilation [1, 2] groups 2
func.func @vjp_conv(%x: tensor<?x9x8x4xf32, #lathe.dims<N>>, %w: tensor<3x2x2x6xf32>, %c: tensor<?x5x6x6xf32, #lathe.dims<N>>) -> (tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>) {
  %0:3 = lathe.vjp @conv(%x, %w) cotangents(%c) wrt [0, 1] : (tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>), (tensor<?x5x6x6xf32, #lathe.dims<N>>) -> (tensor<?x5x6x6xf32, #lathe.dims<N>>, tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>)
  return %0#1, %0#2 : tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>
}

func.func private @deconv(%y: tensor<1x4x3xf32>, %w: tensor<2x5x3xf32>) -> tensor<1x8x5xf32> {
  %0 = lathe.conv_input_grad %y, %w input [8] stride [2] pad [[0, 0]] : tensor<1x4x3xf32>, tensor<2x5x3xf32>
  return %0 : tensor<1x8x5xf32>
}
// CHECK-LABEL: @vjp_deconv(
// CHECK: lathe.conv_filter_grad %arg2, %arg0 filter [2] stride [2] pad {{\[\[}}0, 0]]
// CHECK: lathe.conv %arg2, %arg1 stride [2] pad {{\[\[}}0, 0]]
func.func @vjp_deconv(%y: tensor<1x4x3xf32>, %w: tensor<2x5x3xf32>, %c: tensor<1x8x5xf32>) -> (tensor<1x4x3xf32>, tensor<2x5x3xf32>) {
  %0:3 = lathe.vjp @deconv(%y, %w) cotangents(%c) wrt [0, 1] : (tensor<1x4x3xf32>, tensor<2x5x3xf32>), (tensor<1x8x5xf32>) -> (tensor<1x8x5xf32>, tensor<1x4x3xf32>, tensor<2x5x3xf32>)
  return %0#1, %0#2 : tensor<1x4x3xf32>, tensor<2x5x3xf32>
}

func.func private @filter(%x: tensor<1x8x5xf32>, %y: tensor<1x4x3xf32>) -> tensor<2x5x3xf32> {
  %0 = lathe.conv_filter_grad %x, %y filter [2] stride [2] pad [[0, 0]] : tensor<1x8x5xf32>, tensor<1x4x3xf32>
  return %0 : tensor<2x5x3xf32>
}
// CHECK-LABEL: @vjp_filter(
// CHECK: lathe.conv %arg0, %arg2 stride [2] pad {{\[\[}}0, 0]]
// CHECK: lathe.conv_input_grad %arg1, %arg2 input [8] stride [2] pad {{\[\[}}0, 0]]
func.func @vjp_filter(%x: tensor<1x8x5xf32>, %y: tensor<1x4x3xf32>, %c: tensor<2x5x3xf32>) -> (tensor<1x8x5xf32>, tensor<1x4x3xf32>) {
  %0:3 = lathe.vjp @filter(%x, %y) cotangents(%c) wrt [0, 1] : (tensor<1x8x5xf32>, tensor<1x4x3xf32>), (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<1x8x5xf32>, tensor<1x4x3xf32>)
  return %0#1, %0#2 : tensor<1x8x5xf32>, tensor<1x4x3xf32>
}
