// RUN: lathe-opt %s --lathe-import --lathe-fuse | FileCheck %s

// Bias, comparison and choice join the convolution before them; both values that are returned leave one kernel.
// CHECK-LABEL: func.func @layer
// CHECK-COUNT-1: lathe.kernel
// CHECK: lathe.conv
// CHECK: lathe.yield {{.*}} : tensor<?x8x8x4xi1, #lathe.dims<N>>, tensor<?x8x8x4xf32, #lathe.dims<N>>
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @layer(%x: tensor<?x8x8x3xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x3x4xf32>, %b: tensor<4xf32>)
    -> (tensor<?x8x8x4xi1>, tensor<?x8x8x4xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %c = lathe.conv %x, %w stride [1, 1] pad same : tensor<?x8x8x3xf32>, tensor<3x3x3x4xf32>
  %z = lathe.add %c, %b : tensor<?x8x8x4xf32>, tensor<4xf32>
  %p = lathe.compare gt %z, %zero : tensor<?x8x8x4xf32>, tensor<f32>
  %y = lathe.select %p, %z, %zero : tensor<?x8x8x4xi1>, tensor<?x8x8x4xf32>, tensor<f32>
  return %p, %y : tensor<?x8x8x4xi1>, tensor<?x8x8x4xf32>
}

// An op that reads a kernel's value through a view, which is outside of all kernels, cannot be in that kernel.
// CHECK-LABEL: func.func @through_a_view
// CHECK: lathe.exp
// CHECK: lathe.sin
// CHECK: lathe.yield
// CHECK: lathe.reshape
// CHECK: lathe.kernel
// CHECK: lathe.add
func.func @through_a_view(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = lathe.exp %x : tensor<1xf32>
  %number = lathe.reshape %a to [] : tensor<1xf32>
  %again = lathe.broadcast %number dims [] to [1] : tensor<f32>
  %b = lathe.sin %a : tensor<1xf32>
  %sum = lathe.add %b, %again : tensor<1xf32>, tensor<1xf32>
  return %sum : tensor<1xf32>
}

// A transpose that turns lines is alone in its kernel, where it goes through tiles; a reduction's loops go either way, and little is
// turned where it is used.
// CHECK-LABEL: func.func @turned
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.exp
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.transpose
// CHECK-NEXT: lathe.yield
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.add
// CHECK: return
func.func @turned(%x: tensor<32x64xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = lathe.exp %x : tensor<32x64xf32>
  %1 = lathe.transpose %0 [1, 0] : tensor<32x64xf32>
  %2 = lathe.add %1, %y : tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}

// CHECK-LABEL: func.func @reduced
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.exp
// CHECK-NEXT: lathe.transpose
// CHECK-NEXT: lathe.reduce
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @reduced(%x: tensor<32x64xf32>) -> tensor<64xf32> {
  %0 = lathe.exp %x : tensor<32x64xf32>
  %1 = lathe.transpose %0 [1, 0] : tensor<32x64xf32>
  %2 = lathe.reduce sum %1 dims [1] : tensor<64x32xf32>
  return %2 : tensor<64xf32>
}

// The nine taps of a filter stay side by side, so that they are a side of a tile.
// CHECK-LABEL: func.func @taps
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.transpose
// CHECK-NEXT: lathe.yield
// CHECK: lathe.kernel
// CHECK: lathe.sub
// CHECK: return
func.func @taps(%g: tensor<3x3x16x32xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<32x16x3x3xf32> {
  %1 = lathe.transpose %g [3, 2, 0, 1] : tensor<3x3x16x32xf32>
  %2 = lathe.sub %w, %1 : tensor<32x16x3x3xf32>
  return %2 : tensor<32x16x3x3xf32>
}

// CHECK-LABEL: func.func @small
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.transpose
// CHECK-NEXT: lathe.add
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @small(%x: tensor<8x16xf32>, %y: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = lathe.transpose %x [1, 0] : tensor<8x16xf32>
  %2 = lathe.add %1, %y : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}
