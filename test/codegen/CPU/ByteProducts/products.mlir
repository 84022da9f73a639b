// Products of bytes against the interpreter, bit for bit: both signs of the left operand, zero points from constants and from data,
// depths that are no multiple of a group, ragged columns, constants in panels and operands that are packed, batches, transposed and
// unsigned constants, named, few and many rows, results that are quantised again, levels and threads.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 > %t.log 2>&1
// RUN: FileCheck %s --input-file=%t.log
// RUN: FileCheck %s --input-file=%t.log --check-prefix=PACKED
// PACKED-COUNT-7: the object stores the weights in panels of 16 columns
// PACKED-NOT: the object stores the weights in panels
// CHECK-COUNT-11: byte_product {
// RUN: lathe-run %t.mlir main --random --dim M=70 --check --rtol 0 --atol 0
// RUN: lathe-run %t.mlir main --random --dim M=1 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %t.mlir main --random --dim M=37 --check --rtol 0 --atol 0 --target=x86-64-v3 --threads 3
// RUN: lathe-run %t.mlir main --random --dim M=300 --check --rtol 0 --atol 0 --target=x86-64-v3 --threads 2
// RUN: lathe-run %t.mlir main --random --dim M=11 --check --rtol 0 --atol 0 --target=x86-64-v2
// RUN: lathe-run %t.mlir main --random --dim M=11 --check --rtol 0 --atol 0 --target=x86-64-v2,x86-64-v3,x86-64-v4,x86-64-v4-vnni
// RUN: lathe-run %t.mlir main --random --dim M=5 --check --rtol 0 --atol 0 --specialize M=5
// RUN: lathe-run %t.mlir main --random --dim M=5 --check --rtol 0 --atol 0 --weights=extern
// RUN: lathe-run %t.mlir main --random --dim M=5 --check --rtol 0 --atol 0 -O 0

func.func @main(%xs: tensor<?x71xui8> {lathe.dims = #lathe.dims<M>}, %ys: tensor<?x71xi8> {lathe.dims = #lathe.dims<M>},
                %z: tensor<ui8>, %y: tensor<71x37xi8>, %s: tensor<3x21x150xi8>, %row: tensor<1x200xui8>, %few: tensor<3x200xui8>,
                %f: tensor<?x71xf32> {lathe.dims = #lathe.dims<M>})
    -> (tensor<?x50xi32>, tensor<?x97xi32>, tensor<?x37xi32>, tensor<3x21x50xi32>, tensor<1x130xi32>, tensor<3x5xi32>,
        tensor<?x130xi32>, tensor<?x64xui8>, tensor<?x48xi32>, tensor<?x48xi32>, tensor<?x20xi32>, tensor<?x50xf32>) {
  %w1 = lathe.constant dense<any> : tensor<71x50xi8>
  %w2 = lathe.constant dense<any> : tensor<71x97xi8>
  %w3 = lathe.constant dense<any> : tensor<3x150x50xi8>
  %w4 = lathe.constant dense<bell> : tensor<200x130xi8>
  %w5 = lathe.constant dense<any> : tensor<200x5xi8>
  %w6 = lathe.constant dense<any> : tensor<130x71xi8>
  %w7 = lathe.constant dense<bell> : tensor<71x64xi8>
  %w8 = lathe.constant dense<any> : tensor<71x48xui8>
  %w9 = lathe.constant dense<any> : tensor<71x20xi8>

  // Bytes of all values: random ones are small.
  %c = lathe.constant dense<37> : tensor<ui8>
  %d = lathe.constant dense<37> : tensor<i8>
  %x = lathe.mul %xs, %c : tensor<?x71xui8>, tensor<ui8>
  %v = lathe.mul %ys, %d : tensor<?x71xi8>, tensor<i8>
  %x32 = lathe.convert %x to i32 : tensor<?x71xui8>
  %v32 = lathe.convert %v to i32 : tensor<?x71xi8>
  %z32 = lathe.convert %z to i32 : tensor<ui8>
  %five = lathe.constant dense<5> : tensor<i32>
  %minus = lathe.constant dense<-128> : tensor<i32>

  %w1w = lathe.convert %w1 to i32 : tensor<71x50xi8>
  %0 = lathe.dot_general %x32, %w1w contract [1] x [0] : tensor<?x71xi32>, tensor<71x50xi32>

  // A zero point from data.
  %w2w = lathe.convert %w2 to i32 : tensor<71x97xi8>
  %xz = lathe.sub %x32, %z32 : tensor<?x71xi32>, tensor<i32>
  %1 = lathe.dot_general %xz, %w2w contract [1] x [0] : tensor<?x71xi32>, tensor<71x97xi32>

  // The right operand is not a constant.
  %y32 = lathe.convert %y to i32 : tensor<71x37xi8>
  %vz = lathe.sub %v32, %minus : tensor<?x71xi32>, tensor<i32>
  %2 = lathe.dot_general %vz, %y32 contract [1] x [0] : tensor<?x71xi32>, tensor<71x37xi32>

  %s32 = lathe.convert %s to i32 : tensor<3x21x150xi8>
  %sz = lathe.sub %s32, %five : tensor<3x21x150xi32>, tensor<i32>
  %w3w = lathe.convert %w3 to i32 : tensor<3x150x50xi8>
  %3 = lathe.dot_general %sz, %w3w contract [2] x [1] batch [0] x [0] : tensor<3x21x150xi32>, tensor<3x150x50xi32>

  %row32 = lathe.convert %row to i32 : tensor<1x200xui8>
  %w4w = lathe.convert %w4 to i32 : tensor<200x130xi8>
  %4 = lathe.dot_general %row32, %w4w contract [1] x [0] : tensor<1x200xi32>, tensor<200x130xi32>
  %few32 = lathe.convert %few to i32 : tensor<3x200xui8>
  %fz = lathe.sub %few32, %five : tensor<3x200xi32>, tensor<i32>
  %w5w = lathe.convert %w5 to i32 : tensor<200x5xi8>
  %5 = lathe.dot_general %fz, %w5w contract [1] x [0] : tensor<3x200xi32>, tensor<200x5xi32>

  // Constants are brought into order while they are bytes.
  %w6w = lathe.convert %w6 to i32 : tensor<130x71xi8>
  %6 = lathe.dot_general %xz, %w6w contract [1] x [1] : tensor<?x71xi32>, tensor<130x71xi32>

  // The sums stay in registers.
  %w7w = lathe.convert %w7 to i32 : tensor<71x64xi8>
  %sums = lathe.dot_general %xz, %w7w contract [1] x [0] : tensor<?x71xi32>, tensor<71x64xi32>
  %real = lathe.convert %sums to f32 : tensor<?x64xi32>
  %factor = lathe.constant dense<0.001953125> : tensor<f32>
  %scaled = lathe.mul %real, %factor : tensor<?x64xf32>, tensor<f32>
  %near = lathe.round %scaled : tensor<?x64xf32>
  %zero = lathe.constant dense<99.0> : tensor<f32>
  %moved = lathe.add %near, %zero : tensor<?x64xf32>, tensor<f32>
  %7 = lathe.convert %moved to ui8 : tensor<?x64xf32>

  // Factors of u8 that fit i8 once their zero point is subtracted, and some that do not: they are the same i8 and a number, by which
  // the sums of rows are multiplied.
  %w8w = lathe.convert %w8 to i32 : tensor<71x48xui8>
  %middle = lathe.constant dense<128> : tensor<i32>
  %w8z = lathe.sub %w8w, %middle : tensor<71x48xi32>, tensor<i32>
  %8 = lathe.dot_general %xz, %w8z contract [1] x [0] : tensor<?x71xi32>, tensor<71x48xi32>
  %w8f = lathe.sub %w8w, %five : tensor<71x48xi32>, tensor<i32>
  %9 = lathe.dot_general %xz, %w8f contract [1] x [0] : tensor<?x71xi32>, tensor<71x48xi32>

  // Bytes that are computed from floats, and that another op reads as well.
  %ten = lathe.constant dense<20.0> : tensor<f32>
  %ft = lathe.mul %f, %ten : tensor<?x71xf32>, tensor<f32>
  %q = lathe.convert %ft to i8 : tensor<?x71xf32>
  %q32 = lathe.convert %q to i32 : tensor<?x71xi8>
  %w9w = lathe.convert %w9 to i32 : tensor<71x20xi8>
  %10 = lathe.dot_general %q32, %w9w contract [1] x [0] : tensor<?x71xi32>, tensor<71x20xi32>
  %11 = lathe.dot_general %q32, %w1w contract [1] x [0] : tensor<?x71xi32>, tensor<71x50xi32>
  %12 = lathe.convert %11 to f32 : tensor<?x50xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %12
      : tensor<?x50xi32>, tensor<?x97xi32>, tensor<?x37xi32>, tensor<3x21x50xi32>, tensor<1x130xi32>, tensor<3x5xi32>,
        tensor<?x130xi32>, tensor<?x64xui8>, tensor<?x48xi32>, tensor<?x48xi32>, tensor<?x20xi32>, tensor<?x50xf32>
}
