// Products without rows, columns or depth.
// RUN: lathe-run %s none --random --check | FileCheck %s
// RUN: lathe-run %s batches --random --dim N=3 --check | FileCheck %s --check-prefix=BATCHES
// RUN: lathe-run %s integers --random --dim N=0 --check --target=x86-64-v3 | FileCheck %s --check-prefix=INTEGERS

func.func @none(%a: tensor<3x4xf32>, %b: tensor<4x0xf32>, %c: tensor<0x4xf32>, %d: tensor<3x0xf32>, %e: tensor<0x5xf32>, %f: tensor<4x5xf32>)
    -> (tensor<3x0xf32>, tensor<0x5xf32>, tensor<3x5xf32>) {
  // CHECK: columns: f32[3][0] empty
  %columns = lathe.dot_general %a, %b contract [1] x [0] : tensor<3x4xf32>, tensor<4x0xf32>
  // CHECK: rows: f32[0][5] empty
  %rows = lathe.dot_general %c, %f contract [1] x [0] : tensor<0x4xf32>, tensor<4x5xf32>
  // CHECK: depth: f32[3][5] min 0 max 0
  %depth = lathe.dot_general %d, %e contract [1] x [0] : tensor<3x0xf32>, tensor<0x5xf32>
  return %columns, %rows, %depth : tensor<3x0xf32>, tensor<0x5xf32>, tensor<3x5xf32>
}
func.func @batches(%a: tensor<0x?x4xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<0x4x2xf32>, %c: tensor<2x?x4xf32> {lathe.dims = #lathe.dims<N>},
                   %d: tensor<2x4x0xf32>) -> (tensor<0x?x2xf32>, tensor<2x?x0xf32>) {
  // BATCHES: none: f32[0][3][2] empty
  %none = lathe.dot_general %a, %b contract [2] x [1] batch [0] x [0] : tensor<0x?x4xf32>, tensor<0x4x2xf32>
  // BATCHES: columns: f32[2][3][0] empty
  %columns = lathe.dot_general %c, %d contract [2] x [1] batch [0] x [0] : tensor<2x?x4xf32>, tensor<2x4x0xf32>
  return %none, %columns : tensor<0x?x2xf32>, tensor<2x?x0xf32>
}
// Sums of integers are one chain, whose number of terms may be named: without terms, blocks of the operands still give zeros.
func.func @integers(%a: tensor<?x300xi32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x1024xi32> {lathe.dims = #lathe.dims<N>})
    -> tensor<300x1024xi32> {
  // INTEGERS: sums: i32[300][1024] min 0 max 0
  %sums = lathe.dot_general %a, %b contract [0] x [0] : tensor<?x300xi32>, tensor<?x1024xi32>
  return %sums : tensor<300x1024xi32>
}
