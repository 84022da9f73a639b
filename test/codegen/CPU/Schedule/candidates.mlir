// The schedules that a tuner may try: single changes of parameters, tiles of other rows and vectors, and other forms. Those that
// the form refuses are left out: a tile of three rows leaves rows that no smaller tile has.
// RUN: lathec %s --emit=mlir --emit-stage=plan -o %t.mlir
// RUN: lathe-opt %t.mlir '--lathe-schedule-cpu=target=x86-64-v3 print-candidates' 2>&1 >/dev/null | FileCheck %s --implicit-check-not 'rows = 3,' --implicit-check-not 'row_passes'

// CHECK-DAG: remark: kernel_dot_general_{{[0-9a-f]+}} #lathe.schedule<"x86-64-v3" contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 6, vectors = 1}>
// CHECK-DAG: contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 4, vectors = 3}>
// CHECK-DAG: contraction {block_depth = 0, block_tiles = 1, lanes = 4, packs_lhs = false, rows = 6, vectors = 2}>
// CHECK-DAG: contraction {block_depth = 16, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 6, vectors = 2}>
// CHECK-DAG: kernel_dot_general_{{[0-9a-f]+}} #lathe.schedule<"x86-64-v3" loops {
// CHECK-DAG: remark: kernel_sort_{{[0-9a-f]+}} #lathe.schedule<"x86-64-v3" sort {digit_bits = 8, method = radix}>
func.func @f(%x: tensor<40x70xf32>, %y: tensor<70x50xf32>) -> (tensor<40x50xf32>, tensor<40x70xf32>) {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<40x70xf32>, tensor<70x50xf32>
  %1 = lathe.sort %x dim 1 : tensor<40x70xf32>
  return %0, %1 : tensor<40x50xf32>, tensor<40x70xf32>
}
