// RUN: lathe-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @identities(
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @identities(%x: tensor<2x3xf32>, %v: tensor<f32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = lathe.broadcast %x dims [0, 1] to [2, 3] : tensor<2x3xf32>
  %1 = lathe.reshape %x to [2, 3] : tensor<2x3xf32>
  %2 = lathe.transpose %x [0, 1] : tensor<2x3xf32>
  %3 = lathe.slice %x from [0, 0] to [2, 3] : tensor<2x3xf32>
  %4 = lathe.pad %x, %v low [0, 0] high [0, 0] : tensor<2x3xf32>, tensor<f32>
  %5 = lathe.concatenate %x dim 0 : tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @chains(
// CHECK-NEXT: %[[R:.*]] = lathe.reshape %arg0 to [3, 8]
// CHECK-NEXT: %[[T:.*]] = lathe.transpose %arg0 [1, 2, 0]
// CHECK-NEXT: return %[[R]], %[[T]], %arg0
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<3x8xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  %0 = lathe.reshape %x to [24] : tensor<2x3x4xf32>
  %1 = lathe.reshape %0 to [3, 8] : tensor<24xf32>
  %2 = lathe.transpose %x [2, 1, 0] : tensor<2x3x4xf32>
  %3 = lathe.transpose %2 [1, 0, 2] : tensor<4x3x2xf32>
  %4 = lathe.transpose %3 [2, 0, 1] : tensor<3x4x2xf32>
  %5 = lathe.transpose %2 [2, 1, 0] : tensor<4x3x2xf32>
  %6 = lathe.transpose %x [1, 2, 0] : tensor<2x3x4xf32>
  return %1, %6, %5 : tensor<3x8xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: @constants(
// CHECK-DAG: lathe.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-DAG: lathe.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
// CHECK-DAG: lathe.constant dense<3> : tensor<i64>
// CHECK-DAG: lathe.dim_size %arg0 dim 0
func.func @constants(%x: tensor<?x3xf32, #lathe.dims<N>>) -> (tensor<2x3xf32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>) {
  %c = lathe.constant dense<1.0> : tensor<f32>
  %d = lathe.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = lathe.broadcast %c dims [] to [2, 3] : tensor<f32>
  %1 = lathe.reshape %d to [2, 2] : tensor<4xi32>
  %2 = lathe.dim_size %x dim 1 : tensor<?x3xf32, #lathe.dims<N>>
  %3 = lathe.dim_size %x dim 0 : tensor<?x3xf32, #lathe.dims<N>>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @reverses(
// CHECK-NEXT: %[[R:.*]] = lathe.reverse %arg0 dims [1]
// CHECK-NEXT: %[[K:.*]] = lathe.reverse %[[R]] dims [0]
// CHECK-NEXT: return %arg0, %arg0, %[[K]]
func.func @reverses(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = lathe.reverse %x dims [0, 1] : tensor<2x3xf32>
  %1 = lathe.reverse %0 dims [1, 0] : tensor<2x3xf32>
  %2 = lathe.reverse %x dims [] : tensor<2x3xf32>
  %3 = lathe.reverse %x dims [1] : tensor<2x3xf32>
  %4 = lathe.reverse %3 dims [0] : tensor<2x3xf32>
  return %1, %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @transposed_splat(
// CHECK-NEXT: %[[C:.*]] = lathe.constant dense<6.000000e+00> : tensor<3x2xf32>
// CHECK-NEXT: return %[[C]]
func.func @transposed_splat() -> tensor<3x2xf32> {
  %c = lathe.constant dense<6.0> : tensor<2x3xf32>
  %0 = lathe.transpose %c [1, 0] : tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}
