// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --lathe-import | FileCheck %s --check-prefix=IMPORT
// RUN: lathe-opt %s --lathe-fix-dims=sizes=data=4 | FileCheck %s --check-prefix=FIXED
// Text and result types of the collectives. An open axis is a dimension of its name.

lathe.dim @data, 1 to 64

// CHECK-LABEL: func.func @open
// IMPORT-LABEL: func.func @open
// FIXED-LABEL: func.func @open
func.func @open(%x: tensor<?x6xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<i64>) {
  // CHECK: lathe.all_reduce sum %{{.*}} over data : tensor<?x6xf32
  // FIXED: lathe.all_reduce sum %{{.*}} over data = 4 : tensor<?x6xf32
  %s = lathe.all_reduce sum %x over data : tensor<?x6xf32>
  // CHECK: lathe.all_gather %{{.*}} dim 0 over data : tensor<?x6xf32
  // IMPORT: lathe.all_gather {{.*}} -> tensor<?x6xf32, #lathe.dims<N * data>>
  // FIXED: lathe.all_gather %{{.*}} dim 0 over data = 4 : tensor<?x6xf32
  %g = lathe.all_gather %s dim 0 over data : tensor<?x6xf32>
  // CHECK: lathe.reduce_scatter mean %{{.*}} dim 0 over data : tensor<?x6xf32
  // IMPORT: lathe.reduce_scatter mean {{.*}} : tensor<?x6xf32, #lathe.dims<N * data>>
  %r = lathe.reduce_scatter mean %g dim 0 over data : tensor<?x6xf32>
  // IMPORT: lathe.add {{.*}} : tensor<?x6xf32, #lathe.dims<N>>
  %y = lathe.add %r, %s : tensor<?x6xf32>
  // CHECK: lathe.axis_index over data : tensor<i64>
  %i = lathe.axis_index over data : tensor<i64>
  return %s, %g, %y, %i : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<i64>
}

// CHECK-LABEL: func.func @fixed
func.func @fixed(%x: tensor<4x6xi32>) {
  // CHECK: lathe.all_reduce max %{{.*}} over model = 2 : tensor<4x6xi32>
  %m = lathe.all_reduce max %x over model = 2 : tensor<4x6xi32>
  // CHECK: %[[G:.*]] = lathe.all_gather %{{.*}} dim 1 over model = 2 : tensor<4x6xi32>
  %g = lathe.all_gather %x dim 1 over model = 2 : tensor<4x6xi32>
  // CHECK: lathe.reduce_scatter min %[[G]] dim 1 over model = 2 : tensor<4x12xi32>
  %r = lathe.reduce_scatter min %g dim 1 over model = 2 : tensor<4x12xi32>
  // CHECK: %[[A:.*]] = lathe.all_to_all %{{.*}} split 0 concat 1 over model = 2 : tensor<4x6xi32>
  %a = lathe.all_to_all %r split 0 concat 1 over model = 2 : tensor<4x6xi32>
  // CHECK: lathe.collective_broadcast %[[A]] from 1 over model = 2 : tensor<2x12xi32>
  %b = lathe.collective_broadcast %a from 1 over model = 2 : tensor<2x12xi32>
  // CHECK: lathe.collective_permute %{{.*}} shift -1 over model = 2 : tensor<2x12xi32>
  %p = lathe.collective_permute %b shift -1 over model = 2 : tensor<2x12xi32>
  return
}
