// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-order | FileCheck %s
// The workspace in the graph's order and in the one that is found. The verifier proves both plans.
// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s --check-prefix=BEFORE
// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-order --lathe-plan --lathe-verify-plan | FileCheck %s --check-prefix=AFTER

// Each product of 64 x 64 (16384 bytes) is only read for 64 numbers (256 bytes). In the graph's order three products are live at
// once, and the first numbers. The best order reads each product directly: one product, and the numbers of two.
// BEFORE-LABEL: func.func @products
// BEFORE-SAME: lathe.workspace = #lathe.dim<49408>
// AFTER-LABEL: func.func @products
// AFTER-SAME: lathe.workspace = #lathe.dim<16896>
// CHECK-LABEL: func.func @products
// CHECK: lathe.dot_general {{.*}} : tensor<64x64xf32>{{$}}
// CHECK: lathe.dot_general {{.*}} : tensor<64x64xf32>, tensor<64xf32>
// CHECK: lathe.dot_general {{.*}} : tensor<64x64xf32>{{$}}
// CHECK: lathe.dot_general {{.*}} : tensor<64x64xf32>, tensor<64xf32>
// CHECK: lathe.dot_general {{.*}} : tensor<64x64xf32>{{$}}
// CHECK: lathe.dot_general {{.*}} : tensor<64x64xf32>, tensor<64xf32>
func.func @products(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %v: tensor<64xf32>) -> tensor<64xf32> {
  %a = lathe.dot_general %x, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %b = lathe.dot_general %y, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %c = lathe.dot_general %x, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %av = lathe.dot_general %a, %v contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
  %bv = lathe.dot_general %b, %v contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
  %ab = lathe.add %av, %bv : tensor<64xf32>
  %cv = lathe.dot_general %c, %v contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
  %abc = lathe.add %ab, %cv : tensor<64xf32>
  return %abc : tensor<64xf32>
}

// The order is searched for the dimensions that the types name: here 256 * N bytes a product.
// BEFORE-LABEL: func.func @open_products
// BEFORE-SAME: lathe.workspace = #lathe.dim<512 * N
// AFTER-LABEL: func.func @open_products
// AFTER-SAME: lathe.workspace = #lathe.dim<256 * N
func.func @open_products(%x: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<64x64xf32>, %v: tensor<64xf32>) -> tensor<?xf32> {
  %a = lathe.dot_general %x, %y contract [1] x [0] : tensor<?x64xf32>, tensor<64x64xf32>
  %b = lathe.dot_general %x, %y contract [1] x [1] : tensor<?x64xf32>, tensor<64x64xf32>
  %av = lathe.dot_general %a, %v contract [1] x [0] : tensor<?x64xf32>, tensor<64xf32>
  %bv = lathe.dot_general %b, %v contract [1] x [0] : tensor<?x64xf32>, tensor<64xf32>
  %ab = lathe.sub %bv, %av : tensor<?xf32>
  return %ab : tensor<?xf32>
}

// Two updates of variables, whose gradients are live together in the graph's order. Each moves to its gradient; that of @u stays
// behind another product with its old value.
lathe.variable @w : tensor<64x64xf32> init #lathe.zeros
lathe.variable @u : tensor<64x64xf32> init #lathe.zeros
// BEFORE-LABEL: func.func @updates
// BEFORE-SAME: lathe.workspace = #lathe.dim<32768>
// AFTER-LABEL: func.func @updates
// AFTER-SAME: lathe.workspace = #lathe.dim<16384>
// CHECK-LABEL: func.func @updates
// CHECK: %[[DW:.*]] = lathe.kernel({{.*}} = %arg1 : tensor<64x64xf32>)
// CHECK: %[[W:.*]] = lathe.kernel({{.*}} = %arg1 : tensor<64x64xf32>, {{.*}} = %[[DW]] : tensor<64x64xf32>)
// CHECK: %[[DU:.*]] = lathe.kernel({{.*}} = %arg0 : tensor<64x64xf32>)
// CHECK: %[[OTHER:.*]] = lathe.kernel({{.*}} = %arg2 : tensor<64x64xf32>)
// CHECK: %[[U:.*]] = lathe.kernel({{.*}} = %arg2 : tensor<64x64xf32>, {{.*}} = %[[DU]] : tensor<64x64xf32>)
// CHECK: return %[[OTHER]], %[[W]], %[[U]]
func.func @updates(%x: tensor<64x64xf32>, %w: tensor<64x64xf32> {lathe.state = @w}, %u: tensor<64x64xf32> {lathe.state = @u})
    -> (tensor<64x64xf32>, tensor<64x64xf32> {lathe.state = @w}, tensor<64x64xf32> {lathe.state = @u}) {
  %du = lathe.cumulative sum %x dim 0 : tensor<64x64xf32>
  %dw = lathe.cumulative sum %w dim 0 : tensor<64x64xf32>
  %other = lathe.cumulative sum %u dim 1 : tensor<64x64xf32>
  %nw = lathe.sub %w, %dw : tensor<64x64xf32>
  %nu = lathe.sub %u, %du : tensor<64x64xf32>
  return %other, %nw, %nu : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// The update of @u would fit directly behind its gradient, but the assertion may leave the state as it was. So it stays behind
// that, and the prints stay around it.
// CHECK-LABEL: func.func @reports
// CHECK: lathe.print {{.*}} : tensor<64x64xf32>
// CHECK: lathe.assert
// CHECK: lathe.sub
// CHECK: lathe.print {{.*}} : tensor<f32>
func.func @reports(%x: tensor<64x64xf32>, %u: tensor<64x64xf32> {lathe.state = @u}) -> (tensor<64x64xf32> {lathe.state = @u}) {
  %du = lathe.cumulative sum %x dim 0 : tensor<64x64xf32>
  %a = lathe.dot_general %x, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  lathe.print %a : tensor<64x64xf32>
  %b = lathe.dot_general %x, %x contract [1] x [1] : tensor<64x64xf32>, tensor<64x64xf32>
  %all = lathe.reduce sum %b dims [0, 1] : tensor<64x64xf32>
  %p = lathe.compare ge %all, %all : tensor<f32>
  lathe.assert %p, "all" : tensor<i1>
  %nu = lathe.sub %u, %du : tensor<64x64xf32>
  lathe.print %all : tensor<f32>
  return %nu : tensor<64x64xf32>
}

// Each update would free its gradient before the outer product is made if it ran directly behind the sums of its gradient. But
// the last kernel reads the old value, which the update would replace in place.
// CHECK-LABEL: func.func @late_reader
// CHECK: lathe.cumulative
// CHECK: lathe.dot_general {{.*}} contract [] x []
// CHECK: lathe.dot_general {{.*}} contract [1] x [0]
// CHECK: lathe.sub
// BEFORE-LABEL: func.func @late_reader
// BEFORE-SAME: lathe.workspace = #lathe.dim<33024>
// AFTER-LABEL: func.func @late_reader
// AFTER-SAME: lathe.workspace = #lathe.dim<33024>
func.func @late_reader(%x: tensor<64x64xf32>, %u: tensor<64x64xf32> {lathe.state = @u})
    -> (tensor<64x64xf32>, tensor<64x64xf32> {lathe.state = @u}) {
  %du = lathe.cumulative sum %x dim 0 : tensor<64x64xf32>
  %s = lathe.reduce sum %du dims [0] : tensor<64x64xf32>
  %outer = lathe.dot_general %s, %s contract [] x [] : tensor<64xf32>, tensor<64xf32>
  %other = lathe.dot_general %outer, %u contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %nu = lathe.sub %u, %du : tensor<64x64xf32>
  return %other, %nu : tensor<64x64xf32>, tensor<64x64xf32>
}

// Likewise the assertion about the outer product must hold before the variable changes.
// CHECK-LABEL: func.func @late_assert
// CHECK: lathe.dot_general {{.*}} contract [] x []
// CHECK: lathe.assert
// CHECK: lathe.sub
func.func @late_assert(%x: tensor<64x64xf32>, %u: tensor<64x64xf32> {lathe.state = @u}) -> (tensor<64x64xf32> {lathe.state = @u}) {
  %du = lathe.cumulative sum %x dim 0 : tensor<64x64xf32>
  %s = lathe.reduce sum %du dims [0] : tensor<64x64xf32>
  %outer = lathe.dot_general %s, %s contract [] x [] : tensor<64xf32>, tensor<64xf32>
  %running = lathe.cumulative sum %outer dim 1 : tensor<64x64xf32>
  %all = lathe.reduce sum %running dims [0, 1] : tensor<64x64xf32>
  %p = lathe.compare ge %all, %all : tensor<f32>
  lathe.assert %p, "all" : tensor<i1>
  %nu = lathe.sub %u, %du : tensor<64x64xf32>
  return %nu : tensor<64x64xf32>
}

// A chain of six products that is read at the end, and before it a value of 256 KB. Each value of the chain is as large as the one
// before, so that no single move lowers anything: the last one moves with what it needs.
// BEFORE-LABEL: func.func @chain
// BEFORE-SAME: lathe.workspace = #lathe.dim<294912>
// AFTER-LABEL: func.func @chain
// AFTER-SAME: lathe.workspace = #lathe.dim<278528>
func.func @chain(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<64x1024xf32>) -> tensor<64x64xf32> {
  %c0 = lathe.dot_general %y, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %c1 = lathe.dot_general %c0, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %c2 = lathe.dot_general %c1, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %c3 = lathe.dot_general %c2, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %c4 = lathe.dot_general %c3, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %c5 = lathe.dot_general %c4, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %a0 = lathe.dot_general %x, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %a1 = lathe.dot_general %a0, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %a2 = lathe.dot_general %a1, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %wide = lathe.dot_general %a2, %z contract [1] x [0] : tensor<64x64xf32>, tensor<64x1024xf32>
  %b0 = lathe.dot_general %wide, %z contract [1] x [1] : tensor<64x1024xf32>, tensor<64x1024xf32>
  %b1 = lathe.dot_general %b0, %x contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %b1, %c5 contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
