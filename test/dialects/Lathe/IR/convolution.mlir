// RUN: lathe-opt %s | lathe-opt | FileCheck %s

// CHECK-LABEL: @paddings
func.func @paddings(%x: tensor<1x7x8x4xf32>, %w: tensor<3x2x4x6xf32>)
    -> (tensor<1x7x8x6xf32>, tensor<1x4x4x6xf32>, tensor<1x3x4x6xf32>, tensor<1x6x6x6xf32>) {
  // The odd element of padding is behind.
  // CHECK: lathe.conv %arg0, %arg1 stride [1, 1] pad {{\[\[}}1, 1], [0, 1]] : tensor<1x7x8x4xf32>, tensor<3x2x4x6xf32>
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<1x7x8x4xf32>, tensor<3x2x4x6xf32>
  // CHECK: lathe.conv %arg0, %arg1 stride [2, 2] pad {{\[\[}}1, 1], [0, 0]] :
  %1 = lathe.conv %x, %w stride [2, 2] pad same : tensor<1x7x8x4xf32>, tensor<3x2x4x6xf32>
  // CHECK: lathe.conv %arg0, %arg1 stride [2, 2] pad {{\[\[}}0, 0], [0, 0]] :
  %2 = lathe.conv %x, %w stride [2, 2] pad valid : tensor<1x7x8x4xf32>, tensor<3x2x4x6xf32>
  // CHECK: lathe.conv %arg0, %arg1 stride [1, 1] pad {{\[\[}}2, -1], [-1, 0]] :
  %3 = lathe.conv %x, %w stride [1, 1] pad [[2, -1], [-1, 0]] : tensor<1x7x8x4xf32>, tensor<3x2x4x6xf32>
  return %0, %1, %2, %3 : tensor<1x7x8x6xf32>, tensor<1x4x4x6xf32>, tensor<1x3x4x6xf32>, tensor<1x6x6x6xf32>
}

// CHECK-LABEL: @family
func.func @family(%x: tensor<?x9x8x4xf32, #lathe.dims<N>>, %w: tensor<3x2x2x6xf32>)
    -> (tensor<?x5x12x6xf32, #lathe.dims<N>>, tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>) {
  // CHECK: %[[Y:.*]] = lathe.conv %arg0, %arg1 stride [2, 1] pad {{\[\[}}1, 1], [0, 0]] dilation [1, 3] input_dilation [1, 2] groups 2 :
  %y = lathe.conv %x, %w stride [2, 1] pad [[1, 1], [0, 0]] dilation [1, 3] input_dilation [1, 2] groups 2 : tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>
  // CHECK: lathe.conv_input_grad %[[Y]], %arg1 input [9, 8] stride [2, 1] pad {{\[\[}}1, 1], [0, 0]] dilation [1, 3] input_dilation [1, 2] groups 2 :
  %dx = lathe.conv_input_grad %y, %w input [9, 8] stride [2, 1] pad [[1, 1], [0, 0]] dilation [1, 3] input_dilation [1, 2] groups 2 : tensor<?x5x12x6xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>
  // CHECK: lathe.conv_filter_grad %arg0, %[[Y]] filter [3, 2] stride [2, 1] pad {{\[\[}}1, 1], [0, 0]] dilation [1, 3] input_dilation [1, 2] groups 2 :
  %dw = lathe.conv_filter_grad %x, %y filter [3, 2] stride [2, 1] pad [[1, 1], [0, 0]] dilation [1, 3] input_dilation [1, 2] groups 2 : tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<?x5x12x6xf32, #lathe.dims<N>>
  return %y, %dx, %dw : tensor<?x5x12x6xf32, #lathe.dims<N>>, tensor<?x9x8x4xf32, #lathe.dims<N>>, tensor<3x2x2x6xf32>
}

// Extents that no padding gives.
// CHECK-LABEL: @output
// CHECK: lathe.conv %arg0, %arg1 output [2 * H, 9] stride [1, 1] pad {{\[\[}}1, 0], [1, 0]] input_dilation [2, 2]
func.func @output(%x: tensor<1x?x4x3xf32, #lathe.dims<H>>, %w: tensor<3x3x3x5xf32>) -> tensor<1x?x9x5xf32, #lathe.dims<2 * H>> {
  %0 = lathe.conv %x, %w output [2 * H, 9] stride [1, 1] pad [[1, 0], [1, 0]] input_dilation [2, 2] : tensor<1x?x4x3xf32, #lathe.dims<H>>, tensor<3x3x3x5xf32>
  return %0 : tensor<1x?x9x5xf32, #lathe.dims<2 * H>>
}

// One spatial dimension, three of them, and a named one.
// CHECK-LABEL: @ranks
func.func @ranks(%a: tensor<2x9x3xf64>, %f: tensor<4x3x5xf64>, %b: tensor<1x4x4x4x1xf32>, %g: tensor<2x2x2x1x1xf32>, %c: tensor<1x?x3xf64, #lathe.dims<L>>)
    -> (tensor<2x6x5xf64>, tensor<1x3x3x3x1xf32>, tensor<1x?x5xf64, #lathe.dims<L - 1>>, tensor<1x?x5xf64, #lathe.dims<L>>) {
  %0 = lathe.conv %a, %f stride [1] pad valid : tensor<2x9x3xf64>, tensor<4x3x5xf64>
  %1 = lathe.conv %b, %g stride [1, 1, 1] pad valid : tensor<1x4x4x4x1xf32>, tensor<2x2x2x1x1xf32>
  %2 = lathe.conv %c, %f stride [1] pad [[1, 1]] : tensor<1x?x3xf64, #lathe.dims<L>>, tensor<4x3x5xf64>
  %3 = lathe.conv %c, %f stride [1] pad same : tensor<1x?x3xf64, #lathe.dims<L>>, tensor<4x3x5xf64>
  return %0, %1, %2, %3 : tensor<2x6x5xf64>, tensor<1x3x3x3x1xf32>, tensor<1x?x5xf64, #lathe.dims<L - 1>>, tensor<1x?x5xf64, #lathe.dims<L>>
}
