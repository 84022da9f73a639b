// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import npyfile; npyfile.write('%t/x.npy', '<f4', [float('nan') if i == 99999 else -0.0 if i %% 2 else -1.0 for i in range(131072)], (256, 512))"
// RUN: lathe-opt %s --lathe-import --lathe-layout | FileCheck %s
// RUN: lathe-opt %s --lathe-import --lathe-layout | lathe-opt --lathe-fuse | FileCheck %s --check-prefix=FUSED
// RUN: lathe-run %s quantized --random --check
// RUN: lathe-run %s named --random --check --dim N=3
// RUN: lathe-run %s named --random --check --dim N=0
// RUN: lathe-run %s special --random --input x=@%t/x.npy --check
// RUN: lathe-run %s flags --random --check
// RUN: lathe-run %s columns --random --check
// Reductions to one number that have no order go row by row, so that the kernel of the rows computes their part. Products of integers by
// one vector are reductions, which are part of the kernel that rounds the factors.

// The extremes of rows are part of the kernel of tanh; rounding, and the product with the weights, are another one.
// CHECK-LABEL: @quantized(
// CHECK: %[[T:.*]] = lathe.tanh
// CHECK: %[[MIN:.*]] = lathe.reduce min %[[T]] dims [2] : tensor<3x100x512xf32>
// CHECK: lathe.reduce min %[[MIN]] dims [0, 1] : tensor<3x100xf32>
// CHECK: %[[MAX:.*]] = lathe.reduce max %[[T]] dims [2] : tensor<3x100x512xf32>
// CHECK: lathe.reduce max %[[MAX]] dims [0, 1] : tensor<3x100xf32>
// CHECK-NOT: lathe.dot_general
// CHECK: %[[FACTORS:.*]] = lathe.broadcast %{{.*}} dims [2] to [3, 100, 512] : tensor<512xi32>
// CHECK: %[[PRODUCTS:.*]] = lathe.mul %{{.*}}, %[[FACTORS]] : tensor<3x100x512xi32>
// CHECK: lathe.reduce sum %[[PRODUCTS]] dims [2] : tensor<3x100x512xi32>
// FUSED-LABEL: @quantized(
// FUSED: lathe.kernel
// FUSED: lathe.tanh
// FUSED: lathe.reduce min
// FUSED: lathe.reduce max
// FUSED: lathe.kernel
// FUSED: lathe.kernel
// FUSED: lathe.round
// FUSED: lathe.reduce sum
// FUSED-NOT: lathe.kernel
// FUSED: return
func.func @quantized(%x: tensor<3x100x512xf32>, %w: tensor<512x1xi8>) -> tensor<3x100x1xi32> {
  %t = lathe.tanh %x : tensor<3x100x512xf32>
  %min = lathe.reduce min %t dims [0, 1, 2] : tensor<3x100x512xf32>
  %max = lathe.reduce max %t dims [0, 1, 2] : tensor<3x100x512xf32>
  %range = lathe.sub %max, %min : tensor<f32>
  %levels = lathe.constant dense<2.55e2> : tensor<f32>
  %scale = lathe.div %range, %levels : tensor<f32>
  %scales = lathe.broadcast %scale dims [] to [3, 100, 512] : tensor<f32>
  %divided = lathe.div %t, %scales : tensor<3x100x512xf32>
  %rounded = lathe.round %divided : tensor<3x100x512xf32>
  %bytes = lathe.convert %rounded to i8 : tensor<3x100x512xf32>
  %lhs = lathe.convert %bytes to i32 : tensor<3x100x512xi8>
  %rhs = lathe.convert %w to i32 : tensor<512x1xi8>
  %y = lathe.dot_general %lhs, %rhs contract [2] x [0] : tensor<3x100x512xi32>, tensor<512x1xi32>
  return %y : tensor<3x100x1xi32>
}

// A named number of rows may be large.
// CHECK-LABEL: @named(
// CHECK: %[[ROWS:.*]] = lathe.reduce max %arg0 dims [1, 2]
// CHECK: lathe.reduce max %[[ROWS]] dims [0]
func.func @named(%x: tensor<?x10x7xi32> {lathe.dims = #lathe.dims<N>}) -> tensor<i32> {
  %y = lathe.reduce max %x dims [0, 1, 2] : tensor<?x10x7xi32>
  return %y : tensor<i32>
}

// NaN and the order of zeros are those of one reduction.
// CHECK-LABEL: @special(
// CHECK-COUNT-4: lathe.reduce
func.func @special(%x: tensor<256x512xf32>) -> (tensor<f32>, tensor<f32>) {
  %max = lathe.reduce max %x dims [0, 1] : tensor<256x512xf32>
  %min = lathe.reduce min %x dims [0, 1] : tensor<256x512xf32>
  return %max, %min : tensor<f32>, tensor<f32>
}

// Sums and booleans of integers have no order; a sum of floats has one, and few elements are one kernel's work.
// CHECK-LABEL: @flags(
// CHECK: lathe.reduce and %{{.*}} dims [1] : tensor<512x256xi1>
// CHECK: lathe.reduce and %{{.*}} dims [0] : tensor<512xi1>
// CHECK: lathe.reduce sum %{{.*}} dims [1] : tensor<512x256xi64>
// CHECK: lathe.reduce sum %{{.*}} dims [0] : tensor<512xi64>
// CHECK: lathe.reduce sum %{{.*}} dims [0, 1] : tensor<512x256xf32>
// CHECK: lathe.reduce max %{{.*}} dims [0, 1] : tensor<128x256xf32>
func.func @flags(%p: tensor<512x256xi1>, %i: tensor<512x256xi64>, %x: tensor<512x256xf32>, %few: tensor<128x256xf32>) -> (tensor<i1>, tensor<i64>, tensor<f32>, tensor<f32>) {
  %0 = lathe.reduce and %p dims [0, 1] : tensor<512x256xi1>
  %1 = lathe.reduce sum %i dims [0, 1] : tensor<512x256xi64>
  %2 = lathe.reduce sum %x dims [0, 1] : tensor<512x256xf32>
  %3 = lathe.reduce max %few dims [0, 1] : tensor<128x256xf32>
  return %0, %1, %2, %3 : tensor<i1>, tensor<i64>, tensor<f32>, tensor<f32>
}

// Products of floats keep their order, products of several columns their tiles, and so do factors whose last dimension stays.
// CHECK-LABEL: @columns(
// CHECK-COUNT-3: lathe.dot_general
func.func @columns(%x: tensor<5x64xf32>, %v: tensor<64xf32>, %i: tensor<5x64xi32>, %m: tensor<64x9xi32>, %u: tensor<5xi32>) -> (tensor<5xf32>, tensor<5x9xi32>, tensor<64xi32>) {
  %0 = lathe.dot_general %x, %v contract [1] x [0] : tensor<5x64xf32>, tensor<64xf32>
  %1 = lathe.dot_general %i, %m contract [1] x [0] : tensor<5x64xi32>, tensor<64x9xi32>
  %2 = lathe.dot_general %i, %u contract [0] x [0] : tensor<5x64xi32>, tensor<5xi32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5x9xi32>, tensor<64xi32>
}

// A line, and a single row, are not rows.
// CHECK-LABEL: @lines(
// CHECK: lathe.reduce max %{{.*}} dims [0] : tensor<70000xf32>
// CHECK: lathe.reduce max %{{.*}} dims [0, 1] : tensor<1x70000xf32>
// CHECK-NOT: lathe.reduce
func.func @lines(%x: tensor<70000xf32>, %y: tensor<1x70000xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = lathe.reduce max %x dims [0] : tensor<70000xf32>
  %1 = lathe.reduce max %y dims [0, 1] : tensor<1x70000xf32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
