// RUN: lathe-opt %s --lathe-explicit-broadcast | FileCheck %s

// CHECK-LABEL: @broadcasts(
// CHECK-SAME: %[[X:.*]]: tensor<?x1x4xf32, #lathe.dims<N>>, %[[Y:.*]]: tensor<3x1xf32>, %[[P:.*]]: tensor<i1>
func.func @broadcasts(%x: tensor<?x1x4xf32, #lathe.dims<N>>, %y: tensor<3x1xf32>, %p: tensor<i1>)
    -> (tensor<?x3x4xf32, #lathe.dims<N>>, tensor<?x1x4xf32, #lathe.dims<N>>) {
  // CHECK: %[[XX:.*]] = lathe.broadcast %[[X]] dims [0, 1, 2] to [N, 3, 4]
  // CHECK: %[[YY:.*]] = lathe.broadcast %[[Y]] dims [1, 2] to [N, 3, 4]
  // CHECK: lathe.add %[[XX]], %[[YY]] : tensor<?x3x4xf32, #lathe.dims<N>>
  %0 = lathe.add %x, %y : tensor<?x1x4xf32, #lathe.dims<N>>, tensor<3x1xf32>
  // CHECK: %[[PP:.*]] = lathe.broadcast %[[P]] dims [] to [N, 1, 4]
  // CHECK: lathe.select %[[PP]], %[[X]], %[[X]]
  %1 = lathe.select %p, %x, %x : tensor<i1>, tensor<?x1x4xf32, #lathe.dims<N>>
  return %0, %1 : tensor<?x3x4xf32, #lathe.dims<N>>, tensor<?x1x4xf32, #lathe.dims<N>>
}
