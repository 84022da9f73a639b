// Depthwise convolutions of planes as they lie: ends of lines and columns, paddings, strides and dilations, all element types with
// code, and what is fused behind. The same bits as with a transpose of its own on both sides.
// RUN: lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | grep -c 'for x86-64-v3: depthwise_planes' | grep -x 15
// RUN: lathe-run %s sizes --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s sizes --random --check --rtol 1e-5 --atol 1e-5 --threads 3
// RUN: lathe-run %s sizes --random --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s geometry --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s geometry --random --check --rtol 1e-5 --atol 1e-5 --threads 2 --target x86-64-v2
// RUN: lathe-run %s far --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s fused --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s infinite --random --check
// RUN: lathe-run %s infinite --random | FileCheck %s --check-prefix=INFINITE
// RUN: lathe-run %s data --random --output out0=@%t.x.npy
// RUN: lathe-run %s bits --input a=@%t.x.npy --input b=@%t.x.npy --random --output planes=@%t.planes.npy --output lines=@%t.lines.npy
// RUN: cmp %t.planes.npy %t.lines.npy
// RUN: lathe-run %s bits --input a=@%t.x.npy --input b=@%t.x.npy --random --threads 3 --expect planes=@%t.lines.npy --rtol 0 --atol 0
// RUN: lathec %s --target=x86-64-v3,cuda:sm_80 --emit=none

// Lines of 16 to 33 outputs; one, two and five lines, where fewer than a tile or none have all rows of taps.
func.func @sizes(%a: tensor<2x3x9x16xf32>, %b: tensor<1x2x1x17xf32>, %c: tensor<1x2x2x31xf32>, %d: tensor<2x2x5x33xf64>, %w: tensor<3x3x1x3xf32>, %u: tensor<3x3x1x2xf32>, %v: tensor<3x3x1x2xf64>)
    -> (tensor<2x3x9x16xf32>, tensor<1x2x1x17xf32>, tensor<1x2x2x31xf32>, tensor<2x2x5x33xf64>) {
  %0 = lathe.transpose %a [0, 2, 3, 1] : tensor<2x3x9x16xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 3 : tensor<2x9x16x3xf32>, tensor<3x3x1x3xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<2x9x16x3xf32>
  %3 = lathe.transpose %b [0, 2, 3, 1] : tensor<1x2x1x17xf32>
  %4 = lathe.conv %3, %u stride [1, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<1x1x17x2xf32>, tensor<3x3x1x2xf32>
  %5 = lathe.transpose %4 [0, 3, 1, 2] : tensor<1x1x17x2xf32>
  %6 = lathe.transpose %c [0, 2, 3, 1] : tensor<1x2x2x31xf32>
  %7 = lathe.conv %6, %u stride [1, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<1x2x31x2xf32>, tensor<3x3x1x2xf32>
  %8 = lathe.transpose %7 [0, 3, 1, 2] : tensor<1x2x31x2xf32>
  %9 = lathe.transpose %d [0, 2, 3, 1] : tensor<2x2x5x33xf64>
  %10 = lathe.conv %9, %v stride [1, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<2x5x33x2xf64>, tensor<3x3x1x2xf64>
  %11 = lathe.transpose %10 [0, 3, 1, 2] : tensor<2x5x33x2xf64>
  return %2, %5, %8, %11 : tensor<2x3x9x16xf32>, tensor<1x2x1x17xf32>, tensor<1x2x2x31xf32>, tensor<2x2x5x33xf64>
}

// No padding; more padding than taps, so that some outputs have no input; stride of lines; dilations; long rows and columns of taps.
func.func @geometry(%a0: tensor<1x3x20x70xf32>, %a1: tensor<1x3x20x70xf32>, %a2: tensor<1x3x20x70xf32>, %a3: tensor<1x3x20x70xf32>, %a4: tensor<1x3x20x70xf32>, %a5: tensor<1x3x20x70xf32>, %w: tensor<3x3x1x3xf32>, %u: tensor<7x7x1x3xf32>, %v: tensor<1x5x1x3xf32>, %z: tensor<5x1x1x3xf32>)
    -> (tensor<1x3x18x68xf32>, tensor<1x3x24x73xf32>, tensor<1x3x10x70xf32>, tensor<1x3x22x66xf32>, tensor<1x3x20x70xf32>, tensor<1x3x20x70xf32>) {
  %0 = lathe.transpose %a0 [0, 2, 3, 1] : tensor<1x3x20x70xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[0, 0], [0, 0]] groups 3 : tensor<1x20x70x3xf32>, tensor<3x3x1x3xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x18x68x3xf32>
  %3 = lathe.transpose %a1 [0, 2, 3, 1] : tensor<1x3x20x70xf32>
  %4 = lathe.conv %3, %w stride [1, 1] pad [[4, 2], [1, 4]] groups 3 : tensor<1x20x70x3xf32>, tensor<3x3x1x3xf32>
  %5 = lathe.transpose %4 [0, 3, 1, 2] : tensor<1x24x73x3xf32>
  %6 = lathe.transpose %a2 [0, 2, 3, 1] : tensor<1x3x20x70xf32>
  %7 = lathe.conv %6, %u stride [2, 1] pad [[2, 3], [3, 3]] groups 3 : tensor<1x20x70x3xf32>, tensor<7x7x1x3xf32>
  %8 = lathe.transpose %7 [0, 3, 1, 2] : tensor<1x10x70x3xf32>
  %9 = lathe.transpose %a3 [0, 2, 3, 1] : tensor<1x3x20x70xf32>
  %10 = lathe.conv %9, %w stride [1, 1] pad [[3, 3], [2, 0]] dilation [2, 3] groups 3 : tensor<1x20x70x3xf32>, tensor<3x3x1x3xf32>
  %11 = lathe.transpose %10 [0, 3, 1, 2] : tensor<1x22x66x3xf32>
  %12 = lathe.transpose %a4 [0, 2, 3, 1] : tensor<1x3x20x70xf32>
  %13 = lathe.conv %12, %v stride [1, 1] pad [[0, 0], [2, 2]] groups 3 : tensor<1x20x70x3xf32>, tensor<1x5x1x3xf32>
  %14 = lathe.transpose %13 [0, 3, 1, 2] : tensor<1x20x70x3xf32>
  %15 = lathe.transpose %a5 [0, 2, 3, 1] : tensor<1x3x20x70xf32>
  %16 = lathe.conv %15, %z stride [1, 1] pad [[2, 2], [0, 0]] groups 3 : tensor<1x20x70x3xf32>, tensor<5x1x1x3xf32>
  %17 = lathe.transpose %16 [0, 3, 1, 2] : tensor<1x20x70x3xf32>
  return %2, %5, %8, %11, %14, %17 : tensor<1x3x18x68xf32>, tensor<1x3x24x73xf32>, tensor<1x3x10x70xf32>, tensor<1x3x22x66xf32>, tensor<1x3x20x70xf32>, tensor<1x3x20x70xf32>
}

// Taps that are far apart: further than a tile, and so far that no tile has all inputs.
func.func @far(%a: tensor<1x3x40x70xf32>, %b: tensor<1x3x26x20xf32>, %w: tensor<3x3x1x3xf32>)
    -> (tensor<1x3x40x70xf32>, tensor<1x3x26x20xf32>) {
  %0 = lathe.transpose %a [0, 2, 3, 1] : tensor<1x3x40x70xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[18, 18], [18, 18]] dilation [18, 18] groups 3 : tensor<1x40x70x3xf32>, tensor<3x3x1x3xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x40x70x3xf32>
  %3 = lathe.transpose %b [0, 2, 3, 1] : tensor<1x3x26x20xf32>
  %4 = lathe.conv %3, %w stride [1, 1] pad [[12, 12], [24, 24]] dilation [12, 24] groups 3 : tensor<1x26x20x3xf32>, tensor<3x3x1x3xf32>
  %5 = lathe.transpose %4 [0, 3, 1, 2] : tensor<1x26x20x3xf32>
  return %2, %5 : tensor<1x3x40x70xf32>, tensor<1x3x26x20xf32>
}

func.func @fused(%a: tensor<2x5x12x40xf32>, %w: tensor<3x3x1x5xf32>, %b: tensor<5xf32>) -> tensor<2x5x12x40xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %0 = lathe.transpose %a [0, 2, 3, 1] : tensor<2x5x12x40xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 5 : tensor<2x12x40x5xf32>, tensor<3x3x1x5xf32>
  %2 = lathe.add %1, %b : tensor<2x12x40x5xf32>, tensor<5xf32>
  %3 = lathe.max %2, %zero : tensor<2x12x40x5xf32>, tensor<f32>
  %4 = lathe.transpose %3 [0, 3, 1, 2] : tensor<2x12x40x5xf32>
  return %4 : tensor<2x5x12x40xf32>
}

// The first column has no input on its left: an infinite weight there does not count.
// INFINITE: y: f32[1][2][1][16]{{.*}}: {{-?[0-9.e-]+}} {{-?}}inf
func.func @infinite(%a: tensor<1x2x1x16xf32>) -> (tensor<1x2x1x16xf32> {lathe.name = "y"}) {
  %w = lathe.constant dense<[[[[0x7F800000, 0x7F800000]], [[1.0, 2.0]], [[3.0, 4.0]]]]> : tensor<1x3x1x2xf32>
  %0 = lathe.transpose %a [0, 2, 3, 1] : tensor<1x2x1x16xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[0, 0], [1, 1]] groups 2 : tensor<1x1x16x2xf32>, tensor<1x3x1x2xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x1x16x2xf32>
  return %2 : tensor<1x2x1x16xf32>
}

// The transpose of the second image is stored as well, so that its convolution goes line by line.
func.func @data(%x: tensor<1x6x21x45xf32>) -> tensor<1x6x21x45xf32> {
  %0 = lathe.neg %x : tensor<1x6x21x45xf32>
  return %0 : tensor<1x6x21x45xf32>
}
func.func @bits(%a: tensor<1x6x21x45xf32>, %b: tensor<1x6x21x45xf32>, %w: tensor<3x5x1x6xf32>)
    -> (tensor<1x6x21x45xf32> {lathe.name = "planes"}, tensor<1x6x21x45xf32> {lathe.name = "lines"}, tensor<1x21x45x6xf32> {lathe.name = "image"}) {
  %0 = lathe.transpose %a [0, 2, 3, 1] : tensor<1x6x21x45xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [2, 2]] groups 6 : tensor<1x21x45x6xf32>, tensor<3x5x1x6xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x21x45x6xf32>
  %3 = lathe.transpose %b [0, 2, 3, 1] : tensor<1x6x21x45xf32>
  %4 = lathe.conv %3, %w stride [1, 1] pad [[1, 1], [2, 2]] groups 6 : tensor<1x21x45x6xf32>, tensor<3x5x1x6xf32>
  %5 = lathe.transpose %4 [0, 3, 1, 2] : tensor<1x21x45x6xf32>
  return %2, %5, %3 : tensor<1x6x21x45xf32>, tensor<1x6x21x45xf32>, tensor<1x21x45x6xf32>
}
