// RUN: lathe-opt %s --lathe-import --canonicalize | FileCheck %s
// Ops on a kept dimension of extent 1 move before the reshape that adds it, and a broadcast absorbs the reshape.

// CHECK-LABEL: func.func @centred
// CHECK: %[[SUM:.*]] = lathe.reduce  sum %[[X:.*]] dims [1]
// CHECK: %[[MEAN:.*]] = lathe.mul %[[SUM]], %{{.*}} : tensor<?xf32, #lathe.dims<N>>
// CHECK: %[[WIDE:.*]] = lathe.broadcast %[[MEAN]] dims [0] to [N, 4]
// CHECK: lathe.sub %[[X]], %[[WIDE]]
// CHECK-NOT: reshape
func.func @centred(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x4xf32> {
  %sum = lathe.reduce sum %x dims [1] : tensor<?x4xf32>
  %kept = lathe.reshape %sum to [N, 1] : tensor<?xf32>
  %quarter = lathe.constant dense<0.25> : tensor<f32>
  %mean = lathe.mul %kept, %quarter : tensor<?x1xf32>, tensor<f32>
  %y = lathe.sub %x, %mean : tensor<?x4xf32>, tensor<?x1xf32>
  return %y : tensor<?x4xf32>
}

// Two kept dimensions in the middle, two such operands, and one scalar that is not a constant.
// CHECK-LABEL: func.func @middle
// CHECK: %[[PRODUCT:.*]] = lathe.mul %{{.*}}, %{{.*}} : tensor<2x5xf32>
// CHECK: %[[SCALED:.*]] = lathe.add %[[PRODUCT]], %{{.*}} : tensor<2x5xf32>
// CHECK: lathe.broadcast %[[SCALED]] dims [0, 3] to [2, 3, 4, 5]
func.func @middle(%a: tensor<2x5xf32>, %b: tensor<2x5xf32>, %s: tensor<f32>, %x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = lathe.reshape %a to [2, 1, 1, 5] : tensor<2x5xf32>
  %1 = lathe.reshape %b to [2, 1, 1, 5] : tensor<2x5xf32>
  %2 = lathe.mul %0, %1 : tensor<2x1x1x5xf32>
  %3 = lathe.add %2, %s : tensor<2x1x1x5xf32>, tensor<f32>
  %4 = lathe.mul %x, %3 : tensor<2x3x4x5xf32>, tensor<2x1x1x5xf32>
  return %4 : tensor<2x3x4x5xf32>
}

// A reshape that does more stays; one whose operands do not agree goes only into their broadcasts.
// CHECK-LABEL: func.func @stays
// CHECK: lathe.reshape %{{.*}} to [2, 1, 3]
// CHECK: lathe.broadcast %{{.*}} dims [1, 2] to [2, 2, 3] : tensor<2x3xf32>
// CHECK: lathe.add
func.func @stays(%a: tensor<6xf32>, %b: tensor<2x3xf32>, %c: tensor<2x1x3xf32>) -> (tensor<2x1x3xf32>, tensor<2x2x3xf32>) {
  %0 = lathe.reshape %a to [2, 1, 3] : tensor<6xf32>
  %1 = lathe.neg %0 : tensor<2x1x3xf32>
  %2 = lathe.reshape %b to [1, 2, 3] : tensor<2x3xf32>
  %3 = lathe.add %2, %c : tensor<1x2x3xf32>, tensor<2x1x3xf32>
  return %1, %3 : tensor<2x1x3xf32>, tensor<2x2x3xf32>
}
