// What threads share where the batch is one: the points of the next loops, pieces of the vectorised loop, of a long concatenated
// line, and blocks of an image. The results are those of one thread and of the interpreter.
// RUN: lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | grep 'kernels\]' | FileCheck %s
// RUN: rm -rf %t.* && lathec %s --emit=shared -o %t.so
// RUN: lathe-run %t.so main --random --save %t.one
// RUN: lathe-run %t.so main --random --threads=3 --save %t.three && diff -r %t.one %t.three
// RUN: lathe-run %s main --random --check --rtol 1e-4 --atol 1e-4

func.func @main(%a: tensor<1x1000000xf32>, %b: tensor<1x40x3x1000xf32>, %c: tensor<2x48x5x200xf32>, %d: tensor<1x300x1000xf32>,
                %e: tensor<1x100003xf32>, %f: tensor<1x99997xf32>, %g: tensor<1x3xf32>, %h: tensor<1x16x16x16xf32>,
                %w: tensor<3x3x16x16xf32>)
    -> (tensor<1x1000000xf32>, tensor<1x40x3x1000xf32>, tensor<2x48x5x200xf32>, tensor<1x300xf32>, tensor<1x200003xf32>,
        tensor<1x16x16x16xf32>) {
  // CHECK: shared-loops.mlir:[[#@LINE+1]]:{{.*}} parallel over 245 chunks
  %0 = lathe.exp %a : tensor<1x1000000xf32>
  // CHECK: shared-loops.mlir:[[#@LINE+1]]:{{.*}} parallel over 120 chunks
  %1 = lathe.exp %b : tensor<1x40x3x1000xf32>
  // CHECK: shared-loops.mlir:[[#@LINE+1]]:{{.*}} parallel over 96 chunks
  %2 = lathe.exp %c : tensor<2x48x5x200xf32>
  // CHECK: shared-loops.mlir:[[#@LINE+1]]:{{.*}} parallel over 300 chunks
  %3 = lathe.reduce sum %d dims [2] : tensor<1x300x1000xf32>
  // CHECK: shared-loops.mlir:[[#@LINE+1]]:{{.*}} parallel over 13 chunks
  %4 = lathe.concatenate %e, %g, %f dim 1 : tensor<1x100003xf32>, tensor<1x3xf32>, tensor<1x99997xf32>
  // CHECK: shared-loops.mlir:[[#@LINE+1]]:{{.*}} parallel over 4 chunks
  %5 = lathe.conv %h, %w stride [1, 1] pad same : tensor<1x16x16x16xf32>, tensor<3x3x16x16xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x1000000xf32>, tensor<1x40x3x1000xf32>, tensor<2x48x5x200xf32>, tensor<1x300xf32>, tensor<1x200003xf32>, tensor<1x16x16x16xf32>
}
