// Loops of a few short steps are unrolled: rows of two elements are code without a loop of their own, whose only loop is that
// over rows.
// RUN: lathec %s --entry=pairs --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=PAIRS
// PAIRS: define internal void @kernel_mul
// PAIRS: phi i64
// PAIRS-NOT: phi i64
// PAIRS: fmul double
// PAIRS-NOT: phi i64
// PAIRS: fmul double
// PAIRS-NOT: phi i64
// PAIRS: ret void
// RUN: lathe-run %s pairs --random --check --rtol 0 --atol 0
func.func @pairs(%x: tensor<100x2xf64>, %factors: tensor<2xf64>) -> tensor<100x2xf64> {
  %rows = lathe.broadcast %factors dims [1] to [100, 2] : tensor<2xf64>
  %y = lathe.mul %x, %rows : tensor<100x2xf64>
  return %y : tensor<100x2xf64>
}

// Paddings of known rows become constant conditions: the two halves are added without a choice between addresses.
// RUN: lathec %s --entry=halves --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=HALVES
// HALVES: define internal void @kernel_transpose
// HALVES-NOT: select
// HALVES: ret void
// RUN: lathe-run %s halves --random --check --rtol 0 --atol 0
func.func @halves(%x: tensor<50x3x1x2xf64>, %y: tensor<50x3x1x2xf64>) -> tensor<50x2x3x2xf64> {
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %first = lathe.pad %x, %zero low [0, 0, 0, 0] high [0, 0, 1, 0] : tensor<50x3x1x2xf64>, tensor<f64>
  %second = lathe.pad %y, %zero low [0, 0, 1, 0] high [0, 0, 0, 0] : tensor<50x3x1x2xf64>, tensor<f64>
  %both = lathe.add %first, %second : tensor<50x3x2x2xf64>
  %z = lathe.transpose %both [0, 2, 1, 3] : tensor<50x3x2x2xf64>
  return %z : tensor<50x2x3x2xf64>
}

// Long loops stay, and so do loops with products that the back end may contract with their sums, as on CPUs without FMA: beside an
// equal product of another step, one might be rounded.
// RUN: lathec %s --entry=long --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=LOOPS
// RUN: lathec %s --entry=products --threads=off --target=x86-64-v2 --emit=llvm -o - | FileCheck %s --check-prefix=LOOPS
// LOOPS: define internal void @kernel_
// LOOPS: phi i64
// LOOPS: phi i64
// LOOPS: ret void
func.func @long(%x: tensor<100x1000xf64>, %factors: tensor<1000xf64>) -> tensor<100x1000xf64> {
  %rows = lathe.broadcast %factors dims [1] to [100, 1000] : tensor<1000xf64>
  %y = lathe.mul %x, %rows : tensor<100x1000xf64>
  return %y : tensor<100x1000xf64>
}
func.func @products(%x: tensor<100x3x2xf64>, %y: tensor<3x2xf64>) -> tensor<100x2xf64> {
  %rows = lathe.broadcast %y dims [1, 2] to [100, 3, 2] : tensor<3x2xf64>
  %terms = lathe.mul %x, %rows : tensor<100x3x2xf64>
  %sums = lathe.reduce sum %terms dims [1] : tensor<100x3x2xf64>
  return %sums : tensor<100x2xf64>
}
