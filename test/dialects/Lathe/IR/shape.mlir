// RUN: lathe-opt %s | lathe-opt | FileCheck %s

// CHECK-LABEL: @static
func.func @static(%x: tensor<2x3xf32>, %v: tensor<f32>) -> (tensor<4x2x3xf32>, tensor<6xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<3x6xf32>, tensor<2x6xf32>) {
  // CHECK: lathe.constant dense<[1, 2]> : tensor<2xi64>
  %c = lathe.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: lathe.broadcast %arg0 dims [1, 2] to [4, 2, 3] : tensor<2x3xf32>{{$}}
  %0 = lathe.broadcast %x dims [1, 2] to [4, 2, 3] : tensor<2x3xf32>
  // CHECK: lathe.reshape %arg0 to [6] : tensor<2x3xf32>
  %1 = lathe.reshape %x to [2 * 3] : tensor<2x3xf32>
  // CHECK: lathe.transpose %arg0 [1, 0] : tensor<2x3xf32>
  %2 = lathe.transpose %x [1, 0] : tensor<2x3xf32>
  // CHECK: lathe.reverse %arg0 dims [0] : tensor<2x3xf32>
  %3 = lathe.reverse %x dims [0] : tensor<2x3xf32>
  // CHECK: lathe.slice %arg0 from [1, 0] to [2, 3] step [1, 2] : tensor<2x3xf32>
  %4 = lathe.slice %x from [1, 0] to [2, 3] step [1, 2] : tensor<2x3xf32>
  // CHECK: lathe.slice %arg0 from [0, 0] to [2, 1]{{ +}}: tensor<2x3xf32>
  %5 = lathe.slice %x from [0, 0] to [2, 1] : tensor<2x3xf32>
  // CHECK: lathe.pad %arg0, %arg1 low [1, 0] high [0, 1] interior [0, 1] : tensor<2x3xf32>, tensor<f32>
  %6 = lathe.pad %x, %v low [1, 0] high [0, 1] interior [0, 1] : tensor<2x3xf32>, tensor<f32>
  // CHECK: lathe.concatenate %arg0, %arg0 dim 1 : tensor<2x3xf32>, tensor<2x3xf32>
  %7 = lathe.concatenate %x, %x dim 1 : tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: lathe.iota dim 0 to [5] : i32{{$}}
  %8 = lathe.iota dim 0 to [5] : i32
  // CHECK: lathe.dim_size %arg0 dim 1 : tensor<2x3xf32>
  %9 = lathe.dim_size %x dim 1 : tensor<2x3xf32>
  return %0, %1, %2, %4, %6, %7 : tensor<4x2x3xf32>, tensor<6xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<3x6xf32>, tensor<2x6xf32>
}

// Results carry expressions of the operand's names.
// CHECK-LABEL: @named
func.func @named(%x: tensor<?x6xf32, #lathe.dims<N>>, %v: tensor<f32>) {
  // CHECK: lathe.reshape %arg0 to [2 * N, 3]
  %0 = lathe.reshape %x to [2 * N, 3] : tensor<?x6xf32, #lathe.dims<N>>
  // CHECK: lathe.transpose %0 [1, 0] : tensor<?x3xf32, #lathe.dims<2 * N>>
  %1 = lathe.transpose %0 [1, 0] : tensor<?x3xf32, #lathe.dims<2 * N>>
  // CHECK: lathe.slice %1 from [0, 1] to [3, 2 * N]{{ +}}: tensor<3x?xf32, #lathe.dims<2 * N>>
  %2 = lathe.slice %1 from [0, 1] to [3, 2 * N] : tensor<3x?xf32, #lathe.dims<2 * N>>
  // CHECK: lathe.pad %2, %arg1 low [0, 0] high [0, 4] interior [0, 1] : tensor<3x?xf32, #lathe.dims<2 * N - 1>>
  %3 = lathe.pad %2, %v low [0, 0] high [0, 4] interior [0, 1] : tensor<3x?xf32, #lathe.dims<2 * N - 1>>, tensor<f32>
  // CHECK: lathe.concatenate %3, %1 dim 1 : tensor<3x?xf32, #lathe.dims<max(4 * N - 3, 0) + 4>>, tensor<3x?xf32, #lathe.dims<2 * N>>
  %4 = lathe.concatenate %3, %1 dim 1 : tensor<3x?xf32, #lathe.dims<max(4 * N - 3, 0) + 4>>, tensor<3x?xf32, #lathe.dims<2 * N>>
  // CHECK: lathe.reverse %4 dims [0] : tensor<3x?xf32, #lathe.dims<2 * N + max(4 * N - 3, 0) + 4>>
  %5 = lathe.reverse %4 dims [0] : tensor<3x?xf32, #lathe.dims<2 * N + max(4 * N - 3, 0) + 4>>
  return
}

// An op that brings a name says so in its result type, or leaves a plain `?`, which fits every name.
// CHECK-LABEL: @naming
func.func @naming(%x: tensor<4xf32>, %s: tensor<i64>) -> (tensor<?x4xf32, #lathe.dims<N>>, tensor<?x4xf32>) {
  // CHECK: %[[NAMED:.*]] = lathe.broadcast %arg0 dims [1] to [N, 4] : tensor<4xf32> -> tensor<?x4xf32, #lathe.dims<N>>
  %0 = lathe.broadcast %x dims [1] to [N, 4] : tensor<4xf32> -> tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: %[[PLAIN:.*]] = lathe.broadcast %arg0 dims [1] to [N, 4] : tensor<4xf32>{{$}}
  %1 = lathe.broadcast %x dims [1] to [N, 4] : tensor<4xf32>
  // CHECK: lathe.add %[[NAMED]], %[[PLAIN]] : tensor<?x4xf32, #lathe.dims<N>>, tensor<?x4xf32>
  %2 = lathe.add %0, %1 : tensor<?x4xf32, #lathe.dims<N>>, tensor<?x4xf32>
  // CHECK: lathe.iota dim 0 to [M * N] : f32 -> tensor<?xf32, #lathe.dims<M * N>>
  %3 = lathe.iota dim 0 to [N * M] : f32 -> tensor<?xf32, #lathe.dims<M * N>>
  // CHECK: lathe.random_bits %arg1 stream 3 to [N] : i32 -> tensor<?xi32, #lathe.dims<N>>
  %4 = lathe.random_bits %s stream 3 to [N] : i32 -> tensor<?xi32, #lathe.dims<N>>
  return %2, %1 : tensor<?x4xf32, #lathe.dims<N>>, tensor<?x4xf32>
}

// While an operand's dimensions have no names, neither have those of a reshape or slice of it.
// CHECK-LABEL: @plain
func.func @plain(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %0 = lathe.reshape %x to [2 * N, 3] : tensor<?x6xf32>
  // CHECK: lathe.slice %0 from [0, 0] to [2 * N, 3]{{ +}}: tensor<?x3xf32>
  %1 = lathe.slice %0 from [0, 0] to [2 * N, 3] : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
