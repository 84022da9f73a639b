// RUN: lathe-opt %s --lathe-import --lathe-layout | FileCheck %s
// RUN: lathe-run %s picked --random --dim N=5 --input index=@%S/Inputs/scatter-index.npy --check --rtol 0 --atol 0
// One update a row of constants is a choice at each place; in memory, or with several updates, it stays a scatter.

// CHECK-LABEL: @picked(
// CHECK: lathe.iota dim 1 to [N, 6, 4] : i32
// CHECK: lathe.compare eq
// CHECK: lathe.select
// CHECK: lathe.add
// CHECK: lathe.select
// CHECK-NOT: lathe.scatter
// CHECK: return
func.func @picked(%index: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %update: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x6x4xf32>, tensor<?x6x4xf32>) {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %ones = lathe.broadcast %one dims [] to [N, 6, 4] : tensor<f32>
  %set = lathe.scatter set %ones, %index, %update axis 1 batch 1 : tensor<?x6x4xf32>, tensor<?xi32>, tensor<?x4xf32>
  %sum = lathe.scatter add %ones, %index, %update axis 1 batch 1 : tensor<?x6x4xf32>, tensor<?xi32>, tensor<?x4xf32>
  return %set, %sum : tensor<?x6x4xf32>, tensor<?x6x4xf32>
}

// A named dimension may have more places than 32 bits count.
// CHECK-LABEL: @named(
// CHECK: lathe.iota dim 1 to [2, N] : i64
// CHECK-NOT: lathe.scatter
// CHECK: return
func.func @named(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %index: tensor<2xi32>, %update: tensor<2xf32>) -> tensor<2x?xf32> {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %ones = lathe.broadcast %one dims [] to [2, N] : tensor<f32>
  %max = lathe.scatter max %ones, %index, %update axis 1 batch 1 : tensor<2x?xf32>, tensor<2xi32>, tensor<2xf32>
  return %max : tensor<2x?xf32>
}

// CHECK-LABEL: @stays(
// CHECK-COUNT-2: lathe.scatter
func.func @stays(%x: tensor<2x6xf32>, %index: tensor<2xi32>, %update: tensor<2xf32>, %indices: tensor<2x3xi32>, %updates: tensor<2x3xf32>)
    -> (tensor<2x6xf32>, tensor<2x6xf32>) {
  %zeros = lathe.constant dense<0.0> : tensor<2x6xf32>
  %memory = lathe.scatter add %x, %index, %update axis 1 batch 1 : tensor<2x6xf32>, tensor<2xi32>, tensor<2xf32>
  %several = lathe.scatter add %zeros, %indices, %updates axis 1 batch 1 : tensor<2x6xf32>, tensor<2x3xi32>, tensor<2x3xf32>
  return %memory, %several : tensor<2x6xf32>, tensor<2x6xf32>
}
