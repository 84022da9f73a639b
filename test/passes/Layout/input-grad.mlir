// RUN: lathe-opt %s --lathe-layout | FileCheck %s
// Stride and input dilation change places; the padding is such that the result has the shape that was asked for.

// CHECK-LABEL: @same(
// CHECK: %[[T:.*]] = lathe.transpose %arg1 [0, 1, 3, 2] : tensor<3x3x2x4xf32>
// CHECK: %[[R:.*]] = lathe.reverse %[[T]] dims [0, 1] : tensor<3x3x4x2xf32>
// CHECK: lathe.conv %arg0, %[[R]] stride [1, 1] pad {{\[\[}}1, 1], [1, 1]] : tensor<?x8x8x4xf32, #lathe.dims<N>>, tensor<3x3x4x2xf32>
func.func @same(%dy: tensor<?x8x8x4xf32, #lathe.dims<N>>, %w: tensor<3x3x2x4xf32>) -> tensor<?x8x8x2xf32, #lathe.dims<N>> {
  %0 = lathe.conv_input_grad %dy, %w input [8, 8] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x8x8x4xf32, #lathe.dims<N>>, tensor<3x3x2x4xf32>
  return %0 : tensor<?x8x8x2xf32, #lathe.dims<N>>
}

// An even extent under stride 2: the last column takes part with fewer taps.
// CHECK-LABEL: @strided(
// CHECK: lathe.conv %arg0, %{{.*}} stride [1, 1] pad {{\[\[}}2, 2], [2, 2]] input_dilation [2, 2]
func.func @strided(%dy: tensor<1x4x4x4xf32>, %w: tensor<3x3x2x4xf32>) -> tensor<1x9x9x2xf32> {
  %0 = lathe.conv_input_grad %dy, %w input [9, 9] stride [2, 2] pad [[0, 0], [0, 0]] : tensor<1x4x4x4xf32>, tensor<3x3x2x4xf32>
  return %0 : tensor<1x9x9x2xf32>
}

// CHECK-LABEL: @dilated(
// CHECK: lathe.conv %arg0, %{{.*}} stride [2] pad {{\[\[}}4, 3]] dilation [2] input_dilation [3]
func.func @dilated(%dy: tensor<1x4x3xf32>, %w: tensor<3x5x3xf32>) -> tensor<1x7x5xf32> {
  %0 = lathe.conv_input_grad %dy, %w input [7] stride [3] pad [[0, 2]] dilation [2] input_dilation [2] : tensor<1x4x3xf32>, tensor<3x5x3xf32>
  return %0 : tensor<1x7x5xf32>
}

// Channels and filters change places within each group.
// CHECK-LABEL: @groups(
// CHECK: %[[SPLIT:.*]] = lathe.reshape %arg1 to [3, 1, 2, 3] : tensor<3x1x6xf32>
// CHECK: %[[TURNED:.*]] = lathe.transpose %[[SPLIT]] [0, 3, 2, 1] : tensor<3x1x2x3xf32>
// CHECK: %[[SWAPPED:.*]] = lathe.reshape %[[TURNED]] to [3, 3, 2]
// CHECK: %[[MIRRORED:.*]] = lathe.reverse %[[SWAPPED]] dims [0]
// CHECK: lathe.conv %arg0, %[[MIRRORED]] stride [1] pad {{\[\[}}1, 1]] groups 2
func.func @groups(%dy: tensor<1x4x6xf32>, %w: tensor<3x1x6xf32>) -> tensor<1x4x2xf32> {
  %0 = lathe.conv_input_grad %dy, %w input [4] stride [1] pad [[1, 1]] groups 2 : tensor<1x4x6xf32>, tensor<3x1x6xf32>
  return %0 : tensor<1x4x2xf32>
}

// With named extents and a stride, the trailing padding is open: the convolution has the extents that the gradient declares.
// CHECK-LABEL: @open(
// CHECK: lathe.conv %arg0, %{{.*}} output [H, 9] stride [1, 1] pad {{\[\[}}1, 0], [1, 0]] input_dilation [2, 2]
func.func @open(%dy: tensor<1x?x5x4xf32, #lathe.dims<ceil_div(H, 2)>>, %w: tensor<3x3x2x4xf32>) -> tensor<1x?x9x2xf32, #lathe.dims<H>> {
  %0 = lathe.conv_input_grad %dy, %w input [H, 9] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x?x5x4xf32, #lathe.dims<ceil_div(H, 2)>>, tensor<3x3x2x4xf32>
  return %0 : tensor<1x?x9x2xf32, #lathe.dims<H>>
}

// Without a stride it is a number.
// CHECK-LABEL: @open_even(
// CHECK: lathe.conv %arg0, %{{.*}} stride [1] pad {{\[\[}}1, 1]] :
func.func @open_even(%dy: tensor<1x?x4xf32, #lathe.dims<W>>, %w: tensor<3x2x4xf32>) -> tensor<1x?x2xf32, #lathe.dims<W>> {
  %0 = lathe.conv_input_grad %dy, %w input [W] stride [1] pad [[1, 1]] : tensor<1x?x4xf32, #lathe.dims<W>>, tensor<3x2x4xf32>
  return %0 : tensor<1x?x2xf32, #lathe.dims<W>>
}
