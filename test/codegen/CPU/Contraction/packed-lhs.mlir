// Products of an lhs whose rows are adjacent and whose products are far apart, as in the gradients of weights: the rows of a block are
// copied for all columns. One chain and many, ragged rows and columns, several results, doubles, halves, integers, levels and threads.
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-COUNT-5: contraction {{{.*}}packs_lhs = true
// CHECK: contraction {{{.*}}packs_lhs = false
// CHECK: contraction {{{.*}}packs_lhs = false
// RUN: lathe-run %s --random --check --rtol 1e-2 --atol 1e-2
// RUN: lathe-run %s --random --check --rtol 1e-2 --atol 1e-2 --threads 3 --target=x86-64-v3
// RUN: lathe-run %s --random --check --rtol 1e-2 --atol 1e-2 --threads 2 --target=x86-64-v2

// Copies do not change a bit, nor do threads.
// RUN: rm -rf %t.copied %t.read %t.threads
// RUN: lathe-run %s --random --save %t.copied --target=x86-64-v3 > %t.log
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | grep -o 'kernel_dot_general_[0-9a-z_]* for .*' | grep 'v3: contraction' | sed 's/ for x86-64-v3: contraction/ #lathe.schedule<"x86-64-v3" contraction/; s/packs_lhs = true/packs_lhs = false/; s/$/>/' > %t.schedules
// RUN: grep -c 'packs_lhs = false' %t.schedules | grep -x 7
// RUN: lathe-run %s --random --save %t.read --target=x86-64-v3 --schedule=%t.schedules > %t.log && diff -r %t.copied %t.read
// RUN: lathe-run %s --random --save %t.threads --target=x86-64-v3 --threads 3 > %t.log && diff -r %t.copied %t.threads

func.func @main(%x: tensor<600x220xf32>, %y: tensor<600x170xf32>, %deep: tensor<900x130xf32>, %z: tensor<900x96xf32>,
                %m: tensor<220x170xf32>, %d: tensor<520x200xf64>, %e: tensor<520x90xf64>, %h: tensor<600x256xbf16>,
                %g: tensor<600x256xf32>, %i: tensor<600x256xi32>, %k: tensor<600x150xi32>, %few: tensor<3000x220xf32>,
                %w: tensor<3000x170xf32>, %b: tensor<2x600x220xf32>, %c: tensor<2x600x170xf32>)
    -> (tensor<220x170xf32>, tensor<220x170xf32>, tensor<130x96xf32>, tensor<200x90xf64>, tensor<256x256xf32>, tensor<256x150xi32>,
        tensor<220x170xf32>, tensor<2x220x170xf32>) {
  %0 = lathe.dot_general %x, %y contract [0] x [0] : tensor<600x220xf32>, tensor<600x170xf32>
  %1 = lathe.mul %0, %m : tensor<220x170xf32>
  %2 = lathe.sqrt %1 : tensor<220x170xf32>
  %3 = lathe.dot_general %deep, %z contract [0] x [0] : tensor<900x130xf32>, tensor<900x96xf32>
  %4 = lathe.dot_general %d, %e contract [0] x [0] : tensor<520x200xf64>, tensor<520x90xf64>
  %5 = lathe.convert %h to f32 : tensor<600x256xbf16>
  %6 = lathe.dot_general %5, %g contract [0] x [0] : tensor<600x256xf32>, tensor<600x256xf32>
  %7 = lathe.dot_general %i, %k contract [0] x [0] : tensor<600x256xi32>, tensor<600x150xi32>
  %8 = lathe.dot_general %few, %w contract [0] x [0] : tensor<3000x220xf32>, tensor<3000x170xf32>
  %9 = lathe.dot_general %b, %c contract [1] x [1] batch [0] x [0] : tensor<2x600x220xf32>, tensor<2x600x170xf32>
  return %1, %2, %3, %4, %6, %7, %8, %9
      : tensor<220x170xf32>, tensor<220x170xf32>, tensor<130x96xf32>, tensor<200x90xf64>, tensor<256x256xf32>, tensor<256x150xi32>,
        tensor<220x170xf32>, tensor<2x220x170xf32>
}
