// RUN: lathe-run %s --interpret | FileCheck %s
// One dimension, where results fit on a line; several dimensions, groups and dilations together are checked by their adjoints.
// RUN: lathe-run %s adjoint --random --interpret --expect transposed=0 --expect filtered=0 --atol 1e-12
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0

func.func @main() -> (tensor<1x3x1xf32>, tensor<1x4x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x6x1xf32>, tensor<1x2x2xf32>,
                      tensor<1x4x1xf32>, tensor<2x1x1xf32>) {
  %x = lathe.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = lathe.constant dense<[[[10.0]], [[1.0]]]> : tensor<2x1x1xf32>
  // No flip: output o is 10 x[o] + x[o + 1].
  // CHECK: valid: {{.*}}: 12 23 34
  %valid = lathe.conv %x, %w stride [1] pad valid : tensor<1x4x1xf32>, tensor<2x1x1xf32>
  // The odd element of padding is behind.
  // CHECK: same: {{.*}}: 12 23 34 40
  %same = lathe.conv %x, %w stride [1] pad same : tensor<1x4x1xf32>, tensor<2x1x1xf32>
  // CHECK: strided: {{.*}}: 12 34
  %strided = lathe.conv %x, %w stride [2] pad valid : tensor<1x4x1xf32>, tensor<2x1x1xf32>
  // CHECK: dilated: {{.*}}: 13 24
  %dilated = lathe.conv %x, %w stride [1] pad valid dilation [2] : tensor<1x4x1xf32>, tensor<2x1x1xf32>
  // CHECK: spread: {{.*}}: 10 2 20 3 30 4
  %spread = lathe.conv %x, %w stride [1] pad valid input_dilation [2] : tensor<1x4x1xf32>, tensor<2x1x1xf32>
  %two = lathe.reshape %x to [1, 2, 2] : tensor<1x4x1xf32>
  %v = lathe.constant dense<[[[10.0, 100.0]]]> : tensor<1x1x2xf32>
  // Each group sees its own channel.
  // CHECK: grouped: {{.*}}: 10 200 30 400
  %grouped = lathe.conv %two, %v stride [1] pad valid groups 2 : tensor<1x2x2xf32>, tensor<1x1x2xf32>
  %y = lathe.constant dense<[[[1.0], [1.0], [2.0]]]> : tensor<1x3x1xf32>
  // CHECK: input: {{.*}}: 10 11 21 2
  %input = lathe.conv_input_grad %y, %w input [4] stride [1] pad valid : tensor<1x3x1xf32>, tensor<2x1x1xf32>
  // CHECK: filter: {{.*}}: 9 13
  %filter = lathe.conv_filter_grad %x, %y filter [2] stride [1] pad valid : tensor<1x4x1xf32>, tensor<1x3x1xf32>
  return %valid, %same, %strided, %dilated, %spread, %grouped, %input, %filter
    : tensor<1x3x1xf32>, tensor<1x4x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x6x1xf32>, tensor<1x2x2xf32>,
      tensor<1x4x1xf32>, tensor<2x1x1xf32>
}

// <y, conv(x, w)> = <x, input_grad(y, w)> = <w, filter_grad(x, y)>
func.func @adjoint(%x: tensor<2x7x6x4xf64>, %w: tensor<3x2x2x6xf64>, %y: tensor<2x3x7x6xf64>) -> (tensor<f64>, tensor<f64>) {
  %c = lathe.conv %x, %w stride [2, 1] pad [[2, 1], [-1, 0]] dilation [2, 3] input_dilation [1, 2] groups 2 : tensor<2x7x6x4xf64>, tensor<3x2x2x6xf64>
  %g = lathe.conv_input_grad %y, %w input [7, 6] stride [2, 1] pad [[2, 1], [-1, 0]] dilation [2, 3] input_dilation [1, 2] groups 2 : tensor<2x3x7x6xf64>, tensor<3x2x2x6xf64>
  %h = lathe.conv_filter_grad %x, %y filter [3, 2] stride [2, 1] pad [[2, 1], [-1, 0]] dilation [2, 3] input_dilation [1, 2] groups 2 : tensor<2x7x6x4xf64>, tensor<2x3x7x6xf64>
  %0 = lathe.dot_general %y, %c contract [0, 1, 2, 3] x [0, 1, 2, 3] : tensor<2x3x7x6xf64>
  %1 = lathe.dot_general %x, %g contract [0, 1, 2, 3] x [0, 1, 2, 3] : tensor<2x7x6x4xf64>
  %2 = lathe.dot_general %w, %h contract [0, 1, 2, 3] x [0, 1, 2, 3] : tensor<3x2x2x6xf64>
  %transposed = lathe.sub %0, %1 : tensor<f64>
  %filtered = lathe.sub %0, %2 : tensor<f64>
  return %transposed, %filtered : tensor<f64>, tensor<f64>
}
