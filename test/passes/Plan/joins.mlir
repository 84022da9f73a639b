// Concatenations whose operands are written in place.
// RUN: lathe-opt %s --lathe-import --lathe-lower-state --canonicalize --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s

// Two products and a copy of the argument between them fill the result; a product is also read by itself.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: lathe.workspace = #lathe.dim<0>
// CHECK: %[[A:.*]] = lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<result 0 at <0>>]
// CHECK: %[[B:.*]] = lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<result 0 at <512>>]
// CHECK: %[[X:.*]] = lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<result 0 at <256>>], lathe.copy_for = "lathe.concatenate"
// CHECK: %[[C:.*]] = lathe.concatenate %[[A]], %[[X]], %[[B]] dim 0 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]}
// CHECK: lathe.kernel({{.*}} = %[[A]]
// CHECK: return %[[C]]
func.func @joined(%x: tensor<64xf32>, %m: tensor<64x64xf32>) -> (tensor<192xf32>, tensor<64xf32>) {
  %a = lathe.dot_general %m, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
  %b = lathe.dot_general %m, %x contract [0] x [0] : tensor<64x64xf32>, tensor<64xf32>
  %c = lathe.concatenate %a, %x, %b dim 0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  %d = lathe.dot_general %m, %a contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
  return %c, %d : tensor<192xf32>, tensor<64xf32>
}

// Rows of 256 bytes begin at multiples of 64 for any number of rows; a concatenation is a part of another one. Leading
// dimensions of 1 do not matter.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: lathe.workspace = #lathe.dim<1024 * M + 1024 * N>
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <0>>]
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <256 * N>>]
// CHECK: %[[C:.*]] = lathe.concatenate {{.*}} dim 1 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]}
// CHECK: %[[D:.*]] = lathe.kernel({{.*}} = %[[C]]{{.*}}lathe.buffers = [#lathe.buffer<arena 0 at <256 * M + 256 * N>>]
// CHECK: lathe.concatenate %[[C]], %[[D]] dim 1 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]}
func.func @nested(%x: tensor<1x?x64xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<1x?x64xf32> {lathe.dims = #lathe.dims<M>},
                  %m: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %a = lathe.dot_general %x, %m contract [2] x [0] : tensor<1x?x64xf32>, tensor<64x64xf32>
  %b = lathe.dot_general %y, %m contract [2] x [0] : tensor<1x?x64xf32>, tensor<64x64xf32>
  %c = lathe.concatenate %a, %b dim 1 : tensor<1x?x64xf32>, tensor<1x?x64xf32>
  %d = lathe.dot_general %c, %m contract [2] x [0] : tensor<1x?x64xf32>, tensor<64x64xf32>
  %e = lathe.concatenate %c, %d dim 1 : tensor<1x?x64xf32>, tensor<1x?x64xf32>
  %f = lathe.dot_general %e, %m contract [2] x [0] : tensor<1x?x64xf32>, tensor<64x64xf32>
  %s = lathe.reduce sum %f dims [1] : tensor<1x?x64xf32>
  return %s : tensor<1x64xf32>
}

// Copied: what begins or ends at no multiple of 64 bytes, the second use of a value, constants; adjacent ones in one kernel.
// CHECK-LABEL: func.func @runs(
// CHECK: %[[A:.*]] = lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<result 0 at <0>>]
// CHECK: %[[B:.*]] = lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<arena 0 at <0>>]
// CHECK: %[[REST:.*]] = lathe.kernel({{.*}} = %[[B]]{{.*}} = %[[A]]{{.*}}lathe.buffers = [#lathe.buffer<result 0 at <64>>]
// CHECK-NEXT: lathe.constant
// CHECK-NEXT: lathe.concatenate {{.*}} : tensor<5xf32>, tensor<16xf32>, tensor<3xf32>
// CHECK: lathe.concatenate %[[A]], %[[REST]] dim 0 {{.*}} : tensor<16xf32>, tensor<24xf32>
func.func @runs(%x: tensor<16xf32>, %y: tensor<5xf32>) -> tensor<40xf32> {
  %a = lathe.neg %x : tensor<16xf32>
  %b = lathe.neg %y : tensor<5xf32>
  %z = lathe.constant dense<1.0> : tensor<3xf32>
  %c = lathe.concatenate %a, %b, %a, %z dim 0 : tensor<16xf32>, tensor<5xf32>, tensor<16xf32>, tensor<3xf32>
  return %c : tensor<40xf32>
}

// In the slots of a stack, and in a branch; a branch as a whole is a part.
// CHECK-LABEL: func.func @inside(
// CHECK: lathe.if {{.*}}lathe.buffers = [#lathe.buffer<arena 0 at <[[PLACE:.*]]>>]
// CHECK: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
// CHECK: lathe.concatenate {{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
// CHECK: lathe.concatenate {{.*}}lathe.buffers = [#lathe.buffer<arena 0 at <[[PLACE]]>>]
// CHECK: lathe.scan
// CHECK: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <64>>]
// CHECK: lathe.concatenate {{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
// CHECK: lathe.yield collect
func.func @inside(%p: tensor<i1>, %x: tensor<2x16xf32>, %xs: tensor<?x16xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32>, tensor<?x2x16xf32>) {
  %r = lathe.if %p -> tensor<2x16xf32> {
    %n = lathe.neg %x : tensor<2x16xf32>
    %s = lathe.reduce sum %n dims [0] : tensor<2x16xf32>
    %a = lathe.reshape %s to [1, 16] : tensor<16xf32>
    %c = lathe.concatenate %a, %a dim 0 : tensor<1x16xf32>, tensor<1x16xf32>
    lathe.yield %c : tensor<2x16xf32>
  } else {
    %n = lathe.abs %x : tensor<2x16xf32>
    lathe.yield %n : tensor<2x16xf32>
  }
  %c = lathe.concatenate %r, %x dim 0 : tensor<2x16xf32>, tensor<2x16xf32>
  %sums = lathe.cumulative sum %c dim 1 : tensor<4x16xf32>
  %all = lathe.reduce max %sums dims [0, 1] : tensor<4x16xf32>
  %stack = lathe.scan over(%row = %xs : tensor<?x16xf32>) -> tensor<?x2x16xf32> {
    %one = lathe.reshape %row to [1, 16] : tensor<16xf32>
    %two = lathe.exp %one : tensor<1x16xf32>
    %both = lathe.concatenate %one, %two dim 0 : tensor<1x16xf32>, tensor<1x16xf32>
    lathe.yield collect(%both : tensor<2x16xf32>)
  }
  return %all, %stack : tensor<f32>, tensor<?x2x16xf32>
}

// The slots of a stack are 80 bytes, so that parts would not be aligned.
// CHECK-LABEL: func.func @slots(
// CHECK: lathe.scan
// CHECK-NOT: yield 0 at <64>
// CHECK: return
func.func @slots(%xs: tensor<?x16xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<4xf32>) -> tensor<?x20xf32> {
  %stack = lathe.scan over(%row = %xs : tensor<?x16xf32>) -> tensor<?x20xf32> {
    %two = lathe.exp %row : tensor<16xf32>
    %both = lathe.concatenate %two, %y dim 0 : tensor<16xf32>, tensor<4xf32>
    lathe.yield collect(%both : tensor<20xf32>)
  }
  return %stack : tensor<?x20xf32>
}

// The first part is written when the second one still reads the old value: a variable and a carry that has one buffer are
// written by one kernel. A carry with two buffers may be written early.
lathe.variable @v : tensor<32xf32> init #lathe.zeros
// CHECK-LABEL: func.func @early(
// CHECK: lathe.buffers = [#lathe.buffer<result 0 at <0>>]
// CHECK-NEXT: lathe.concatenate
// CHECK-NEXT: lathe.yield
func.func @early(%x: tensor<16xf32>) {
  %old = lathe.read @v : tensor<32xf32>
  %low = lathe.slice %old from [16] to [32] : tensor<32xf32>
  %a = lathe.neg %x : tensor<16xf32>
  %b = lathe.cumulative sum %low dim 0 : tensor<16xf32>
  %c = lathe.concatenate %a, %b dim 0 : tensor<16xf32>, tensor<16xf32>
  lathe.write @v, %c : tensor<32xf32>
  return
}
// CHECK-LABEL: func.func @turning(
// CHECK: lathe.scan {{.*}}lathe.spares = [#lathe.buffer<arena
// CHECK: lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
// CHECK: lathe.buffers = [#lathe.buffer<yield 0 at <64>>]
// CHECK: lathe.concatenate {{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
func.func @turning(%x: tensor<32xf32>, %m: tensor<16x32xf32>, %n: tensor<16x32xf32>) -> (tensor<32xf32>, tensor<5xf32>) {
  %r, %ds = lathe.scan carry(%h = %x : tensor<32xf32>) trip 5 -> (tensor<32xf32>, tensor<5xf32>) {
    %a = lathe.dot_general %m, %h contract [1] x [0] : tensor<16x32xf32>, tensor<32xf32>
    %b = lathe.dot_general %n, %h contract [1] x [0] : tensor<16x32xf32>, tensor<32xf32>
    %c = lathe.concatenate %a, %b dim 0 : tensor<16xf32>, tensor<16xf32>
    %d = lathe.dot_general %c, %h contract [0] x [0] : tensor<32xf32>, tensor<32xf32>
    lathe.yield carry(%c : tensor<32xf32>) collect(%d : tensor<f32>)
  }
  return %r, %ds : tensor<32xf32>, tensor<5xf32>
}

// Copied: a loop takes the part's buffer, or the concatenation's.
// CHECK-LABEL: func.func @taken(
// CHECK-NOT: lathe.concatenate {{.*}}lathe.buffers
// CHECK: return
func.func @taken(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<32xf32>, tensor<32xf32>) {
  %a = lathe.exp %x : tensor<16xf32>
  %c = lathe.concatenate %a, %x dim 0 : tensor<16xf32>, tensor<16xf32>
  %r = lathe.scan carry(%h = %a : tensor<16xf32>) trip 5 -> tensor<16xf32> {
    %n = lathe.neg %h : tensor<16xf32>
    lathe.yield carry(%n : tensor<16xf32>)
  }
  %b = lathe.log %x : tensor<16xf32>
  %d = lathe.concatenate %b, %x dim 0 : tensor<16xf32>, tensor<16xf32>
  %s = lathe.scan carry(%h = %d : tensor<32xf32>) trip 5 -> tensor<32xf32> {
    %n = lathe.neg %h : tensor<32xf32>
    lathe.yield carry(%n : tensor<32xf32>)
  }
  return %r, %c, %s : tensor<16xf32>, tensor<32xf32>, tensor<32xf32>
}

// The small part is ready long before the large one. With the whole's memory from there on, the product between them would
// enlarge the workspace.
// CHECK-LABEL: func.func @apart(
// CHECK-SAME: lathe.workspace = #lathe.dim<32832>
// CHECK-NOT: lathe.concatenate {{.*}}lathe.buffers
// CHECK: return
func.func @apart(%x: tensor<16xf32>, %m: tensor<64x64xf32>) -> tensor<f32> {
  %a = lathe.cumulative sum %x dim 0 : tensor<16xf32>
  %s = lathe.reduce sum %a dims [0] : tensor<16xf32>
  %w = lathe.broadcast %s dims [] to [64, 64] : tensor<f32>
  %n = lathe.mul %m, %w : tensor<64x64xf32>
  %p = lathe.dot_general %n, %n contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %p contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %t = lathe.reduce sum %q dims [1] : tensor<64x64xf32>
  %u = lathe.broadcast %t dims [0] to [64, 32] : tensor<64xf32>
  %flat = lathe.reshape %u to [2048] : tensor<64x32xf32>
  %b = lathe.cumulative sum %flat dim 0 : tensor<2048xf32>
  %c = lathe.concatenate %a, %b dim 0 : tensor<16xf32>, tensor<2048xf32>
  %d = lathe.cumulative sum %c dim 0 : tensor<2064xf32>
  %r = lathe.reduce sum %d dims [0] : tensor<2064xf32>
  return %r : tensor<f32>
}
