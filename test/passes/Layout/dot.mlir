// RUN: lathe-opt %s --lathe-layout | FileCheck %s
// Columns of a matrix product become neighbours in rhs, where there are rows enough to pay for it.

// CHECK-LABEL: @nt(
// CHECK: %[[T:.*]] = lathe.transpose %arg1 [1, 0] : tensor<10x64xf32>
// CHECK: lathe.dot_general %arg0, %[[T]] contract [1] x [0] : tensor<?x64xf32, #lathe.dims<N>>, tensor<64x10xf32>
func.func @nt(%a: tensor<?x64xf32, #lathe.dims<N>>, %b: tensor<10x64xf32>) -> tensor<?x10xf32, #lathe.dims<N>> {
  %0 = lathe.dot_general %a, %b contract [1] x [1] : tensor<?x64xf32, #lathe.dims<N>>, tensor<10x64xf32>
  return %0 : tensor<?x10xf32, #lathe.dims<N>>
}

// CHECK-LABEL: @batched(
// CHECK: %[[T:.*]] = lathe.transpose %arg1 [1, 3, 0, 2] : tensor<6x8x5x7xf32>
// CHECK: lathe.dot_general %arg0, %[[T]] contract [2] x [1] batch [0] x [0] : tensor<8x9x7xf32>, tensor<8x7x6x5xf32>
func.func @batched(%a: tensor<8x9x7xf32>, %b: tensor<6x8x5x7xf32>) -> tensor<8x9x6x5xf32> {
  %0 = lathe.dot_general %a, %b contract [2] x [3] batch [0] x [1] : tensor<8x9x7xf32>, tensor<6x8x5x7xf32>
  return %0 : tensor<8x9x6x5xf32>
}

// CHECK-LABEL: @one_row(
// CHECK-NOT: lathe.transpose
func.func @one_row(%a: tensor<1x64xf32>, %b: tensor<10x64xf32>) -> tensor<1x10xf32> {
  %0 = lathe.dot_general %a, %b contract [1] x [1] : tensor<1x64xf32>, tensor<10x64xf32>
  return %0 : tensor<1x10xf32>
}

// CHECK-LABEL: @no_columns(
// CHECK-NOT: lathe.transpose
func.func @no_columns(%a: tensor<8x64xf32>, %b: tensor<64xf32>) -> tensor<8xf32> {
  %0 = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x64xf32>, tensor<64xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @one_column(
// CHECK: %[[V:.*]] = lathe.reshape %arg1 to [64] : tensor<64x1xf32>
// CHECK: %[[P:.*]] = lathe.dot_general %arg0, %[[V]] contract [1] x [0] : tensor<?x64xf32, #lathe.dims<N>>, tensor<64xf32>
// CHECK: lathe.reshape %[[P]] to [N, 1] : tensor<?xf32, #lathe.dims<N>>
func.func @one_column(%a: tensor<?x64xf32, #lathe.dims<N>>, %b: tensor<64x1xf32>) -> tensor<?x1xf32, #lathe.dims<N>> {
  %0 = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x64xf32, #lathe.dims<N>>, tensor<64x1xf32>
  return %0 : tensor<?x1xf32, #lathe.dims<N>>
}
