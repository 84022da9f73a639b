// The transpose of a product is a product of the factors in the other order, if their columns are contiguous and not few.
// RUN: lathe-opt %s --lathe-layout | FileCheck %s
// RUN: lathe-run %s gradient --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s batched --random --check --rtol 1e-5 --atol 1e-5

// CHECK-LABEL: @gradient(
// CHECK: [[P:%.*]] = lathe.dot_general %arg1, %arg0 contract [0, 1] x [0, 1] : tensor<9x2x40xf32>, tensor<9x2x24xf32>
// CHECK: return [[P]]
func.func @gradient(%x: tensor<9x2x24xf32>, %g: tensor<9x2x40xf32>) -> tensor<40x24xf32> {
  %0 = lathe.dot_general %x, %g contract [0, 1] x [0, 1] : tensor<9x2x24xf32>, tensor<9x2x40xf32>
  %1 = lathe.transpose %0 [1, 0] : tensor<24x40xf32>
  return %1 : tensor<40x24xf32>
}

// Batches stay in front, and several rows stay in order.
// CHECK-LABEL: @batched(
// CHECK: [[P:%.*]] = lathe.dot_general %arg1, %arg0 contract [1] x [2] batch [0] x [0] : tensor<3x9x5xf32>, tensor<3x4x9x16xf32>
// CHECK: return [[P]]
func.func @batched(%a: tensor<3x4x9x16xf32>, %b: tensor<3x9x5xf32>) -> tensor<3x5x4x16xf32> {
  %0 = lathe.dot_general %a, %b contract [2] x [1] batch [0] x [0] : tensor<3x4x9x16xf32>, tensor<3x9x5xf32>
  %1 = lathe.transpose %0 [0, 3, 1, 2] : tensor<3x4x16x5xf32>
  return %1 : tensor<3x5x4x16xf32>
}

// Another order, a product that is read elsewhere, columns that are not contiguous, and few columns.
// CHECK-LABEL: @others(
// CHECK: lathe.dot_general %arg0, %arg1
// CHECK: lathe.transpose {{.*}} [0, 2, 1]
// CHECK: [[TWICE:%.*]] = lathe.dot_general %arg2, %arg3
// CHECK: lathe.transpose [[TWICE]] [1, 0]
// CHECK: lathe.dot_general %arg4
// CHECK: lathe.transpose {{.*}} [1, 0]
// CHECK: lathe.dot_general %arg5, %arg3
// CHECK: lathe.transpose {{.*}} [1, 0]
func.func @others(%a: tensor<8x3x16xf32>, %b: tensor<8x40xf32>, %c: tensor<8x16xf32>, %d: tensor<8x40xf32>, %e: tensor<16x8xf32>, %few: tensor<8x15xf32>)
    -> (tensor<3x40x16xf32>, tensor<16x40xf32>, tensor<40x16xf32>, tensor<40x16xf32>, tensor<40x15xf32>) {
  %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<8x3x16xf32>, tensor<8x40xf32>
  %1 = lathe.transpose %0 [0, 2, 1] : tensor<3x16x40xf32>
  %2 = lathe.dot_general %c, %d contract [0] x [0] : tensor<8x16xf32>, tensor<8x40xf32>
  %3 = lathe.transpose %2 [1, 0] : tensor<16x40xf32>
  %4 = lathe.dot_general %e, %d contract [1] x [0] : tensor<16x8xf32>, tensor<8x40xf32>
  %5 = lathe.transpose %4 [1, 0] : tensor<16x40xf32>
  %6 = lathe.dot_general %few, %d contract [0] x [0] : tensor<8x15xf32>, tensor<8x40xf32>
  %7 = lathe.transpose %6 [1, 0] : tensor<15x40xf32>
  return %1, %2, %3, %5, %7 : tensor<3x40x16xf32>, tensor<16x40xf32>, tensor<40x16xf32>, tensor<40x16xf32>, tensor<40x15xf32>
}
