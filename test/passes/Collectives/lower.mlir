// RUN: lathe-opt %s --lathe-lower-collectives --canonicalize | FileCheck %s
// Communicators exchange whole parts: along the first dimension only, and without means.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
func.func @gather(%x: tensor<2x3xf32>) -> tensor<2x12xf32> {
  // CHECK: %[[ONE:.*]] = lathe.reshape %[[X]] to [1, 2, 3]
  // CHECK: %[[ALL:.*]] = lathe.all_gather %[[ONE]] dim 0 over data = 4 : tensor<1x2x3xf32>
  // CHECK: %[[LAST:.*]] = lathe.transpose %[[ALL]] [1, 0, 2]
  // CHECK: lathe.reshape %[[LAST]] to [2, 12]
  %y = lathe.all_gather %x dim 1 over data = 4 : tensor<2x3xf32>
  return %y : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:.*]]: tensor<2x12xf32>
func.func @scatter(%x: tensor<2x12xf32>) -> tensor<2x3xf32> {
  // CHECK: %[[CUT:.*]] = lathe.reshape %[[X]] to [2, 4, 3]
  // CHECK: %[[PARTS:.*]] = lathe.transpose %[[CUT]] [1, 0, 2]
  // CHECK: %[[SUM:.*]] = lathe.reduce_scatter sum %[[PARTS]] dim 0 over data = 4 : tensor<4x2x3xf32>
  // CHECK: %[[PART:.*]] = lathe.reshape %[[SUM]] to [2, 3]
  // CHECK: lathe.div %[[PART]],
  %y = lathe.reduce_scatter mean %x dim 1 over data = 4 : tensor<2x12xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @all_to_all(
// CHECK-SAME: %[[X:.*]]: tensor<8x6xf32>
func.func @all_to_all(%x: tensor<8x6xf32>) -> tensor<2x24xf32> {
  // CHECK: %[[PARTS:.*]] = lathe.reshape %[[X]] to [4, 2, 6]
  // CHECK: %[[ALL:.*]] = lathe.all_to_all %[[PARTS]] split 0 concat 0 over data = 4 : tensor<4x2x6xf32>
  // CHECK: %[[LAST:.*]] = lathe.transpose %[[ALL]] [1, 0, 2]
  // CHECK: lathe.reshape %[[LAST]] to [2, 24]
  %y = lathe.all_to_all %x split 0 concat 1 over data = 4 : tensor<8x6xf32>
  return %y : tensor<2x24xf32>
}

// The size of an open axis is a number at run time.
// CHECK-LABEL: func.func @mean(
func.func @mean(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[SUM:.*]] = lathe.all_reduce sum %{{.*}} over data : tensor<4xf32>
  // CHECK: %[[RANKS:.*]] = lathe.dim_size %{{.*}} dim 0 : tensor<?x{{.*}}#lathe.dims<data>>
  // CHECK: lathe.convert %[[RANKS]] to f32
  // CHECK: lathe.div %[[SUM]],
  %y = lathe.all_reduce mean %x over data : tensor<4xf32>
  return %y : tensor<4xf32>
}

// A mean of halves rounds the sum and divides in f32.
// CHECK-LABEL: func.func @mean_of_halves(
func.func @mean_of_halves(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[SUM:.*]] = lathe.all_reduce sum %{{.*}} over data = 3 : tensor<4xbf16>
  // CHECK: %[[WIDE:.*]] = lathe.convert %[[SUM]] to f32
  // CHECK: %[[MEAN:.*]] = lathe.div %[[WIDE]], %{{.*}} : tensor<4xf32>
  // CHECK: lathe.convert %[[MEAN]] to bf16
  %y = lathe.all_reduce mean %x over data = 3 : tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// What communicators do as it is stays.
// CHECK-LABEL: func.func @kept(
func.func @kept(%x: tensor<4x4xf32>) {
  // CHECK-NEXT: lathe.all_reduce max
  %a = lathe.all_reduce max %x over data = 2 : tensor<4x4xf32>
  // CHECK-NEXT: lathe.all_gather %{{.*}} dim 0
  %b = lathe.all_gather %a dim 0 over data = 2 : tensor<4x4xf32>
  // CHECK-NEXT: lathe.reduce_scatter sum %{{.*}} dim 0
  %c = lathe.reduce_scatter sum %b dim 0 over data = 2 : tensor<8x4xf32>
  // CHECK-NEXT: lathe.all_to_all %{{.*}} split 0 concat 0
  %d = lathe.all_to_all %c split 0 concat 0 over data = 2 : tensor<4x4xf32>
  // CHECK-NEXT: lathe.print
  lathe.print %d : tensor<4x4xf32>
  return
}
