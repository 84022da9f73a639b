// RUN: lathe-opt %s --lathe-import --lathe-layout | FileCheck %s
// RUN: lathe-run %s counts --random --check
// RUN: lathe-run %s one_axis --random --check --dim N=7
// RUN: lathe-run %s largest --random --check
// A reduction of what is the same along a dimension that it keeps is made once, and repeated.

// CHECK-LABEL: @counts(
// CHECK: %[[ONE:.*]] = lathe.constant dense<-1.000000e+00> : tensor<6x5xf64>
// CHECK: %[[TERMS:.*]] = lathe.mul %{{.*}}, %{{.*}} : tensor<6x5xf64>
// CHECK: %[[SUM:.*]] = lathe.reduce sum %[[TERMS]] dims [0] : tensor<6x5xf64>
// CHECK: lathe.broadcast %[[SUM]] dims [0] to [5, 4] : tensor<5xf64>
func.func @counts(%mask: tensor<6x5xf64>) -> tensor<5x4xf64> {
  %one = lathe.constant dense<-1.0> : tensor<6x5x4xf64>
  %pairs = lathe.broadcast %mask dims [0, 1] to [6, 5, 4] : tensor<6x5xf64>
  %terms = lathe.mul %one, %pairs : tensor<6x5x4xf64>
  %sum = lathe.reduce sum %terms dims [0] : tensor<6x5x4xf64>
  return %sum : tensor<5x4xf64>
}

// Several broadcasts, whose dimensions together are not all; the result's first dimension is repeated.
// CHECK-LABEL: @one_axis(
// CHECK: %[[A:.*]] = lathe.broadcast %arg0 dims [0] to [3, N]
// CHECK: %[[B:.*]] = lathe.broadcast %arg1 dims [1] to [3, N]
// CHECK: %[[P:.*]] = lathe.mul %[[A]], %[[B]]
// CHECK: %[[S:.*]] = lathe.reduce sum %[[P]] dims [1]
// CHECK: lathe.broadcast %[[S]] dims [1] to [2, 3] : tensor<3xf64>
func.func @one_axis(%a: tensor<3xf64>, %b: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<2x3xf64> {
  %rows = lathe.broadcast %a dims [1] to [2, 3, N] : tensor<3xf64>
  %columns = lathe.broadcast %b dims [2] to [2, 3, N] : tensor<?xf64>
  %terms = lathe.mul %rows, %columns : tensor<2x3x?xf64>
  %sum = lathe.reduce sum %terms dims [2] : tensor<2x3x?xf64>
  return %sum : tensor<2x3xf64>
}

// CHECK-LABEL: @largest(
// CHECK: lathe.reduce max %arg0 dims [1] : tensor<3x4xf32>
// CHECK-NEXT: lathe.broadcast
func.func @largest(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %wide = lathe.broadcast %x dims [0, 1] to [3, 4, 5] : tensor<3x4xf32>
  %most = lathe.reduce max %wide dims [1] : tensor<3x4x5xf32>
  return %most : tensor<3x5xf32>
}

// A sum over the repeated dimension itself stays, what varies along all others, and what something else reads as well.
// CHECK-LABEL: @others(
// CHECK-COUNT-3: lathe.reduce sum %{{.*}} : tensor<6x5x4xf64>
func.func @others(%mask: tensor<6x5xf64>, %full: tensor<6x5x4xf64>) -> (tensor<6x5xf64>, tensor<5x4xf64>, tensor<5x4xf64>, tensor<6x5x4xf64>) {
  %pairs = lathe.broadcast %mask dims [0, 1] to [6, 5, 4] : tensor<6x5xf64>
  %repeated = lathe.reduce sum %pairs dims [2] : tensor<6x5x4xf64>
  %product = lathe.mul %pairs, %full : tensor<6x5x4xf64>
  %varying = lathe.reduce sum %product dims [0] : tensor<6x5x4xf64>
  %square = lathe.mul %pairs, %pairs : tensor<6x5x4xf64>
  %read = lathe.reduce sum %square dims [0] : tensor<6x5x4xf64>
  %root = lathe.sqrt %square : tensor<6x5x4xf64>
  return %repeated, %varying, %read, %root : tensor<6x5xf64>, tensor<5x4xf64>, tensor<5x4xf64>, tensor<6x5x4xf64>
}
