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
// CHECK: %[[M:.*]] = lathe.reshape %[[T]] to [8, 7, 30] : tensor<8x7x6x5xf32>
// CHECK: lathe.dot_general %arg0, %[[M]] contract [2] x [1] batch [0] x [0] : tensor<8x9x7xf32>, tensor<8x7x30xf32>
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

// Deep products of many rows read lhs in order, through a copy.
// CHECK-LABEL: @deep(
// CHECK: %[[T:.*]] = lathe.transpose %arg0 [2, 0, 1] : tensor<40x30x64xf32>
// CHECK: lathe.dot_general %[[T]], %arg1 contract [1, 2] x [0, 1] : tensor<64x40x30xf32>, tensor<40x30x16xf32>
func.func @deep(%a: tensor<40x30x64xf32>, %b: tensor<40x30x16xf32>) -> tensor<64x16xf32> {
  %0 = lathe.dot_general %a, %b contract [0, 1] x [0, 1] : tensor<40x30x64xf32>, tensor<40x30x16xf32>
  return %0 : tensor<64x16xf32>
}

// CHECK-LABEL: @deep_batched(
// CHECK: %[[T:.*]] = lathe.transpose %arg0 [1, 2, 0] : tensor<1024x3x64xf32>
// CHECK: lathe.dot_general %[[T]], %arg1 contract [2] x [1] batch [0] x [0] : tensor<3x64x1024xf32>, tensor<3x1024x16xf32>
func.func @deep_batched(%a: tensor<1024x3x64xf32>, %b: tensor<3x1024x16xf32>) -> tensor<3x64x16xf32> {
  %0 = lathe.dot_general %a, %b contract [0] x [1] batch [1] x [0] : tensor<1024x3x64xf32>, tensor<3x1024x16xf32>
  return %0 : tensor<3x64x16xf32>
}

// CHECK-LABEL: @shallow(
// CHECK-NOT: lathe.transpose
func.func @shallow(%a: tensor<1023x64xf32>, %b: tensor<1023x16xf32>) -> tensor<64x16xf32> {
  %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<1023x64xf32>, tensor<1023x16xf32>
  return %0 : tensor<64x16xf32>
}

// CHECK-LABEL: @deep_few_rows(
// CHECK-NOT: lathe.transpose
func.func @deep_few_rows(%a: tensor<2048x63xf32>, %b: tensor<2048x16xf32>) -> tensor<63x16xf32> {
  %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<2048x63xf32>, tensor<2048x16xf32>
  return %0 : tensor<63x16xf32>
}

// CHECK-LABEL: @deep_in_order(
// CHECK-NOT: lathe.transpose
func.func @deep_in_order(%a: tensor<64x2048xf32>, %b: tensor<2048x16xf32>) -> tensor<64x16xf32> {
  %0 = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x2048xf32>, tensor<2048x16xf32>
  return %0 : tensor<64x16xf32>
}

// CHECK-LABEL: @deep_named(
// CHECK-NOT: lathe.transpose
func.func @deep_named(%a: tensor<?x64xf32, #lathe.dims<N>>, %b: tensor<?x16xf32, #lathe.dims<N>>) -> tensor<64x16xf32> {
  %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<?x64xf32, #lathe.dims<N>>, tensor<?x16xf32, #lathe.dims<N>>
  return %0 : tensor<64x16xf32>
}

// Few columns are contiguous and others are not: all become neighbours, and one dimension.
// CHECK-LABEL: @narrow(
// CHECK: %[[T:.*]] = lathe.transpose %arg1 [1, 0, 2] : tensor<26x88x3xf64>
// CHECK: %[[M:.*]] = lathe.reshape %[[T]] to [88, 78] : tensor<88x26x3xf64>
// CHECK: %[[P:.*]] = lathe.dot_general %arg0, %[[M]] contract [1] x [0] : tensor<100x88xf64>, tensor<88x78xf64>
// CHECK: lathe.reshape %[[P]] to [100, 26, 3] : tensor<100x78xf64>
func.func @narrow(%a: tensor<100x88xf64>, %b: tensor<26x88x3xf64>) -> tensor<100x26x3xf64> {
  %0 = lathe.dot_general %a, %b contract [1] x [1] : tensor<100x88xf64>, tensor<26x88x3xf64>
  return %0 : tensor<100x26x3xf64>
}

// CHECK-LABEL: @narrow_batched(
// CHECK: %[[M:.*]] = lathe.reshape %arg1 to [N, 3, 78] : tensor<?x3x26x3xf64, #lathe.dims<N>>
// CHECK: lathe.dot_general %arg0, %[[M]] contract [1] x [1] batch [0] x [0]
func.func @narrow_batched(%a: tensor<?x3xf64, #lathe.dims<N>>, %b: tensor<?x3x26x3xf64, #lathe.dims<N>>) -> tensor<?x26x3xf64, #lathe.dims<N>> {
  %0 = lathe.dot_general %a, %b contract [1] x [1] batch [0] x [0] : tensor<?x3xf64, #lathe.dims<N>>, tensor<?x3x26x3xf64, #lathe.dims<N>>
  return %0 : tensor<?x26x3xf64, #lathe.dims<N>>
}

// CHECK-LABEL: @wide(
// CHECK-NOT: lathe.reshape
// CHECK-NOT: lathe.transpose
func.func @wide(%a: tensor<100x88xf64>, %b: tensor<26x88x16xf64>) -> tensor<100x26x16xf64> {
  %0 = lathe.dot_general %a, %b contract [1] x [1] : tensor<100x88xf64>, tensor<26x88x16xf64>
  return %0 : tensor<100x26x16xf64>
}
