// RUN: lathe-opt %s | lathe-opt | FileCheck %s

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<?x3x4xf32, #lathe.dims<N>>, %i: tensor<3xi32>)
    -> (tensor<3xf32>, tensor<?x3x4xf32, #lathe.dims<N>>, tensor<i32>, tensor<?x4xi32, #lathe.dims<N>>) {
  // CHECK: lathe.reduce sum %arg0 dims [0, 2] : tensor<?x3x4xf32, #lathe.dims<N>>
  %0 = lathe.reduce sum %x dims [0, 2] : tensor<?x3x4xf32, #lathe.dims<N>>
  // CHECK: lathe.reduce max %arg0 dims [] : tensor<?x3x4xf32, #lathe.dims<N>>
  %1 = lathe.reduce max %x dims [] : tensor<?x3x4xf32, #lathe.dims<N>>
  // CHECK: lathe.reduce product %arg1 dims [0] : tensor<3xi32>
  %2 = lathe.reduce product %i dims [0] : tensor<3xi32>
  // CHECK: lathe.reduce min
  %3 = lathe.reduce min %x dims [1] : tensor<?x3x4xf32, #lathe.dims<N>>
  // CHECK: lathe.argmax %arg0 dim 1 : tensor<?x3x4xf32, #lathe.dims<N>>
  %4 = lathe.argmax %x dim 1 : tensor<?x3x4xf32, #lathe.dims<N>>
  return %0, %1, %2, %4 : tensor<3xf32>, tensor<?x3x4xf32, #lathe.dims<N>>, tensor<i32>, tensor<?x4xi32, #lathe.dims<N>>
}

// Batch dimensions, then the free ones of each side.
// CHECK-LABEL: @dot_general
func.func @dot_general(%a: tensor<?x5x3x7xf32, #lathe.dims<N>>, %b: tensor<7x?x9xf32, #lathe.dims<N>>, %c: tensor<3x4xf32>)
    -> (tensor<?x5x3x9xf32, #lathe.dims<N>>, tensor<3x3xf32>) {
  // CHECK: lathe.dot_general %arg0, %arg1 contract [3] x [0] batch [0] x [1] : tensor<?x5x3x7xf32, #lathe.dims<N>>, tensor<7x?x9xf32, #lathe.dims<N>>
  %0 = lathe.dot_general %a, %b contract [3] x [0] batch [0] x [1] : tensor<?x5x3x7xf32, #lathe.dims<N>>, tensor<7x?x9xf32, #lathe.dims<N>>
  // CHECK: lathe.dot_general %arg2, %arg2 contract [1] x [1]{{ +}}: tensor<3x4xf32>
  %1 = lathe.dot_general %c, %c contract [1] x [1] : tensor<3x4xf32>
  return %0, %1 : tensor<?x5x3x9xf32, #lathe.dims<N>>, tensor<3x3xf32>
}

// CHECK-LABEL: @indexing
func.func @indexing(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<?x2xi64, #lathe.dims<N>>, %j: tensor<4xi32>, %s: tensor<i64>)
    -> (tensor<?x2x3xf32, #lathe.dims<N>>, tensor<?x5x4xf32, #lathe.dims<N>>, tensor<?x5x3xf32, #lathe.dims<N>>, tensor<2x8xi32>) {
  // CHECK: lathe.gather %arg0, %arg1 axis 1 batch 1 :
  %0 = lathe.gather %t, %i axis 1 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<?x2xi64, #lathe.dims<N>>
  // CHECK: lathe.gather %arg0, %arg2 axis 2 :
  %1 = lathe.gather %t, %j axis 2 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>
  // CHECK: lathe.scatter add %arg0, %arg1, %{{.*}} axis 1 batch 1 :
  %2 = lathe.scatter add %t, %i, %0 axis 1 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<?x2xi64, #lathe.dims<N>>, tensor<?x2x3xf32, #lathe.dims<N>>
  // CHECK: lathe.scatter add %arg0, %arg2, %{{.*}} axis 2 :
  %3 = lathe.scatter add %t, %j, %1 axis 2 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>, tensor<?x5x4xf32, #lathe.dims<N>>
  // CHECK: lathe.random_bits %arg3 stream 7 to [2, 8] : i32{{$}}
  %4 = lathe.random_bits %s stream 7 to [2, 8] : i32
  return %0, %1, %2, %4 : tensor<?x2x3xf32, #lathe.dims<N>>, tensor<?x5x4xf32, #lathe.dims<N>>, tensor<?x5x3xf32, #lathe.dims<N>>, tensor<2x8xi32>
}
