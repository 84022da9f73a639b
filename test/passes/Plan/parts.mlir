// RUN: lathe-opt %s --lathe-import --lathe-lower-state --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s
// An op that replaces parts of a tensor, or of state, takes its buffer; scratch is a buffer while its kernel runs.

lathe.variable @cache : tensor<64x16xf32> init #lathe.zeros

// CHECK-LABEL: func.func @append
// CHECK: lathe.kernel{{.*}}lathe.buffers = [#lathe.buffer<result 1 at <0>>]
// CHECK: lathe.dynamic_update_slice
// CHECK-NOT: lathe.stop_gradient
func.func @append(%row: tensor<1x16xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<16xf32> {
  %old = lathe.read @cache : tensor<64x16xf32>
  %new = lathe.dynamic_update_slice %old, %row [%i, %j] : tensor<64x16xf32>, tensor<1x16xf32>, (tensor<i32>, tensor<i32>)
  lathe.write @cache, %new : tensor<64x16xf32>
  %sum = lathe.reduce sum %new dims [0] : tensor<64x16xf32>
  return %sum : tensor<16xf32>
}

// The negated values die here, and the sums take their place, beside scratch memory; they may not if the updates are the same
// values.
// CHECK-LABEL: func.func @scatters
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <[[PLACE:.*]]>>]
// CHECK: lathe.neg
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <[[PLACE]]>>, #lathe.buffer<arena {{.*}}>]
// CHECK: lathe.scatter
// CHECK: lathe.scratch
// CHECK-NOT: lathe.buffers = [#lathe.buffer<arena 0 at <[[PLACE]]>>]
// CHECK: lathe.scatter
func.func @scatters(%x: tensor<100xf32>, %i: tensor<100xi32>) -> tensor<f32> {
  %0 = lathe.neg %x : tensor<100xf32>
  %1 = lathe.scatter add %0, %i, %x axis 0 : tensor<100xf32>, tensor<100xi32>, tensor<100xf32>
  %2 = lathe.scatter max %1, %i, %1 axis 0 : tensor<100xf32>, tensor<100xi32>, tensor<100xf32>
  %3 = lathe.reduce sum %2 dims [0] : tensor<100xf32>
  return %3 : tensor<f32>
}

// CHECK-LABEL: func.func @orders
// CHECK-SAME: lathe.workspace = #lathe.dim<1600 * N>
// CHECK: lathe.buffers = [#lathe.buffer<result 0 at <0>>, #lathe.buffer<arena 0 at <0>>]
// CHECK: lathe.scratch : tensor<?xi64, #lathe.dims<200 * N>>
// CHECK: lathe.buffers = [#lathe.buffer<result 1 at <0>>, #lathe.buffer<arena 0 at <0>>]
func.func @orders(%x: tensor<?x100xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x100xf32>, tensor<?x100xi32>, tensor<?x64xi32>) {
  %0 = lathe.sort %x dim 1 : tensor<?x100xf32>
  %1 = lathe.argsort %x dim 1 descending : tensor<?x100xf32>
  %2 = lathe.top_k %x dim 1 count 64 : tensor<?x100xf32>
  return %0, %1, %2 : tensor<?x100xf32>, tensor<?x100xi32>, tensor<?x64xi32>
}
