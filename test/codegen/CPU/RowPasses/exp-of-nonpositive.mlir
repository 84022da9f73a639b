// The exponential of x - max(x), which is at most 0, takes fewer instructions and has the same bits: for a grid of differences
// down to -200 (f32) and -1100 (f64), far below which the result is 0, and at -inf and NaN.
// RUN: lathec %s --target=x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: lathe-run %s singles --target=x86-64-v3 | FileCheck %s
// RUN: lathe-run %s singles --target=x86-64-v2 | FileCheck %s
// RUN: lathe-run %s doubles --target=x86-64-v3 | FileCheck %s
// RUN: lathe-run %s doubles --target=x86-64-v2 | FileCheck %s
// RUN: lathe-run %s special --target=x86-64-v3 | FileCheck %s --check-prefix=SPECIAL
// RUN: lathe-run %s special --interpret | FileCheck %s --check-prefix=SPECIAL

// The operand is limited from below, but not from above.
// ASM-LABEL: kernel_reduce_
// ASM-NOT: vminps
// ASM: vmaxps
// ASM-NOT: vminps
// ASM: retq
func.func @shifted(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = lathe.std.max %x dims [1] keep : tensor<64x256xf32>
  %1 = lathe.sub %x, %0 : tensor<64x256xf32>, tensor<64x1xf32>
  %2 = lathe.exp %1 : tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}

// A minimum with a large number changes nothing, but hides that the operand is at most 0.
// CHECK: all = true
func.func @singles() -> tensor<i1> {
  %row = lathe.iota dim 0 to [16, 262144] : f32
  %column = lathe.iota dim 1 to [16, 262144] : f32
  %rows = lathe.constant dense<-4.7e-05> : tensor<f32>
  %columns = lathe.constant dense<-7.63e-04> : tensor<f32>
  %0 = lathe.mul %row, %rows : tensor<16x262144xf32>, tensor<f32>
  %1 = lathe.mul %column, %columns : tensor<16x262144xf32>, tensor<f32>
  %x = lathe.add %0, %1 : tensor<16x262144xf32>
  %largest = lathe.std.max %x dims [1] keep : tensor<16x262144xf32>
  %shifted = lathe.sub %x, %largest : tensor<16x262144xf32>, tensor<16x1xf32>
  %large = lathe.constant dense<1.0e+30> : tensor<f32>
  %hidden = lathe.min %shifted, %large : tensor<16x262144xf32>, tensor<f32>
  %short = lathe.exp %shifted : tensor<16x262144xf32>
  %long = lathe.exp %hidden : tensor<16x262144xf32>
  %equal = lathe.compare eq %short, %long : tensor<16x262144xf32>
  %all = lathe.reduce and %equal dims [0, 1] : tensor<16x262144xi1>
  return %all : tensor<i1>
}

func.func @doubles() -> tensor<i1> {
  %row = lathe.iota dim 0 to [16, 262144] : f64
  %column = lathe.iota dim 1 to [16, 262144] : f64
  %rows = lathe.constant dense<-2.6e-04> : tensor<f64>
  %columns = lathe.constant dense<-4.2e-03> : tensor<f64>
  %0 = lathe.mul %row, %rows : tensor<16x262144xf64>, tensor<f64>
  %1 = lathe.mul %column, %columns : tensor<16x262144xf64>, tensor<f64>
  %x = lathe.add %0, %1 : tensor<16x262144xf64>
  %largest = lathe.std.max %x dims [1] keep : tensor<16x262144xf64>
  %shifted = lathe.sub %x, %largest : tensor<16x262144xf64>, tensor<16x1xf64>
  %large = lathe.constant dense<1.0e+30> : tensor<f64>
  %hidden = lathe.min %shifted, %large : tensor<16x262144xf64>, tensor<f64>
  %short = lathe.exp %shifted : tensor<16x262144xf64>
  %long = lathe.exp %hidden : tensor<16x262144xf64>
  %equal = lathe.compare eq %short, %long : tensor<16x262144xf64>
  %all = lathe.reduce and %equal dims [0, 1] : tensor<16x262144xi1>
  return %all : tensor<i1>
}

// SPECIAL: 0 1 0 nan nan nan nan 0 0
func.func @special() -> tensor<3x3xf32> {
  %x = lathe.constant dense<[[0xFF800000, 0.0, -1000.0], [1.0, 0x7FC00000, 2.0], [0x7F800000, 0.0, 0xFF800000]]> : tensor<3x3xf32>
  %0 = lathe.std.max %x dims [1] keep : tensor<3x3xf32>
  %1 = lathe.sub %x, %0 : tensor<3x3xf32>, tensor<3x1xf32>
  %2 = lathe.exp %1 : tensor<3x3xf32>
  return %2 : tensor<3x3xf32>
}
