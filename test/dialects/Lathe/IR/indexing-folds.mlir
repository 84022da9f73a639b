// RUN: lathe-opt %s --canonicalize | FileCheck %s

// A gather of all slices in order is its table, also where indices stop at the last one.
// CHECK-LABEL: @whole(
// CHECK-NEXT: return %arg0, %arg0, %arg1
func.func @whole(%x: tensor<?x3xf32, #lathe.dims<N>>, %y: tensor<4x3xf32>)
    -> (tensor<?x3xf32, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>, tensor<4x3xf32>) {
  %one = lathe.constant dense<1> : tensor<i64>
  %size = lathe.dim_size %x dim 0 : tensor<?x3xf32, #lathe.dims<N>>
  %last = lathe.sub %size, %one : tensor<i64>
  %i = lathe.iota dim 0 to [N] : i64 -> tensor<?xi64, #lathe.dims<N>>
  %most = lathe.broadcast %last dims [] to [N] : tensor<i64> -> tensor<?xi64, #lathe.dims<N>>
  %clamped = lathe.min %i, %most : tensor<?xi64, #lathe.dims<N>>
  %0 = lathe.gather %x, %i axis 0 : tensor<?x3xf32, #lathe.dims<N>>, tensor<?xi64, #lathe.dims<N>>
  %1 = lathe.gather %x, %clamped axis 0 : tensor<?x3xf32, #lathe.dims<N>>, tensor<?xi64, #lathe.dims<N>>
  %three = lathe.constant dense<3> : tensor<4xi64>
  %four = lathe.iota dim 0 to [4] : i64 -> tensor<4xi64>
  %within = lathe.min %four, %three : tensor<4xi64>
  %2 = lathe.gather %y, %within axis 0 : tensor<4x3xf32>, tensor<4xi64>
  return %0, %1, %2 : tensor<?x3xf32, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>, tensor<4x3xf32>
}

// Another bound, other indices, and a batch stay.
// CHECK-LABEL: @part(
// CHECK-COUNT-3: lathe.gather
func.func @part(%x: tensor<4x4xf32>, %i: tensor<4xi64>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %two = lathe.constant dense<2> : tensor<4xi64>
  %four = lathe.iota dim 0 to [4] : i64 -> tensor<4xi64>
  %within = lathe.min %four, %two : tensor<4xi64>
  %0 = lathe.gather %x, %within axis 0 : tensor<4x4xf32>, tensor<4xi64>
  %1 = lathe.gather %x, %i axis 0 : tensor<4x4xf32>, tensor<4xi64>
  %2 = lathe.gather %x, %four axis 1 batch 1 : tensor<4x4xf32>, tensor<4xi64>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}
