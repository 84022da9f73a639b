// Vectors are not wider than a row of a known number of elements: the lanes past its end would be masked off in each.
// RUN: lathec %s --target=x86-64-v4 --explain --emit=none 2>&1 | FileCheck %s
// RUN: lathe-run %s fours --random --check --rtol 0 --atol 0
// RUN: lathe-run %s fives --random --check --rtol 0 --atol 0
// CHECK-DAG: short-rows.mlir:[[#@LINE+3]]:{{.*}} loops {{{.*}}lanes = 4,
func.func @fours(%x: tensor<100x4xf64>, %factors: tensor<4xf64>) -> tensor<100x4xf64> {
  %rows = lathe.broadcast %factors dims [1] to [100, 4] : tensor<4xf64>
  %y = lathe.mul %x, %rows : tensor<100x4xf64>
  return %y : tensor<100x4xf64>
}
// CHECK-DAG: short-rows.mlir:[[#@LINE+3]]:{{.*}} loops {{{.*}}lanes = 8,
func.func @fives(%x: tensor<100x5xf32>, %factors: tensor<5xf32>) -> tensor<100x5xf32> {
  %rows = lathe.broadcast %factors dims [1] to [100, 5] : tensor<5xf32>
  %y = lathe.mul %x, %rows : tensor<100x5xf32>
  return %y : tensor<100x5xf32>
}
