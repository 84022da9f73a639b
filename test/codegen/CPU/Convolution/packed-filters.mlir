// Convolutions whose filter is a constant in panels, against the interpreter: tiles over several lines, tiles of several panels in
// corners, lines in blocks, strides, dilations of both sides, groups, one to three dimensions, sums of many chains, several images,
// integers, doubles, epilogues in place, levels and threads.
// RUN: %python %S/../Contraction/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 --entry=main 2>&1 | FileCheck %s --check-prefix=PACKED
// PACKED-COUNT-11: the object stores the weights in panels of
// PACKED-NOT: the object stores the weights in panels of
// RUN: lathe-run %t.mlir main --random --dim N=1 --dim H=9 --check --rtol 1e-3 --atol 1e-3
// RUN: lathe-run %t.mlir main --random --dim N=7 --dim H=5 --check --rtol 1e-3 --atol 1e-3 --threads 3
// RUN: lathe-run %t.mlir main --random --dim N=2 --dim H=1 --check --rtol 1e-3 --atol 1e-3 --target=x86-64-v3 --threads 2
// RUN: lathe-run %t.mlir main --random --dim N=3 --dim H=4 --check --rtol 1e-3 --atol 1e-3 --target=x86-64-v2
// RUN: lathe-run %t.mlir main --random --dim N=2 --dim H=4 --check --rtol 1e-3 --atol 1e-3 --target=x86-64-v2,x86-64-v3,x86-64-v4

// Constants in a file have the graph's order. Filters in either order, any number of threads, and versions for known and named sizes
// give the same bits.
// RUN: rm -rf %t.graph %t.panels %t.threads %t.version %t.open %t.level
// RUN: lathe-run %t.mlir main --random --dim N=7 --dim H=11 --weights=extern --save %t.graph > %t.log
// RUN: lathe-run %t.mlir main --random --dim N=7 --dim H=11 --save %t.panels > %t.log
// RUN: lathe-run %t.mlir main --random --dim N=7 --dim H=11 --threads 3 --save %t.threads > %t.log
// RUN: lathe-run %t.mlir main --random --input x=@%t.graph/in-x.npy --specialize N=7 --specialize H=11 --save %t.version > %t.log
// RUN: lathe-run %t.mlir main --random --input x=@%t.graph/in-x.npy --threads 2 --save %t.open > %t.log
// RUN: %if x86-64-v4 %{ lathe-run %t.mlir main --random --input x=@%t.graph/in-x.npy --target=x86-64-v3 --save %t.level > %t.log && diff -r %t.graph %t.level %}
// RUN: diff -r %t.graph %t.panels && diff -r %t.graph %t.threads && diff -r %t.graph %t.version && diff -r %t.graph %t.open

func.func @main(%x: tensor<?x?x9x24xf32> {lathe.dims = #lathe.dims<N, H>, lathe.name = "x"}, %deep: tensor<1x7x7x300xf32>, %image: tensor<1x13x15x32xf32>,
                %pair: tensor<3x8x8x32xf32>, %line: tensor<1x600x40xf32>, %volume: tensor<2x4x5x6x16xf32>,
                %d: tensor<1x9x10x24xf64>, %i: tensor<1x9x10x24xi32>)
    -> (tensor<?x?x9x96xf32>, tensor<1x7x7x64xf32>, tensor<1x13x15x64xf32>, tensor<1x7x8x32xf32>, tensor<1x25x29x48xf32>,
        tensor<1x13x13x64xf32>, tensor<3x8x8x64xf32>, tensor<1x600x32xf32>, tensor<2x4x5x3x32xf32>, tensor<1x9x10x48xf64>,
        tensor<1x9x10x48xi32>, tensor<1x7x7x300xf32>) {
  %w0 = lathe.constant dense<any> : tensor<3x3x24x96xf32>
  %w1 = lathe.constant dense<any> : tensor<3x3x300x64xf32>
  %w2 = lathe.constant dense<any> : tensor<5x3x32x64xf32>
  %w3 = lathe.constant dense<any> : tensor<3x3x32x32xf32>
  %w4 = lathe.constant dense<any> : tensor<3x3x32x48xf32>
  %w5 = lathe.constant dense<any> : tensor<3x3x16x64xf32>
  %w6 = lathe.constant dense<any> : tensor<3x3x32x64xf32>
  %w7 = lathe.constant dense<any> : tensor<9x40x32xf32>
  %w8 = lathe.constant dense<any> : tensor<3x3x3x16x32xf32>
  %w9 = lathe.constant dense<any> : tensor<3x3x24x48xf64>
  %w10 = lathe.constant dense<any> : tensor<3x3x24x48xi32>
  %w11 = lathe.constant dense<any> : tensor<1x3x300x300xf32>
  %b = lathe.constant dense<any> : tensor<64xf32>

  %0 = lathe.conv %x, %w0 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x9x24xf32>, tensor<3x3x24x96xf32>
  %1 = lathe.conv %deep, %w1 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x7x7x300xf32>, tensor<3x3x300x64xf32>
  %biased = lathe.add %1, %b : tensor<1x7x7x64xf32>, tensor<64xf32>
  %2 = lathe.conv %image, %w2 stride [1, 1] pad [[2, 2], [1, 1]] : tensor<1x13x15x32xf32>, tensor<5x3x32x64xf32>
  %tanh = lathe.tanh %2 : tensor<1x13x15x64xf32>
  %3 = lathe.conv %image, %w3 stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x13x15x32xf32>, tensor<3x3x32x32xf32>
  %4 = lathe.conv %image, %w4 stride [1, 1] pad [[1, 1], [1, 1]] input_dilation [2, 2] : tensor<1x13x15x32xf32>, tensor<3x3x32x48xf32>
  %5 = lathe.conv %image, %w5 stride [1, 1] pad [[2, 2], [1, 1]] dilation [2, 2] groups 2 : tensor<1x13x15x32xf32>, tensor<3x3x16x64xf32>
  %6 = lathe.conv %pair, %w6 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<3x8x8x32xf32>, tensor<3x3x32x64xf32>
  %7 = lathe.conv %line, %w7 stride [1] pad [[4, 4]] : tensor<1x600x40xf32>, tensor<9x40x32xf32>
  %8 = lathe.conv %volume, %w8 stride [1, 1, 2] pad [[1, 1], [1, 1], [1, 1]] : tensor<2x4x5x6x16xf32>, tensor<3x3x3x16x32xf32>
  %9 = lathe.conv %d, %w9 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x10x24xf64>, tensor<3x3x24x48xf64>
  %10 = lathe.conv %i, %w10 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x10x24xi32>, tensor<3x3x24x48xi32>
  %11 = lathe.conv %deep, %w11 stride [1, 1] pad [[0, 0], [1, 1]] : tensor<1x7x7x300xf32>, tensor<1x3x300x300xf32>
  return %0, %biased, %tanh, %3, %4, %5, %6, %7, %8, %9, %10, %11
    : tensor<?x?x9x96xf32>, tensor<1x7x7x64xf32>, tensor<1x13x15x64xf32>, tensor<1x7x8x32xf32>, tensor<1x25x29x48xf32>,
      tensor<1x13x13x64xf32>, tensor<3x8x8x64xf32>, tensor<1x600x32xf32>, tensor<2x4x5x3x32xf32>, tensor<1x9x10x48xf64>,
      tensor<1x9x10x48xi32>, tensor<1x7x7x300xf32>
}
