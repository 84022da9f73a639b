// Convolutions that write planes as they lie: lines that end within a square of outputs, channels that end within one, images with
// lines in several blocks, strides, dilations, groups, one and three dimensions, all element types with code, and what is fused
// behind. The same bits as with a transpose of its own.
// RUN: lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | grep -c 'for x86-64-v3: transpose' | grep -x 1
// RUN: lathe-run %s sizes --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s sizes --random --check --rtol 1e-5 --atol 1e-5 --threads 3
// RUN: lathe-run %s sizes --random --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s geometry --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s geometry --random --check --rtol 1e-5 --atol 1e-5 --threads 2 --target x86-64-v2
// RUN: lathe-run %s fused --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s long --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s bits --random --output planes=@%t.planes.npy --output lines=@%t.lines.npy
// RUN: cmp %t.planes.npy %t.lines.npy
// RUN: lathe-run %s bits --random --threads 3 --expect planes=@%t.lines.npy --rtol 0 --atol 0
// RUN: lathec %s --target=x86-64-v3,cuda:sm_80 --emit=none

func.func @sizes(%x0: tensor<2x9x8x24xf32>, %w0: tensor<3x3x24x32xf32>, %x1: tensor<1x9x4x5xf32>, %w1: tensor<3x3x5x19xf32>, %x2: tensor<1x7x13x6xf32>, %w2: tensor<3x3x6x3xf32>, %x3: tensor<1x6x15x4xf64>, %w3: tensor<3x3x4x10xf64>)
    -> (tensor<2x32x9x8xf32>, tensor<1x19x9x4xf32>, tensor<1x3x7x13xf32>, tensor<1x10x6x15xf64>) {
  %0 = lathe.conv %x0, %w0 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x9x8x24xf32>, tensor<3x3x24x32xf32>
  %1 = lathe.transpose %0 [0, 3, 1, 2] : tensor<2x9x8x32xf32>
  %2 = lathe.conv %x1, %w1 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x4x5xf32>, tensor<3x3x5x19xf32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<1x9x4x19xf32>
  %4 = lathe.conv %x2, %w2 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x7x13x6xf32>, tensor<3x3x6x3xf32>
  %5 = lathe.transpose %4 [0, 3, 1, 2] : tensor<1x7x13x3xf32>
  %6 = lathe.conv %x3, %w3 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x6x15x4xf64>, tensor<3x3x4x10xf64>
  %7 = lathe.transpose %6 [0, 3, 1, 2] : tensor<1x6x15x10xf64>
  return %1, %3, %5, %7 : tensor<2x32x9x8xf32>, tensor<1x19x9x4xf32>, tensor<1x3x7x13xf32>, tensor<1x10x6x15xf64>
}

func.func @geometry(%x0: tensor<1x20x33x8xf32>, %w0: tensor<3x3x8x16xf32>, %x1: tensor<1x12x19x6xf32>, %w1: tensor<3x2x2x12xf32>, %x2: tensor<2x50x3xf32>, %w2: tensor<5x3x40xf32>, %x3: tensor<1x4x5x9x4xf32>, %w3: tensor<3x3x3x4x8xf32>, %x4: tensor<1x2x1030x8xf32>, %w4: tensor<1x3x8x8xf32>)
    -> (tensor<1x16x10x17xf32>, tensor<1x12x12x20xf32>, tensor<2x40x50xf32>, tensor<1x8x4x5x9xf32>, tensor<1x8x2x1030xf32>) {
  %0 = lathe.conv %x0, %w0 stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x20x33x8xf32>, tensor<3x3x8x16xf32>
  %1 = lathe.transpose %0 [0, 3, 1, 2] : tensor<1x10x17x16xf32>
  %2 = lathe.conv %x1, %w1 stride [1, 1] pad [[0, 2], [4, 0]] dilation [1, 3] groups 3 : tensor<1x12x19x6xf32>, tensor<3x2x2x12xf32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<1x12x20x12xf32>
  %4 = lathe.conv %x2, %w2 stride [1] pad [[2, 2]] : tensor<2x50x3xf32>, tensor<5x3x40xf32>
  %5 = lathe.transpose %4 [0, 2, 1] : tensor<2x50x40xf32>
  %6 = lathe.conv %x3, %w3 stride [1, 1, 1] pad [[1, 1], [1, 1], [1, 1]] : tensor<1x4x5x9x4xf32>, tensor<3x3x3x4x8xf32>
  %7 = lathe.transpose %6 [0, 4, 1, 2, 3] : tensor<1x4x5x9x8xf32>
  %8 = lathe.conv %x4, %w4 stride [1, 1] pad [[0, 0], [1, 1]] : tensor<1x2x1030x8xf32>, tensor<1x3x8x8xf32>
  %9 = lathe.transpose %8 [0, 3, 1, 2] : tensor<1x2x1030x8xf32>
  return %1, %3, %5, %7, %9 : tensor<1x16x10x17xf32>, tensor<1x12x12x20xf32>, tensor<2x40x50xf32>, tensor<1x8x4x5x9xf32>, tensor<1x8x2x1030xf32>
}

func.func @fused(%x: tensor<2x9x13x8xf32>, %w: tensor<3x3x8x24xf32>, %b: tensor<24xf32>) -> tensor<2x24x9x13xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x9x13x8xf32>, tensor<3x3x8x24xf32>
  %1 = lathe.add %0, %b : tensor<2x9x13x24xf32>, tensor<24xf32>
  %2 = lathe.max %1, %zero : tensor<2x9x13x24xf32>, tensor<f32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<2x9x13x24xf32>
  return %3 : tensor<2x24x9x13xf32>
}

// What follows a sum is long, and its code is in a loop over the channels of a square, the last of which has 3.
func.func @long(%x: tensor<1x9x13x8xf32>, %w: tensor<3x3x8x19xf32>) -> tensor<1x19x9x13xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x13x8xf32>, tensor<3x3x8x19xf32>
  %1 = lathe.std.gelu %0 : tensor<1x9x13x19xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x9x13x19xf32>
  return %2 : tensor<1x19x9x13xf32>
}

// The results of the second convolution are stored as well, so that their transpose is a kernel of its own.
func.func @bits(%x: tensor<2x17x21x70xf32>, %w: tensor<3x5x70x40xf32>)
    -> (tensor<2x40x17x21xf32> {lathe.name = "planes"}, tensor<2x40x17x21xf32> {lathe.name = "lines"}, tensor<2x17x21x40xf32> {lathe.name = "image"}) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [2, 2]] : tensor<2x17x21x70xf32>, tensor<3x5x70x40xf32>
  %1 = lathe.transpose %0 [0, 3, 1, 2] : tensor<2x17x21x40xf32>
  %y = lathe.neg %x : tensor<2x17x21x70xf32>
  %z = lathe.neg %y : tensor<2x17x21x70xf32>
  %2 = lathe.conv %z, %w stride [1, 1] pad [[1, 1], [2, 2]] : tensor<2x17x21x70xf32>, tensor<3x5x70x40xf32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<2x17x21x40xf32>
  return %1, %3, %2 : tensor<2x40x17x21xf32>, tensor<2x40x17x21xf32>, tensor<2x17x21x40xf32>
}
