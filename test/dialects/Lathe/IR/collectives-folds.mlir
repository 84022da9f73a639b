// RUN: lathe-opt %s --canonicalize | FileCheck %s

// One rank has what it would receive.
// CHECK-LABEL: func.func @one_rank(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @one_rank(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<i64>) {
  %a = lathe.all_reduce mean %x over data = 1 : tensor<4x6xf32>
  %b = lathe.reduce_scatter max %x dim 1 over data = 1 : tensor<4x6xf32>
  %c = lathe.all_gather %x dim 0 over data = 1 : tensor<4x6xf32>
  %d = lathe.all_to_all %x split 0 concat 1 over data = 1 : tensor<4x6xf32>
  %e = lathe.collective_broadcast %x from 0 over data = 1 : tensor<4x6xf32>
  %f = lathe.collective_permute %x shift 1 over data = 1 : tensor<4x6xf32>
  // CHECK-DAG: %[[ZERO:.*]] = lathe.constant dense<0> : tensor<i64>
  %i = lathe.axis_index over data = 1 : tensor<i64>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[ZERO]]
  return %a, %b, %c, %d, %e, %f, %i : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<i64>
}

// A shift by a multiple of the axis' size sends each value to its own rank.
// CHECK-LABEL: func.func @whole_turn(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @whole_turn(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = lathe.collective_permute %x shift -4 over data = 2 : tensor<4xf32>
  // CHECK: %[[B:.*]] = lathe.collective_permute %[[X]] shift 3 over data = 2
  %b = lathe.collective_permute %x shift 3 over data = 2 : tensor<4xf32>
  // CHECK: return %[[X]], %[[B]]
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Several ranks keep their collectives.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  // CHECK-DAG: lathe.all_reduce mean
  %a = lathe.all_reduce mean %x over data = 2 : tensor<4xf32>
  // CHECK-DAG: lathe.axis_index over data = 2
  %i = lathe.axis_index over data = 2 : tensor<i64>
  return %a, %i : tensor<4xf32>, tensor<i64>
}
