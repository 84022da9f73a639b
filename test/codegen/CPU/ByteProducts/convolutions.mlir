// Convolutions of bytes against the interpreter, bit for bit: images of both signs, whose borders have the value of the zero point,
// strides, dilations, one to three dimensions, three channels, one tap, named extents, filters that are not constants, levels and
// threads.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 > %t.log 2>&1
// RUN: FileCheck %s --input-file=%t.log
// RUN: FileCheck %s --input-file=%t.log --check-prefix=PACKED
// PACKED-COUNT-6: the object stores the weights in panels of 16 columns
// PACKED-NOT: the object stores the weights in panels
// CHECK-COUNT-8: byte_product {
// RUN: lathe-run %t.mlir main --random --dim N=1 --dim H=9 --check --rtol 0 --atol 0
// RUN: lathe-run %t.mlir main --random --dim N=3 --dim H=14 --check --rtol 0 --atol 0 --threads 3
// RUN: lathe-run %t.mlir main --random --dim N=2 --dim H=1 --check --rtol 0 --atol 0 --target=x86-64-v3 --threads 2
// RUN: lathe-run %t.mlir main --random --dim N=3 --dim H=4 --check --rtol 0 --atol 0 --target=x86-64-v2
// RUN: lathe-run %t.mlir main --random --dim N=2 --dim H=4 --check --rtol 0 --atol 0 --target=x86-64-v2,x86-64-v3,x86-64-v4
// RUN: lathe-run %t.mlir main --random --dim N=2 --dim H=4 --check --rtol 0 --atol 0 --weights=extern

func.func @main(%xs: tensor<?x?x9x5xui8> {lathe.dims = #lathe.dims<N, H>}, %ys: tensor<2x13x15x33xi8>, %z: tensor<ui8>, %zi: tensor<i8>,
                %rgb: tensor<1x23x25x3xui8>, %line: tensor<2x40x12xi8>, %volume: tensor<1x4x5x6x7xui8>, %w: tensor<3x2x33x19xi8>)
    -> (tensor<?x?x9x20xi32>, tensor<2x7x8x32xui8>, tensor<2x9x13x24xi32>, tensor<1x12x13x64xi32>, tensor<2x40x16xi32>,
        tensor<1x4x5x3x18xi32>, tensor<2x13x16x19xi32>, tensor<2x7x8x40xi32>) {
  %w0 = lathe.constant dense<any> : tensor<3x3x5x20xi8>
  %w1 = lathe.constant dense<bell> : tensor<3x3x33x32xi8>
  %w2 = lathe.constant dense<any> : tensor<3x2x33x24xi8>
  %w3 = lathe.constant dense<any> : tensor<7x7x3x64xi8>
  %w4 = lathe.constant dense<any> : tensor<5x12x16xi8>
  %w5 = lathe.constant dense<any> : tensor<3x3x3x7x18xi8>
  %w6 = lathe.constant dense<any> : tensor<1x1x33x40xi8>

  // Bytes of all values: random ones are small.
  %c = lathe.constant dense<37> : tensor<ui8>
  %d = lathe.constant dense<37> : tensor<i8>
  %x = lathe.mul %xs, %c : tensor<?x?x9x5xui8>, tensor<ui8>
  %y = lathe.mul %ys, %d : tensor<2x13x15x33xi8>, tensor<i8>
  %z32 = lathe.convert %z to i32 : tensor<ui8>
  %zi32 = lathe.convert %zi to i32 : tensor<i8>
  %x32 = lathe.convert %x to i32 : tensor<?x?x9x5xui8>
  %y32 = lathe.convert %y to i32 : tensor<2x13x15x33xi8>
  %xz = lathe.sub %x32, %z32 : tensor<?x?x9x5xi32>, tensor<i32>
  %yz = lathe.sub %y32, %zi32 : tensor<2x13x15x33xi32>, tensor<i32>

  %w0w = lathe.convert %w0 to i32 : tensor<3x3x5x20xi8>
  %0 = lathe.conv %xz, %w0w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x9x5xi32>, tensor<3x3x5x20xi32>

  // The sums stay in registers.
  %w1w = lathe.convert %w1 to i32 : tensor<3x3x33x32xi8>
  %sums = lathe.conv %yz, %w1w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<2x13x15x33xi32>, tensor<3x3x33x32xi32>
  %real = lathe.convert %sums to f32 : tensor<2x7x8x32xi32>
  %factor = lathe.constant dense<0.001953125> : tensor<f32>
  %scaled = lathe.mul %real, %factor : tensor<2x7x8x32xf32>, tensor<f32>
  %near = lathe.round %scaled : tensor<2x7x8x32xf32>
  %1 = lathe.convert %near to ui8 : tensor<2x7x8x32xf32>

  %w2w = lathe.convert %w2 to i32 : tensor<3x2x33x24xi8>
  %2 = lathe.conv %yz, %w2w stride [1, 1] pad [[0, 0], [1, 0]] dilation [2, 3] : tensor<2x13x15x33xi32>, tensor<3x2x33x24xi32>

  %rgb32 = lathe.convert %rgb to i32 : tensor<1x23x25x3xui8>
  %seven = lathe.constant dense<7> : tensor<i32>
  %rgbz = lathe.sub %rgb32, %seven : tensor<1x23x25x3xi32>, tensor<i32>
  %w3w = lathe.convert %w3 to i32 : tensor<7x7x3x64xi8>
  %3 = lathe.conv %rgbz, %w3w stride [2, 2] pad [[3, 3], [3, 3]] : tensor<1x23x25x3xi32>, tensor<7x7x3x64xi32>

  %line32 = lathe.convert %line to i32 : tensor<2x40x12xi8>
  %lined = lathe.sub %line32, %zi32 : tensor<2x40x12xi32>, tensor<i32>
  %w4w = lathe.convert %w4 to i32 : tensor<5x12x16xi8>
  %4 = lathe.conv %lined, %w4w stride [1] pad [[2, 2]] : tensor<2x40x12xi32>, tensor<5x12x16xi32>

  %volume32 = lathe.convert %volume to i32 : tensor<1x4x5x6x7xui8>
  %w5w = lathe.convert %w5 to i32 : tensor<3x3x3x7x18xi8>
  %5 = lathe.conv %volume32, %w5w stride [1, 1, 2] pad [[1, 1], [1, 1], [1, 1]] : tensor<1x4x5x6x7xi32>, tensor<3x3x3x7x18xi32>

  %ww = lathe.convert %w to i32 : tensor<3x2x33x19xi8>
  %6 = lathe.conv %yz, %ww stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x13x15x33xi32>, tensor<3x2x33x19xi32>

  %w6w = lathe.convert %w6 to i32 : tensor<1x1x33x40xi8>
  %7 = lathe.conv %yz, %w6w stride [2, 2] pad [[0, 0], [0, 0]] : tensor<2x13x15x33xi32>, tensor<1x1x33x40xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<?x?x9x20xi32>, tensor<2x7x8x32xui8>, tensor<2x9x13x24xi32>, tensor<1x12x13x64xi32>, tensor<2x40x16xi32>,
        tensor<1x4x5x3x18xi32>, tensor<2x13x16x19xi32>, tensor<2x7x8x40xi32>
}
