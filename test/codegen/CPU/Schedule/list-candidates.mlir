// The schedules that a tuner may try for parameters that are lists: one entry changed, all entries alike, and a kept value
// dropped or another one kept, with its place. Those that the form refuses are left out: softmax stores its only result in the
// last pass, and the value that only its second pass needs is not kept.
// RUN: lathec %s --emit=mlir --emit-stage=plan -o %t.mlir
// RUN: lathe-opt %t.mlir '--lathe-schedule-cpu=target=x86-64-v3 print-candidates' 2>&1 >/dev/null | FileCheck %s --implicit-check-not 'store_in = [1]' --implicit-check-not 'keep = [1'

// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [3], keep_in = [0], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [2, 4, 4]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [3], keep_in = [0], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [4, 4, 2]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [3], keep_in = [-1], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [4, 4, 4]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [2], keep_in = [0], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [4, 4, 4]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [], keep_in = [], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [4, 4, 4]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = false, keep = [3], keep_in = [0], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [4, 4, 4]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [3], keep_in = [0], reduce_in = [0, 1], rows = 1, store_in = [2], vectors = [4, 4, 4]}>
func.func @f(%x: tensor<256x1000xf32>) -> tensor<256x1000xf32> {
  %0 = lathe.std.softmax %x dim 1 : tensor<256x1000xf32>
  return %0 : tensor<256x1000xf32>
}

// The sum of %x and %y is so cheap that both passes compute it; the candidate keeps it.
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [], keep_in = [], reduce_in = [0, 1], rows = 2, store_in = [-1], vectors = [2, 4]}>
// CHECK-DAG: row_passes {in_registers = false, in_turn = true, keep = [0], keep_in = [-1], reduce_in = [0, 1], rows = 2, store_in = [-1], vectors = [4, 4]}>
func.func @g(%x: tensor<256x1000xf32>, %y: tensor<256x1000xf32>) -> tensor<256xf32> {
  %0 = lathe.add %x, %y : tensor<256x1000xf32>
  %1 = lathe.reduce max %0 dims [1] : tensor<256x1000xf32>
  %2 = lathe.broadcast %1 dims [0] to [256, 1000] : tensor<256xf32>
  %3 = lathe.sub %0, %2 : tensor<256x1000xf32>
  %4 = lathe.reduce sum %3 dims [1] : tensor<256x1000xf32>
  return %4 : tensor<256xf32>
}
