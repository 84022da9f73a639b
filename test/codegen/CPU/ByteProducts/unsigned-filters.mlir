// Filters of u8 that exceed i8 once their zero point is subtracted, against the interpreter, bit for bit: they are i8 and a multiple of
// the sum of each window. In another order, with strides, dilations, borders, one tap and named extents.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 > %t.log 2>&1
// RUN: FileCheck %s --input-file=%t.log
// CHECK-COUNT-3: byte_product {
// RUN: lathe-run %t.mlir main --random --dim N=1 --dim H=9 --check --rtol 0 --atol 0
// RUN: lathe-run %t.mlir main --random --dim N=3 --dim H=4 --check --rtol 0 --atol 0 --threads 3
// RUN: lathe-run %t.mlir main --random --dim N=2 --dim H=7 --check --rtol 0 --atol 0 --target=x86-64-v2,x86-64-v3,x86-64-v4

func.func @main(%xs: tensor<?x?x9x5xui8> {lathe.dims = #lathe.dims<N, H>}, %ys: tensor<2x13x15x33xui8>, %z: tensor<ui8>)
    -> (tensor<?x?x9x20xi32>, tensor<2x6x13x24xi32>, tensor<2x13x15x40xi32>) {
  %c = lathe.constant dense<37> : tensor<ui8>
  %x = lathe.mul %xs, %c : tensor<?x?x9x5xui8>, tensor<ui8>
  %y = lathe.mul %ys, %c : tensor<2x13x15x33xui8>, tensor<ui8>
  %z32 = lathe.convert %z to i32 : tensor<ui8>
  %x32 = lathe.convert %x to i32 : tensor<?x?x9x5xui8>
  %y32 = lathe.convert %y to i32 : tensor<2x13x15x33xui8>
  %xz = lathe.sub %x32, %z32 : tensor<?x?x9x5xi32>, tensor<i32>
  %yz = lathe.sub %y32, %z32 : tensor<2x13x15x33xi32>, tensor<i32>

  %w0 = lathe.constant dense<any> : tensor<20x5x3x3xui8>
  %t0 = lathe.transpose %w0 [2, 3, 1, 0] : tensor<20x5x3x3xui8>
  %i0 = lathe.convert %t0 to i32 : tensor<3x3x5x20xui8>
  %z0 = lathe.constant dense<101> : tensor<i32>
  %c0 = lathe.sub %i0, %z0 : tensor<3x3x5x20xi32>, tensor<i32>
  %0 = lathe.conv %xz, %c0 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x9x5xi32>, tensor<3x3x5x20xi32>

  // A zero point for each column.
  %w1 = lathe.constant dense<any> : tensor<3x2x33x24xui8>
  %i1 = lathe.convert %w1 to i32 : tensor<3x2x33x24xui8>
  %z1 = lathe.constant dense<[3, 250, 7, 9, 1, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 6, 200, 201, 202, 203, 204, 205, 206, 207]> : tensor<24xi32>
  %b1 = lathe.broadcast %z1 dims [3] to [3, 2, 33, 24] : tensor<24xi32> -> tensor<3x2x33x24xi32>
  %c1 = lathe.sub %i1, %b1 : tensor<3x2x33x24xi32>
  %1 = lathe.conv %yz, %c1 stride [2, 1] pad [[2, 0], [0, 0]] dilation [2, 2] : tensor<2x13x15x33xi32>, tensor<3x2x33x24xi32>

  %w2 = lathe.constant dense<any> : tensor<40x33x1x1xui8>
  %t2 = lathe.transpose %w2 [2, 3, 1, 0] : tensor<40x33x1x1xui8>
  %i2 = lathe.convert %t2 to i32 : tensor<1x1x33x40xui8>
  %z2 = lathe.constant dense<0> : tensor<i32>
  %c2 = lathe.sub %i2, %z2 : tensor<1x1x33x40xi32>, tensor<i32>
  %2 = lathe.conv %yz, %c2 stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x13x15x33xi32>, tensor<1x1x33x40xi32>
  return %0, %1, %2 : tensor<?x?x9x20xi32>, tensor<2x6x13x24xi32>, tensor<2x13x15x40xi32>
}
