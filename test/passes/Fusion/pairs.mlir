// RUN: lathe-opt %s --lathe-import --lathe-explicit-broadcast --lathe-fuse | FileCheck %s
// RUN: lathe-run %s nearest --random --check --rtol 1e-12
// RUN: lathe-run %s nearest --random --check --rtol 1e-12 --threads 3 --target x86-64-v2
// Differences of all pairs that two kernels read are computed in both: the table takes many times the memory of its rows and columns.

// CHECK-LABEL: func.func @nearest
// CHECK: lathe.kernel({{.*}}) -> tensor<40x30xf64>
// CHECK: lathe.sub {{.*}} : tensor<40x30x16xf64>
// CHECK: lathe.reduce sum {{.*}} dims [2]
// CHECK: lathe.kernel({{.*}}tensor<40x16xf64>{{.*}}) -> tensor<30x16xf64>
// CHECK: lathe.sub {{.*}} : tensor<40x30x16xf64>
// CHECK: lathe.reduce sum {{.*}} dims [0]
func.func @nearest(%points: tensor<40x16xf64>, %centroids: tensor<30x16xf64>, %w: tensor<40x30xf64>) -> (tensor<40x30xf64>, tensor<30x16xf64>) {
  %p = lathe.broadcast %points dims [0, 2] to [40, 30, 16] : tensor<40x16xf64>
  %c = lathe.broadcast %centroids dims [1, 2] to [40, 30, 16] : tensor<30x16xf64>
  %off = lathe.sub %p, %c : tensor<40x30x16xf64>
  %squares = lathe.mul %off, %off : tensor<40x30x16xf64>
  %distances = lathe.reduce sum %squares dims [2] : tensor<40x30x16xf64>
  %weights = lathe.broadcast %w dims [0, 1] to [40, 30, 16] : tensor<40x30xf64>
  %weighted = lathe.mul %weights, %off : tensor<40x30x16xf64>
  %sum = lathe.reduce sum %weighted dims [0] : tensor<40x30x16xf64>
  return %distances, %sum : tensor<40x30xf64>, tensor<30x16xf64>
}

// With a few columns the table is stored: each row is repeated four times only.
// CHECK-LABEL: func.func @stored
// CHECK: lathe.kernel({{.*}}) -> tensor<40x4x16xf64>
func.func @stored(%points: tensor<40x16xf64>, %centroids: tensor<4x16xf64>) -> (tensor<40x16xf64>, tensor<4x16xf64>) {
  %p = lathe.broadcast %points dims [0, 2] to [40, 4, 16] : tensor<40x16xf64>
  %c = lathe.broadcast %centroids dims [1, 2] to [40, 4, 16] : tensor<4x16xf64>
  %off = lathe.sub %p, %c : tensor<40x4x16xf64>
  %first = lathe.reduce sum %off dims [1] : tensor<40x4x16xf64>
  %second = lathe.reduce max %off dims [0] : tensor<40x4x16xf64>
  return %first, %second : tensor<40x16xf64>, tensor<4x16xf64>
}
