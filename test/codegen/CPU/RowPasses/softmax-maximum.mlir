// The maximum that a softmax subtracts takes one instruction a vector: the sum of a row is NaN where one of its elements is, and
// no result tells the signs of zeros. A maximum that is a result keeps both.
// RUN: lathec %s --target=x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: lathe-run %s special --input one=1 --target=x86-64-v3 | FileCheck %s
// RUN: lathe-run %s special --input one=1 --target=x86-64-v2 | FileCheck %s
// RUN: lathe-run %s special --input one=1 --interpret | FileCheck %s
// RUN: lathe-run %s masked --input one=1 --target=x86-64-v3 | FileCheck %s --check-prefix=MASKED
// RUN: lathe-run %s masked --input one=1 --interpret | FileCheck %s --check-prefix=MASKED
// RUN: lathe-run %s shown --input one=1 --target=x86-64-v3 | FileCheck %s --check-prefix=SHOWN
// RUN: lathe-run %s shown --input one=1 --interpret | FileCheck %s --check-prefix=SHOWN
// RUN: lathe-run %s exponentials --input one=1 --target=x86-64-v3 | FileCheck %s --check-prefix=EXPONENTIALS
// RUN: lathe-run %s exponentials --input one=1 --interpret | FileCheck %s --check-prefix=EXPONENTIALS

// ASM-LABEL: kernel_reduce_
// ASM-NOT: vpmaxsd
// ASM-NOT: vcmpunordps
// ASM: vmaxps
// ASM-NOT: vpmaxsd
// ASM: retq
func.func @softmax(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = lathe.std.softmax %x dim 1 : tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}

// A row with a NaN among numbers, and before them, and rows with infinities of each sign. The operand of all is an argument times
// 1, so that it is not folded.
// CHECK: nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
func.func @special(%one: tensor<f32>) -> tensor<5x3xf32> {
  %c = lathe.constant dense<[[1.0, 0x7FC00000, 2.0], [0xFFC00000, 1.0, 2.0], [0xFF800000, 0xFF800000, 0xFF800000],
                             [0x7F800000, 0.0, 1.0], [0xFF800000, 0x7FC00000, 0xFF800000]]> : tensor<5x3xf32>
  %x = lathe.mul %c, %one : tensor<5x3xf32>, tensor<f32>
  %0 = lathe.std.softmax %x dim 1 : tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// A maximum that is -inf is replaced by 0: rows without any number are 0 / 0.
// MASKED: 0.5 0.5 nan nan nan nan 0.5 0.5
func.func @masked(%one: tensor<f32>) -> tensor<4x2xf32> {
  %c = lathe.constant dense<[[3.0, 3.0], [0xFF800000, 0xFF800000], [0xFF800000, 0x7FC00000], [0.0, -0.0]]> : tensor<4x2xf32>
  %x = lathe.mul %c, %one : tensor<4x2xf32>, tensor<f32>
  %never = lathe.constant dense<0xFF800000> : tensor<f32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %m = lathe.reduce max %x dims [1] : tensor<4x2xf32>
  %blind = lathe.compare eq %m, %never : tensor<4xf32>, tensor<f32>
  %limit = lathe.select %blind, %zero, %m : tensor<4xi1>, tensor<f32>, tensor<4xf32>
  %rows = lathe.broadcast %limit dims [0] to [4, 2] : tensor<4xf32>
  %t = lathe.sub %x, %rows : tensor<4x2xf32>
  %e = lathe.exp %t : tensor<4x2xf32>
  %s = lathe.std.sum %e dims [1] keep : tensor<4x2xf32>
  %q = lathe.div %e, %s : tensor<4x2xf32>, tensor<4x1xf32>
  return %q : tensor<4x2xf32>
}

// SHOWN: nan 0
func.func @shown(%one: tensor<f32>) -> (tensor<2xf32>, tensor<2x2xf32>) {
  %c = lathe.constant dense<[[1.0, 0x7FC00000], [-0.0, 0.0]]> : tensor<2x2xf32>
  %x = lathe.mul %c, %one : tensor<2x2xf32>, tensor<f32>
  %m = lathe.reduce max %x dims [1] : tensor<2x2xf32>
  %rows = lathe.broadcast %m dims [0] to [2, 2] : tensor<2xf32>
  %t = lathe.sub %x, %rows : tensor<2x2xf32>
  %e = lathe.exp %t : tensor<2x2xf32>
  %s = lathe.std.sum %e dims [1] keep : tensor<2x2xf32>
  %q = lathe.div %e, %s : tensor<2x2xf32>, tensor<2x1xf32>
  return %m, %q : tensor<2xf32>, tensor<2x2xf32>
}

// Exponentials that are results themselves are all NaN beside one.
// EXPONENTIALS: nan nan nan nan
func.func @exponentials(%one: tensor<f32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
  %c = lathe.constant dense<[[1.0, 0x7FC00000], [0x7FC00000, 2.0]]> : tensor<2x2xf32>
  %x = lathe.mul %c, %one : tensor<2x2xf32>, tensor<f32>
  %m = lathe.reduce max %x dims [1] : tensor<2x2xf32>
  %rows = lathe.broadcast %m dims [0] to [2, 2] : tensor<2xf32>
  %t = lathe.sub %x, %rows : tensor<2x2xf32>
  %e = lathe.exp %t : tensor<2x2xf32>
  %s = lathe.reduce sum %e dims [1] : tensor<2x2xf32>
  return %e, %s : tensor<2x2xf32>, tensor<2xf32>
}
