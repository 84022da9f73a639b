// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of the convolution family, as numbered in ReductionOps.td.

// conv_c1
func.func @conv_c1(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf64>) {
  // expected-error @+1 {{lathe.conv: operand 'input' has element type 'f32', operand 'filter' 'f64'}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf64>
  return
}

// -----

// conv_c2
func.func @conv_c2(%x: tensor<1x8x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: operand 'input' has rank 4, operand 'filter' 3}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<3x4x6xf32>
  return
}

// -----

// conv_c2_low
func.func @conv_c2_low(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) {
  // expected-error @+1 {{lathe.conv: operands need rank 3 or more, [batch, spatial..., channels], got rank 2}}
  %0 = lathe.conv %x, %w stride [] pad valid : tensor<8x4xf32>, tensor<4x6xf32>
  return
}

// -----

// conv_c3
func.func @conv_c3(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'stride' has 1 entries for 2 spatial dimensions}}
  %0 = lathe.conv %x, %w stride [1] pad valid : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c3_pad
func.func @conv_c3_pad(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'pad' has 1 entries for 2 spatial dimensions}}
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1]] : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c4
func.func @conv_c4(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'stride' must be at least 1, got [1, 0]}}
  %0 = lathe.conv %x, %w stride [1, 0] pad valid : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c4_dilation
func.func @conv_c4_dilation(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'dilation' must be at least 1, got [0, 1]}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid dilation [0, 1] : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c4_groups
func.func @conv_c4_groups(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'groups' must be at least 1, got 0}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid groups 0 : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c5
func.func @conv_c5(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x3x6xf32>) {
  // expected-error @+1 {{lathe.conv: operand 1 'filter' has 3 input channels, operand 0 'input' has 4}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<3x3x3x6xf32>
  return
}

// -----

// conv_c5_groups
func.func @conv_c5_groups(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: operand 1 'filter' has 4 input channels in each of 2 groups, operand 0 'input' has 4}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid groups 2 : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c6
func.func @conv_c6(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{lathe.conv: 5 output channels do not divide into 2 groups}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid groups 2 : tensor<1x8x8x4xf32>, tensor<3x3x2x5xf32>
  return
}

// -----

// conv_c7
func.func @conv_c7(%x: tensor<1x8x8x4xf32>, %w: tensor<10x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: the filter's extent 10 in spatial dimension 0 is larger than the padded input's 8}}
  %0 = lathe.conv %x, %w stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<10x3x4x6xf32>
  return
}

// -----

// conv_pad_same_named_filter
func.func @conv_pad_same_named_filter(%x: tensor<1x8x8x4xf32>, %w: tensor<?x3x4x6xf32, #lathe.dims<K>>) {
  // expected-error @+1 {{lathe.conv: the filter's spatial extent 0 is the named K}}
  %0 = lathe.conv %x, %w stride [2, 1] pad same : tensor<1x8x8x4xf32>, tensor<?x3x4x6xf32, #lathe.dims<K>>
  return
}

// -----

// conv_input_grad_c9_same: as many places as ceil(H / 2)
func.func @conv_input_grad_c9_same(%x: tensor<1x5x6x6xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv_input_grad: operand 0 'output' has extent 5 in spatial dimension 0, but the convolution gives ceil_div(H, 2)}}
  %0 = lathe.conv_input_grad %x, %w input [H, 6] stride [2, 1] pad same : tensor<1x5x6x6xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_input_grad_c9
func.func @conv_input_grad_c9(%x: tensor<1x5x6x6xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv_input_grad: operand 0 'output' has extent 5 in spatial dimension 0, but the convolution gives 6}}
  %0 = lathe.conv_input_grad %x, %w input [8, 8] stride [1, 1] pad valid : tensor<1x5x6x6xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_input_grad_c9_channels
func.func @conv_input_grad_c9_channels(%x: tensor<1x6x6x5xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv_input_grad: operand 1 'filter' has 6 output channels, operand 0 'output' has 5}}
  %0 = lathe.conv_input_grad %x, %w input [8, 8] stride [1, 1] pad valid : tensor<1x6x6x5xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_input_grad_c3
func.func @conv_input_grad_c3(%x: tensor<1x6x6x6xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv_input_grad: 'input' has 1 entries for 2 spatial dimensions}}
  %0 = lathe.conv_input_grad %x, %w input [8] stride [1, 1] pad valid : tensor<1x6x6x6xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_filter_grad_c9
func.func @conv_filter_grad_c9(%x: tensor<1x8x8x4xf32>, %w: tensor<1x6x5x6xf32>) {
  // expected-error @+1 {{lathe.conv_filter_grad: operand 1 'output' has extent 5 in spatial dimension 1, but the convolution gives 6}}
  %0 = lathe.conv_filter_grad %x, %w filter [3, 3] stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<1x6x5x6xf32>
  return
}

// -----

// conv_filter_grad_c9_batch
func.func @conv_filter_grad_c9_batch(%x: tensor<1x8x8x4xf32>, %w: tensor<2x6x6x6xf32>) {
  // expected-error @+1 {{lathe.conv_filter_grad: operand 0 'input' has batch 1, operand 1 'output' 2}}
  %0 = lathe.conv_filter_grad %x, %w filter [3, 3] stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<2x6x6x6xf32>
  return
}

// -----

// conv_filter_grad_c5
func.func @conv_filter_grad_c5(%x: tensor<1x8x8x4xf32>, %w: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{lathe.conv_filter_grad: 4 input channels do not divide into 3 groups}}
  %0 = lathe.conv_filter_grad %x, %w filter [3, 3] stride [1, 1] pad valid groups 3 : tensor<1x8x8x4xf32>, tensor<1x6x6x6xf32>
  return
}

// -----

// conv_filter_grad_c6
func.func @conv_filter_grad_c6(%x: tensor<1x8x8x4xf32>, %w: tensor<1x6x6x5xf32>) {
  // expected-error @+1 {{lathe.conv_filter_grad: 5 output channels do not divide into 2 groups}}
  %0 = lathe.conv_filter_grad %x, %w filter [3, 3] stride [1, 1] pad valid groups 2 : tensor<1x8x8x4xf32>, tensor<1x6x6x5xf32>
  return
}

// -----

// conv_filter_grad_c3
func.func @conv_filter_grad_c3(%x: tensor<1x8x8x4xf32>, %w: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{lathe.conv_filter_grad: 'filter' has 1 entries for 2 spatial dimensions}}
  %0 = lathe.conv_filter_grad %x, %w filter [3] stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<1x6x6x6xf32>
  return
}

// -----

// conv_c3_same: 'pad same' leaves it to the constraints to say what is wrong
func.func @conv_c3_same(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'dilation' has 1 entries for 2 spatial dimensions}}
  %0 = lathe.conv %x, %w stride [1, 1] pad same dilation [2] : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c4_same
func.func @conv_c4_same(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'stride' must be at least 1, got [0, 1]}}
  %0 = lathe.conv %x, %w stride [0, 1] pad same : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

func.func @conv_same_input_dilation(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{'pad same' is not defined with input_dilation; write the padding as numbers}}
  %0 = lathe.conv %x, %w stride [1, 1] pad same input_dilation [2, 2] : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

func.func @conv_same_overflow(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{the dilated filter overflows 63 bits in spatial dimension 1}}
  %0 = lathe.conv %x, %w stride [1, 1] pad same dilation [1, 9223372036854775807] : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c7_overflow
func.func @conv_c7_overflow(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: the extents of spatial dimension 0 overflow 63 bits}}
  %0 = lathe.conv %x, %w stride [1, 1] pad [[9223372036854775807, 9223372036854775807], [1, 1]] : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}

// -----

// conv_c8
func.func @conv_c8(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{lathe.conv: 'output' has 1 entries for 2 spatial dimensions}}
  %0 = lathe.conv %x, %w output [8] stride [1, 1] pad valid : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>
  return
}
