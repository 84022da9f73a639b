// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s

// Outputs are written where the caller wants them, an elementwise kernel over the value it replaces, sizes are formulas in N.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: lathe.workspace = #lathe.dim<256 * N + 64>
func.func @chain(%x: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <64>>]
  // CHECK: lathe.dot_general
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x64xf32>, tensor<64x64xf32>
  // CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <0>>]
  // CHECK: lathe.reduce
  %all = lathe.reduce sum %0 dims [0, 1] : tensor<?x64xf32>
  // CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <64>>]
  // CHECK: lathe.sub
  %wide = lathe.broadcast %all dims [] to [N, 64] : tensor<f32>
  %1 = lathe.sub %0, %wide : tensor<?x64xf32>
  // CHECK: lathe.buffers = [#lathe.buffer<result 0 at <0>>]
  // CHECK: lathe.dot_general
  %2 = lathe.dot_general %1, %w contract [1] x [0] : tensor<?x64xf32>, tensor<64x64xf32>
  return %2 : tensor<?x64xf32>
}

// A state is written in place only by the last reader of its old value; else from a copy at the end.
// CHECK-LABEL: func.func @swap
// CHECK-COUNT-2: lathe.buffers = [#lathe.buffer<result
lathe.variable @a : tensor<8xf32> init #lathe.zeros
lathe.variable @b : tensor<8xf32> init #lathe.zeros
func.func @swap(%old_a: tensor<8xf32> {lathe.state = @a}, %old_b: tensor<8xf32> {lathe.state = @b})
    -> (tensor<8xf32> {lathe.state = @a}, tensor<8xf32> {lathe.state = @b}) {
  return %old_b, %old_a : tensor<8xf32>, tensor<8xf32>
}
