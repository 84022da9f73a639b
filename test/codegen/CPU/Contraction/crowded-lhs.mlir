// Gradients of weights for few examples: an lhs whose rows are adjacent and whose products are at distances that crowd the first-level
// cache, as those of rhs are. The products of rhs are then in blocks; at multiples of 4 KB the rows of lhs are copied, too.
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK: crowded-lhs.mlir:23:8: remark: [schedule]
// CHECK-SAME: block_depth = 256, block_tiles = 21, lanes = 8, packs_lhs = false
// CHECK: crowded-lhs.mlir:24:8: remark: [schedule]
// CHECK-SAME: block_depth = 256, block_tiles = 21, lanes = 8, packs_lhs = true
// Not in blocks: few products at a distance of 1 KB, rows of rhs at a distance of 384 bytes, and at one of 96.
// CHECK: crowded-lhs.mlir:25:8: remark: [schedule]
// CHECK-SAME: block_depth = 0
// CHECK: crowded-lhs.mlir:26:8: remark: [schedule]
// CHECK-SAME: block_depth = 0
// CHECK: crowded-lhs.mlir:27:8: remark: [schedule]
// CHECK-SAME: block_depth = 0

// Blocks and copies do not change a bit.
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | grep -o 'kernel_dot_general_[0-9a-z_]* for x86-64-v3: contraction.*' | sed 's/ for x86-64-v3: contraction/ #lathe.schedule<"x86-64-v3" contraction/; s/packs_lhs = true/packs_lhs = false/; s/block_depth = [0-9]*/block_depth = 0/; s/block_tiles = [0-9]*/block_tiles = 1/; s/$/>/' > %t.schedules
// RUN: rm -rf %t.blocks %t.read
// RUN: lathe-run %s --random --save %t.blocks --target=x86-64-v3 --check --rtol 1e-4 --atol 1e-5 > %t.log
// RUN: lathe-run %s --random --save %t.read --target=x86-64-v3 --threads 3 --schedule=%t.schedules > %t.log && diff -r %t.blocks %t.read
func.func @main(%a: tensor<200x256xf32>, %b: tensor<40x1024xf32>, %c: tensor<100x256xf32>, %x: tensor<200x64xf32>, %y: tensor<40x64xf32>, %z: tensor<100x64xf32>, %w: tensor<200x96xf32>, %v: tensor<40x24xf32>)
    -> (tensor<256x64xf32>, tensor<1024x64xf32>, tensor<256x64xf32>, tensor<256x96xf32>, tensor<1024x24xf32>) {
  %0 = lathe.dot_general %a, %x contract [0] x [0] : tensor<200x256xf32>, tensor<200x64xf32>
  %1 = lathe.dot_general %b, %y contract [0] x [0] : tensor<40x1024xf32>, tensor<40x64xf32>
  %2 = lathe.dot_general %c, %z contract [0] x [0] : tensor<100x256xf32>, tensor<100x64xf32>
  %3 = lathe.dot_general %a, %w contract [0] x [0] : tensor<200x256xf32>, tensor<200x96xf32>
  %4 = lathe.dot_general %b, %v contract [0] x [0] : tensor<40x1024xf32>, tensor<40x24xf32>
  return %0, %1, %2, %3, %4 : tensor<256x64xf32>, tensor<1024x64xf32>, tensor<256x64xf32>, tensor<256x96xf32>, tensor<1024x24xf32>
}
