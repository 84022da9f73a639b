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

// What reads a kernel's value through a view, which is outside of all kernels, cannot be in that kernel.
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
