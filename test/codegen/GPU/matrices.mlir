// The forms of triangular_solve and cholesky: compiled code against the interpreter at sizes around those of tiles and of what
// registers hold; twins.py runs these lines on a GPU.
// RUN: lathe-run %s solves --random --dim N=1 --dim M=1 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s solves --random --dim N=31 --dim M=3 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s solves --random --dim N=33 --dim M=32 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s solves --random --dim N=70 --dim M=33 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s sizes --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s factor --random --dim N=1 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s factor --random --dim N=32 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s factor --random --dim N=33 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s factor --random --dim N=100 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s factors --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s empty --random --check --rtol 0 --atol 0
// RUN: lathec %s --target=cuda:sm_90 --emit=none --explain 2>&1 | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90 --entry factor --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// Every form of a triangle; many columns and few of them. What lies outside of the triangle is NaN, and so is a diagonal of ones.
// CHECK: [[#@LINE+19]]:{{.*}} for sm_90: a block for each 32 columns, by tiles,
// CHECK: [[#@LINE+26]]:{{.*}} for sm_90: a block for each 8 columns, by tiles,
func.func @solves(%r: tensor<2x?x?xf64> {lathe.dims = #lathe.dims<N, N>}, %b: tensor<2x?x?xf64> {lathe.dims = #lathe.dims<N, M>}, %c: tensor<2x?x?xf64> {lathe.dims = #lathe.dims<M, N>}, %v: tensor<2x?x1xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x1xf64>, tensor<2x?x1xf64>) {
  %row = lathe.iota dim 0 to [N, N] : i32
  %column = lathe.iota dim 1 to [N, N] : i32
  %on = lathe.compare eq %row, %column : tensor<?x?xi32>
  %above = lathe.compare lt %row, %column : tensor<?x?xi32>
  %below = lathe.compare gt %row, %column : tensor<?x?xi32>
  %one = lathe.convert %on to f64 : tensor<?x?xi1>
  %four = lathe.constant dense<4.0> : tensor<f64>
  %diagonal = lathe.mul %one, %four : tensor<?x?xf64>, tensor<f64>
  %tenth = lathe.constant dense<0.01> : tensor<f64>
  %small = lathe.mul %r, %tenth : tensor<2x?x?xf64>, tensor<f64>
  %a = lathe.add %small, %diagonal : tensor<2x?x?xf64>, tensor<?x?xf64>
  %nan = lathe.constant dense<0x7FF8000000000000> : tensor<f64>
  %lower = lathe.select %above, %nan, %a : tensor<?x?xi1>, tensor<f64>, tensor<2x?x?xf64>
  %upper = lathe.select %below, %nan, %a : tensor<?x?xi1>, tensor<f64>, tensor<2x?x?xf64>
  %strict = lathe.select %on, %nan, %lower : tensor<?x?xi1>, tensor<f64>, tensor<2x?x?xf64>
  %0 = lathe.triangular_solve %lower, %b : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %1 = lathe.triangular_solve %lower, %b transposed : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %2 = lathe.triangular_solve %strict, %b transposed unit : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %3 = lathe.triangular_solve %upper, %b upper : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %4 = lathe.triangular_solve %upper, %b upper transposed : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %5 = lathe.triangular_solve %lower, %c right : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %6 = lathe.triangular_solve %strict, %c right transposed unit : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %7 = lathe.triangular_solve %upper, %c right upper : tensor<2x?x?xf64>, tensor<2x?x?xf64>
  %8 = lathe.triangular_solve %lower, %v : tensor<2x?x?xf64>, tensor<2x?x1xf64>
  %9 = lathe.triangular_solve %upper, %v upper : tensor<2x?x?xf64>, tensor<2x?x1xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x?xf64>, tensor<2x?x1xf64>, tensor<2x?x1xf64>
}

// Systems whose size is known: all of a small one is in registers.
// CHECK: [[#@LINE+13]]:{{.*}} for sm_90: a thread for each column,
// CHECK: [[#@LINE+14]]:{{.*}} for sm_90: a block for each 32 columns, by tiles,
// CHECK: [[#@LINE+14]]:{{.*}} for sm_90: a block for each 8 columns, by tiles,
func.func @sizes(%p: tensor<30x16x16xf32>, %x: tensor<30x16x9xf32>, %q: tensor<20x20xf32>, %y: tensor<20x50xf32>, %z: tensor<20x8xf32>) -> (tensor<30x16x9xf32>, tensor<20x50xf32>, tensor<20x8xf32>) {
  %s = lathe.iota dim 0 to [16, 16] : i32
  %t = lathe.iota dim 1 to [16, 16] : i32
  %on = lathe.compare eq %s, %t : tensor<16x16xi32>
  %one = lathe.convert %on to f32 : tensor<16x16xi1>
  %four = lathe.constant dense<4.0> : tensor<f32>
  %diagonal = lathe.mul %one, %four : tensor<16x16xf32>, tensor<f32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %small = lathe.mul %p, %tenth : tensor<30x16x16xf32>, tensor<f32>
  %a = lathe.add %small, %diagonal : tensor<30x16x16xf32>, tensor<16x16xf32>
  %0 = lathe.triangular_solve %a, %x : tensor<30x16x16xf32>, tensor<30x16x9xf32>
  %little = lathe.mul %q, %tenth : tensor<20x20xf32>, tensor<f32>
  %1 = lathe.triangular_solve %little, %y unit : tensor<20x20xf32>, tensor<20x50xf32>
  %2 = lathe.triangular_solve %little, %z upper unit : tensor<20x20xf32>, tensor<20x8xf32>
  return %0, %1, %2 : tensor<30x16x9xf32>, tensor<20x50xf32>, tensor<20x8xf32>
}

// The second matrix is not positive definite from row 40 on. What is above the diagonal is NaN.
// PTX-LABEL: .visible .entry kernel_cholesky_
// PTX: .minnctapersm 1
// PTX-DAG: sqrt.rn.f64
// PTX-DAG: bar.sync 0
// PTX-DAG: shfl.sync.idx.b32
// CHECK: [[#@LINE+18]]:{{.*}} for sm_90: a block for each matrix, by tiles,
func.func @factor(%x: tensor<2x?x?xf64> {lathe.dims = #lathe.dims<N, N>}) -> tensor<2x?x?xf64> {
  %square = lathe.dot_general %x, %x contract [2] x [2] batch [0] x [0] : tensor<2x?x?xf64>
  %row = lathe.iota dim 0 to [N, N] : i32
  %column = lathe.iota dim 1 to [N, N] : i32
  %on = lathe.compare eq %row, %column : tensor<?x?xi32>
  %one = lathe.convert %on to f64 : tensor<?x?xi1>
  %positive = lathe.add %square, %one : tensor<2x?x?xf64>, tensor<?x?xf64>
  %number = lathe.iota dim 0 to [2, N, N] : i32
  %place = lathe.iota dim 1 to [2, N, N] : i32
  %sum = lathe.mul %number, %place : tensor<2x?x?xi32>
  %forty = lathe.constant dense<40> : tensor<i32>
  %isForty = lathe.compare eq %sum, %forty : tensor<2x?x?xi32>, tensor<i32>
  %large = lathe.constant dense<-1.0e4> : tensor<f64>
  %negative = lathe.select %isForty, %large, %positive : tensor<2x?x?xi1>, tensor<f64>, tensor<2x?x?xf64>
  %above = lathe.compare lt %row, %column : tensor<?x?xi32>
  %nan = lathe.constant dense<0x7FF8000000000000> : tensor<f64>
  %a = lathe.select %above, %nan, %negative : tensor<?x?xi1>, tensor<f64>, tensor<2x?x?xf64>
  %l = lathe.cholesky %a : tensor<2x?x?xf64>
  return %l : tensor<2x?x?xf64>
}

// CHECK: [[#@LINE+10]]:{{.*}} for sm_90: a thread for each matrix,
// CHECK: [[#@LINE+16]]:{{.*}} for sm_90: a block for each matrix, by tiles,
func.func @factors(%x: tensor<40x8x8xf32>, %y: tensor<24x24xf32>) -> (tensor<40x8x8xf32>, tensor<24x24xf32>) {
  %0 = lathe.dot_general %x, %x contract [2] x [2] batch [0] x [0] : tensor<40x8x8xf32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %e = lathe.iota dim 0 to [8, 8] : i32
  %f = lathe.iota dim 1 to [8, 8] : i32
  %on = lathe.compare eq %e, %f : tensor<8x8xi32>
  %unit = lathe.convert %on to f32 : tensor<8x8xi1>
  %a = lathe.add %0, %unit : tensor<40x8x8xf32>, tensor<8x8xf32>
  %l = lathe.cholesky %a : tensor<40x8x8xf32>
  %1 = lathe.dot_general %y, %y contract [1] x [1] : tensor<24x24xf32>
  %g = lathe.iota dim 0 to [24, 24] : i32
  %h = lathe.iota dim 1 to [24, 24] : i32
  %diagonal = lathe.compare eq %g, %h : tensor<24x24xi32>
  %other = lathe.convert %diagonal to f32 : tensor<24x24xi1>
  %b = lathe.add %1, %other : tensor<24x24xf32>
  %m = lathe.cholesky %b : tensor<24x24xf32>
  return %l, %m : tensor<40x8x8xf32>, tensor<24x24xf32>
}

func.func @empty(%a: tensor<3x0x0xf32>, %b: tensor<3x0x2xf32>, %c: tensor<20x20xf64>, %d: tensor<20x0xf64>, %e: tensor<0x20x20xf64>) -> (tensor<3x0x0xf32>, tensor<3x0x2xf32>, tensor<20x0xf64>, tensor<0x20x20xf64>) {
  %0 = lathe.cholesky %a : tensor<3x0x0xf32>
  %1 = lathe.triangular_solve %a, %b : tensor<3x0x0xf32>, tensor<3x0x2xf32>
  %2 = lathe.triangular_solve %c, %d : tensor<20x20xf64>, tensor<20x0xf64>
  %3 = lathe.cholesky %e : tensor<0x20x20xf64>
  return %0, %1, %2, %3 : tensor<3x0x0xf32>, tensor<3x0x2xf32>, tensor<20x0xf64>, tensor<0x20x20xf64>
}
