// Products whose right operand is a constant in panels, against the interpreter: ragged columns, halves, integers, doubles, batches,
// transposed constants, named, few and many rows, sums of many chains, epilogues, branches and loops, levels and threads. Sums that
// differ in their last bits may differ by a unit of bf16.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s --check-prefix=PACKED
// PACKED-COUNT-14: the object stores the weights in panels of
// PACKED-NOT: the object stores the weights in panels of
// RUN: lathe-run %t.mlir main --random --dim M=70 --check --rtol 1e-2 --atol 1e-3
// RUN: lathe-run %t.mlir main --random --dim M=1 --check --rtol 1e-2 --atol 1e-3 --threads 2
// RUN: lathe-run %t.mlir main --random --dim M=37 --check --rtol 1e-2 --atol 1e-3 --target=x86-64-v3 --threads 3
// RUN: lathe-run %t.mlir main --random --dim M=11 --check --rtol 1e-2 --atol 1e-3 --target=x86-64-v2
// RUN: lathe-run %t.mlir main --random --dim M=11 --check --rtol 1e-2 --atol 1e-3 --target=x86-64-v2,x86-64-v3,x86-64-v4

// Constants in a file have the graph's order, and products of them the same bits.
// RUN: rm -rf %t.graph %t.panels %t.threads %t.version
// RUN: lathe-run %t.mlir main --random --dim M=37 --weights=extern --save %t.graph > %t.log
// RUN: lathe-run %t.mlir main --random --dim M=37 --save %t.panels > %t.log
// RUN: lathe-run %t.mlir main --random --dim M=37 --threads 3 --save %t.threads > %t.log
// RUN: lathe-run %t.mlir main --random --dim M=37 --specialize M=37 --save %t.version > %t.log
// RUN: %python %S/Inputs/same.py %t.graph %t.panels %t.threads %t.version
// More rows than meet all panels at once: 652 of 200 elements.
// RUN: lathe-run %t.mlir main --random --dim M=700 --target=x86-64-v3 --weights=extern --save %t.graph > %t.log
// RUN: lathe-run %t.mlir main --random --dim M=700 --target=x86-64-v3 --threads 3 --save %t.panels > %t.log
// RUN: %python %S/Inputs/same.py %t.graph %t.panels

func.func @main(%x: tensor<?x200xf32> {lathe.dims = #lathe.dims<M>}, %deep: tensor<30x1500xf32>, %d: tensor<19x90xf64>,
                %i: tensor<40x90xi32>, %s: tensor<3x21x150xf32>, %images: tensor<5x7x90xf32>, %choice: tensor<i1>)
    -> (tensor<?x200xf32>, tensor<?x250xf32>, tensor<?x97xf32>, tensor<?x130xf32>, tensor<30x100xf32>, tensor<19x101xf64>,
        tensor<40x200xi32>, tensor<3x21x50xf32>, tensor<5x7x120xf32>, tensor<?x200xf32>, tensor<?x200xf32>, tensor<3x200xf32>,
        tensor<9x200xf32>) {
  %square = lathe.constant dense<any> : tensor<200x200xf32>
  %w1 = lathe.constant dense<any> : tensor<200x250xf16>
  %w2 = lathe.constant dense<any> : tensor<200x97xbf16>
  %w3 = lathe.constant dense<any> : tensor<130x200xf32>
  %w4 = lathe.constant dense<any> : tensor<1500x100xf32>
  %w5 = lathe.constant dense<any> : tensor<90x101xf64>
  %w6 = lathe.constant dense<any> : tensor<90x200xi8>
  %w7 = lathe.constant dense<any> : tensor<3x150x50xf32>
  %w8 = lathe.constant dense<any> : tensor<90x120xf32>
  %bias = lathe.constant dense<any> : tensor<97xf32>

  %0 = lathe.dot_general %x, %square contract [1] x [0] : tensor<?x200xf32>, tensor<200x200xf32>
  %1 = lathe.tanh %0 : tensor<?x200xf32>
  %x1 = lathe.convert %x to f16 : tensor<?x200xf32>
  %f1 = lathe.dot_general %x1, %w1 contract [1] x [0] : tensor<?x200xf16>, tensor<200x250xf16>
  %2 = lathe.convert %f1 to f32 : tensor<?x250xf16>
  %x2 = lathe.convert %x to bf16 : tensor<?x200xf32>
  %f2 = lathe.dot_general %x2, %w2 contract [1] x [0] : tensor<?x200xbf16>, tensor<200x97xbf16>
  %3 = lathe.convert %f2 to f32 : tensor<?x97xbf16>
  %4 = lathe.add %3, %bias : tensor<?x97xf32>, tensor<97xf32>
  %5 = lathe.dot_general %x, %w3 contract [1] x [1] : tensor<?x200xf32>, tensor<130x200xf32>
  %6 = lathe.dot_general %deep, %w4 contract [1] x [0] : tensor<30x1500xf32>, tensor<1500x100xf32>
  %7 = lathe.dot_general %d, %w5 contract [1] x [0] : tensor<19x90xf64>, tensor<90x101xf64>
  %wide = lathe.convert %w6 to i32 : tensor<90x200xi8>
  %8 = lathe.dot_general %i, %wide contract [1] x [0] : tensor<40x90xi32>, tensor<90x200xi32>
  %9 = lathe.dot_general %s, %w7 contract [2] x [1] batch [0] x [0] : tensor<3x21x150xf32>, tensor<3x150x50xf32>
  %10 = lathe.dot_general %images, %w8 contract [2] x [0] : tensor<5x7x90xf32>, tensor<90x120xf32>

  // Regions of branches and loops read the constant as an argument.
  %11 = lathe.if %choice -> tensor<?x200xf32> {
    %then = lathe.dot_general %1, %square contract [1] x [0] : tensor<?x200xf32>, tensor<200x200xf32>
    lathe.yield %then : tensor<?x200xf32>
  } else {
    lathe.yield %1 : tensor<?x200xf32>
  }
  %scale = lathe.constant dense<0.03125> : tensor<f32>
  %12, %hs = lathe.scan carry(%h = %1 : tensor<?x200xf32>) over(%step = %d : tensor<19x90xf64>) -> (tensor<?x200xf32>, tensor<19x?x200xf32>) {
    %product = lathe.dot_general %h, %square contract [1] x [0] : tensor<?x200xf32>, tensor<200x200xf32>
    %next = lathe.mul %product, %scale : tensor<?x200xf32>, tensor<f32>
    lathe.yield carry(%next : tensor<?x200xf32>) collect(%product : tensor<?x200xf32>)
  }
  // Few rows have tiles of several panels; the last ones are one full panel and a narrow one.
  %one = lathe.slice %deep from [0, 0] to [1, 200] : tensor<30x1500xf32>
  %first = lathe.dot_general %one, %square contract [1] x [0] : tensor<1x200xf32>, tensor<200x200xf32>
  %two = lathe.slice %deep from [1, 0] to [3, 200] : tensor<30x1500xf32>
  %second = lathe.dot_general %two, %square contract [1] x [0] : tensor<2x200xf32>, tensor<200x200xf32>
  %13 = lathe.concatenate %first, %second dim 0 : tensor<1x200xf32>, tensor<2x200xf32>
  %some = lathe.slice %deep from [0, 0] to [9, 200] : tensor<30x1500xf32>
  %14 = lathe.dot_general %some, %square contract [1] x [0] : tensor<9x200xf32>, tensor<200x200xf32>
  return %1, %2, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14
    : tensor<?x200xf32>, tensor<?x250xf32>, tensor<?x97xf32>, tensor<?x130xf32>, tensor<30x100xf32>, tensor<19x101xf64>,
      tensor<40x200xi32>, tensor<3x21x50xf32>, tensor<5x7x120xf32>, tensor<?x200xf32>, tensor<?x200xf32>, tensor<3x200xf32>,
      tensor<9x200xf32>
}
