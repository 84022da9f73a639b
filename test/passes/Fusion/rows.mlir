// RUN: lathe-opt %s --lathe-import --canonicalize --cse --lathe-expand-derivatives --lathe-inline --canonicalize --cse --symbol-dce --lathe-layout --lathe-fuse | FileCheck %s
// Reductions of whole rows of one shape, whose results are read only by ops on the same row, become one loop over rows.

// CHECK-LABEL: func.func @softmax
// CHECK: lathe.kernel({{.*}}) -> tensor<6x11xf32> attributes {lathe.rows}
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @softmax(%x: tensor<6x11xf32>) -> tensor<6x11xf32> {
  %largest = lathe.reduce max %x dims [1] : tensor<6x11xf32>
  %wide = lathe.broadcast %largest dims [0] to [6, 11] : tensor<6xf32>
  %shifted = lathe.sub %x, %wide : tensor<6x11xf32>
  %exp = lathe.exp %shifted : tensor<6x11xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<6x11xf32>
  %total = lathe.broadcast %sum dims [0] to [6, 11] : tensor<6xf32>
  %y = lathe.div %exp, %total : tensor<6x11xf32>
  return %y : tensor<6x11xf32>
}

// A product makes rows of its own; what follows it is one kernel beside it.
// CHECK-LABEL: func.func @scores
// CHECK: lathe.kernel
// CHECK: lathe.dot_general
// CHECK: lathe.mul
// CHECK: lathe.yield
// CHECK: lathe.kernel({{.*}}) -> tensor<?x?x?xf32{{.*}} attributes {lathe.rows}
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @scores(%q: tensor<?x?x8xf32> {lathe.dims = #lathe.dims<B, S>}, %k: tensor<?x8x?xf32> {lathe.dims = #lathe.dims<B, T>}) -> tensor<?x?x?xf32> {
  %scale = lathe.constant dense<0.125> : tensor<f32>
  %product = lathe.dot_general %q, %k contract [2] x [1] batch [0] x [0] : tensor<?x?x8xf32>, tensor<?x8x?xf32>
  %x = lathe.mul %product, %scale : tensor<?x?x?xf32>, tensor<f32>
  %largest = lathe.reduce max %x dims [2] : tensor<?x?x?xf32>
  %wide = lathe.broadcast %largest dims [0, 1] to [B, S, T] : tensor<?x?xf32>
  %shifted = lathe.sub %x, %wide : tensor<?x?x?xf32>
  %exp = lathe.exp %shifted : tensor<?x?x?xf32>
  %sum = lathe.reduce sum %exp dims [2] : tensor<?x?x?xf32>
  %total = lathe.broadcast %sum dims [0, 1] to [B, S, T] : tensor<?x?xf32>
  %y = lathe.div %exp, %total : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Mean and variance, with what stands before and after them; the sum of squares is a second result.
// CHECK-LABEL: func.func @layer_norm
// CHECK: lathe.kernel({{.*}}) -> (tensor<?xf32, #lathe.dims<N>>, tensor<?x24xf32, #lathe.dims<N>>) attributes {lathe.rows}
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @layer_norm(%x: tensor<?x24xf32> {lathe.dims = #lathe.dims<N>}, %scale: tensor<24xf32>) -> (tensor<?x24xf32>, tensor<?xf32>) {
  %count = lathe.constant dense<24.0> : tensor<f32>
  %tiny = lathe.constant dense<1.0e-5> : tensor<f32>
  %double = lathe.add %x, %x : tensor<?x24xf32>
  %sum = lathe.reduce sum %double dims [1] : tensor<?x24xf32>
  %mean = lathe.div %sum, %count : tensor<?xf32>, tensor<f32>
  %means = lathe.broadcast %mean dims [0] to [N, 24] : tensor<?xf32>
  %centred = lathe.sub %double, %means : tensor<?x24xf32>
  %square = lathe.mul %centred, %centred : tensor<?x24xf32>
  %squares = lathe.reduce sum %square dims [1] : tensor<?x24xf32>
  %variance = lathe.div %squares, %count : tensor<?xf32>, tensor<f32>
  %safe = lathe.add %variance, %tiny : tensor<?xf32>, tensor<f32>
  %factor = lathe.rsqrt %safe : tensor<?xf32>
  %factors = lathe.broadcast %factor dims [0] to [N, 24] : tensor<?xf32>
  %normal = lathe.mul %centred, %factors : tensor<?x24xf32>
  %y = lathe.mul %normal, %scale : tensor<?x24xf32>, tensor<24xf32>
  return %y, %squares : tensor<?x24xf32>, tensor<?xf32>
}

// Cross-entropy with labels and its gradient: one kernel over rows, and the mean of the losses.
// CHECK-LABEL: func.func @loss_and_gradient
// CHECK: lathe.kernel({{.*}}) -> {{.*}} attributes {lathe.rows}
// CHECK: lathe.gather
// CHECK: lathe.yield {{.*}}tensor<?x10xf32
// CHECK: lathe.kernel({{.*}}) -> tensor<f32>
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func private @loss(%x: tensor<?x10xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %largest = lathe.reduce max %x dims [1] : tensor<?x10xf32>
  %fixed = lathe.stop_gradient %largest : tensor<?xf32>
  %wide = lathe.broadcast %fixed dims [0] to [N, 10] : tensor<?xf32>
  %shifted = lathe.sub %x, %wide : tensor<?x10xf32>
  %exp = lathe.exp %shifted : tensor<?x10xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<?x10xf32>
  %log = lathe.log %total : tensor<?xf32>
  %right = lathe.gather %shifted, %label axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>
  %each = lathe.sub %log, %right : tensor<?xf32>
  %sum = lathe.reduce sum %each dims [0] : tensor<?xf32>
  %count = lathe.dim_size %x dim 0 : tensor<?x10xf32>
  %n = lathe.convert %count to f32 : tensor<i64>
  %loss = lathe.div %sum, %n : tensor<f32>
  return %loss : tensor<f32>
}
func.func @loss_and_gradient(%x: tensor<?x10xf32> {lathe.dims = #lathe.dims<N>}, %label: tensor<?xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<f32>, tensor<?x10xf32>) {
  %loss, %gradient = lathe.value_and_grad @loss(%x, %label) wrt [0]
      : (tensor<?x10xf32>, tensor<?xi32>) -> (tensor<f32>, tensor<?x10xf32>)
  return %loss, %gradient : tensor<f32>, tensor<?x10xf32>
}

// The largest of row j is not row i's.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-2: lathe.kernel
// CHECK-NOT: lathe.rows
// CHECK: return
func.func @other_rows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %largest = lathe.reduce max %x dims [1] : tensor<8x8xf32>
  %across = lathe.broadcast %largest dims [1] to [8, 8] : tensor<8xf32>
  %y = lathe.sub %x, %across : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// A view has its elements at other places.
// CHECK-LABEL: func.func @view
// CHECK-COUNT-2: lathe.kernel
// CHECK-NOT: lathe.rows
// CHECK: return
func.func @view(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %largest = lathe.reduce max %x dims [1] : tensor<4x4xf32>
  %square = lathe.reshape %largest to [2, 2] : tensor<4xf32>
  %flat = lathe.reshape %square to [4, 1] : tensor<2x2xf32>
  %line = lathe.reshape %flat to [4] : tensor<4x1xf32>
  %wide = lathe.broadcast %line dims [1] to [4, 4] : tensor<4xf32>
  %y = lathe.sub %x, %wide : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// One short row is a loop over one row; of a long one threads share what is elementwise.
// CHECK-LABEL: func.func @one_row
// CHECK: attributes {lathe.rows}
// CHECK: lathe.kernel
// CHECK: lathe.kernel
// CHECK-NOT: lathe.rows
// CHECK: return
func.func @one_row(%x: tensor<100xf32>, %y: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<100xf32>, tensor<?xf32>) {
  %short = lathe.reduce sum %x dims [0] : tensor<100xf32>
  %shorts = lathe.broadcast %short dims [] to [100] : tensor<f32>
  %a = lathe.div %x, %shorts : tensor<100xf32>
  %long = lathe.reduce sum %y dims [0] : tensor<?xf32>
  %longs = lathe.broadcast %long dims [] to [N] : tensor<f32>
  %b = lathe.div %y, %longs : tensor<?xf32>
  return %a, %b : tensor<100xf32>, tensor<?xf32>
}
