// RUN: lathe-opt %s --lathe-partition="axes=row=2,column=3" | FileCheck %s
// Two axes divide two dimensions.
// CHECK-LABEL: func.func @mesh(
// CHECK-SAME: %[[X:.*]]: tensor<2x2xf32>, %[[W:.*]]: tensor<2x5xf32>
// CHECK: %[[E:.*]] = lathe.exp %[[X]] : tensor<2x2xf32>
// CHECK: %[[PART:.*]] = lathe.dot_general %[[E]], %[[W]] contract [1] x [0] : tensor<2x2xf32>, tensor<2x5xf32>
// CHECK: %[[SUM:.*]] = lathe.all_reduce sum %[[PART]] over column = 3 : tensor<2x5xf32>
// CHECK: lathe.all_gather %[[SUM]] dim 0 over row = 2 : tensor<2x5xf32>
func.func @mesh(%x: tensor<4x6xf32> {lathe.shard = ["row", "column"]}, %w: tensor<6x5xf32> {lathe.shard = ["column", ""]}) -> tensor<4x5xf32> {
  %e = lathe.exp %x : tensor<4x6xf32>
  %y = lathe.dot_general %e, %w contract [1] x [0] : tensor<4x6xf32>, tensor<6x5xf32>
  return %y : tensor<4x5xf32>
}
