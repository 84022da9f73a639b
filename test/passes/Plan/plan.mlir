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

// Rows of few bytes are rounded up to 64 together, not each for itself: two f32[N] take 8 N bytes and less than 128 more.
// CHECK-LABEL: func.func @short_rows
// CHECK-SAME: lathe.workspace = #lathe.dim<128 * ceil_div(N, 16)>
func.func @short_rows(%x: tensor<?x30xf32> {lathe.dims = #lathe.dims<N>}, %u: tensor<30xf32>, %v: tensor<30xf32>) -> tensor<?x30xf32> {
  %0 = lathe.dot_general %x, %u contract [1] x [0] : tensor<?x30xf32>, tensor<30xf32>
  %1 = lathe.dot_general %x, %v contract [1] x [0] : tensor<?x30xf32>, tensor<30xf32>
  %2 = lathe.broadcast %0 dims [0] to [N, 30] : tensor<?xf32>
  %3 = lathe.broadcast %1 dims [0] to [N, 30] : tensor<?xf32>
  %4 = lathe.mul %x, %2 : tensor<?x30xf32>
  %5 = lathe.mul %4, %3 : tensor<?x30xf32>
  return %5 : tensor<?x30xf32>
}

// A row of 30 floats is 120 bytes: to 128 less than an eighth is missing. One of 5 bytes has parts of one byte; sort's scratch of 16
// bytes an element, 80 a row, has 20 parts of 4.
// CHECK-LABEL: func.func @long_rows
// CHECK-SAME: lathe.workspace = #lathe.dim<128 * N>
func.func @long_rows(%x: tensor<?x30xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<30x30xf32>) -> tensor<?x30xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x30xf32>, tensor<30x30xf32>
  %1 = lathe.dot_general %0, %w contract [1] x [0] : tensor<?x30xf32>, tensor<30x30xf32>
  return %1 : tensor<?x30xf32>
}
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: lathe.workspace = #lathe.dim<1280 * ceil_div(N, 16) + 320 * ceil_div(N, 64)>
func.func @bytes(%x: tensor<?x5xi8> {lathe.dims = #lathe.dims<N>}) -> tensor<?x5xi8> {
  %0 = lathe.sort %x dim 0 : tensor<?x5xi8>
  %1 = lathe.sort %0 dim 1 : tensor<?x5xi8>
  return %1 : tensor<?x5xi8>
}

// Several terms are rounded up once: two f32[M + N], and the scratch of 16 bytes an element.
// CHECK-LABEL: func.func @terms
// CHECK-SAME: lathe.workspace = #lathe.dim<128 * ceil_div(M + N, 16) + 64 * ceil_div(M + N, 4)>
func.func @terms(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  %0 = lathe.concatenate %x, %y dim 0 : tensor<?xf32>, tensor<?xf32>
  %1 = lathe.sort %0 dim 0 : tensor<?xf32>
  %2 = lathe.sort %1 dim 0 : tensor<?xf32>
  return %2 : tensor<?xf32>
}
