// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-recompute="bytes=33024 offload=true" --mlir-print-op-on-diagnostic=false | FileCheck %s
// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-recompute="bytes=33024 offload=true" --lathe-plan --lathe-verify-plan | FileCheck %s --check-prefix=PLAN

// An external function never runs twice. Its result, 16384 bytes, moves away behind the first product, which is its last early
// reader, and back before the last one. While the second product runs, two values are live.
// CHECK-LABEL: func.func @called
// CHECK-SAME: attributes {lathe.cold_workspace = #lathe.dim<0>}
// CHECK: %[[E:.*]] = lathe.kernel
// CHECK-NEXT: lathe.extern
// CHECK: %[[P:.*]] = lathe.kernel({{.*}} = %[[E]] : tensor<64x64xf32>, {{.*}})
// CHECK-NEXT: lathe.dot_general
// CHECK: %[[AWAY:.*]] = lathe.kernel(%[[A:.*]] = %[[E]] : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {lathe.cold, lathe.copy_for = "--offload"}
// CHECK-NEXT: lathe.stop_gradient %[[A]]
// CHECK: %[[Q:.*]] = lathe.kernel({{.*}} = %[[P]] : tensor<64x64xf32>, {{.*}})
// CHECK-NEXT: lathe.dot_general
// CHECK: %[[BACK:.*]] = lathe.kernel({{.*}} = %[[AWAY]] : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {lathe.copy_for = "--offload"}
// CHECK: lathe.kernel({{.*}} = %[[BACK]] : tensor<64x64xf32>, {{.*}} = %[[Q]] : tensor<64x64xf32>)
// PLAN-LABEL: func.func @called
// PLAN-SAME: lathe.cold_workspace = #lathe.dim<16384>, lathe.workspace = #lathe.dim<32768>
// PLAN: lathe.buffers = [#lathe.buffer<cold 0 at <0>>], lathe.cold,
// PLAN-NOT: #lathe.buffer<cold
func.func @called(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = lathe.extern @outside(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = lathe.dot_general %e, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %e, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// The value is read a third time, behind another large live set. It is copied away once and back twice, whichever set comes first
// (the second one is larger by %r). External functions keep their order.
// CHECK-LABEL: func.func @twice
// CHECK: %[[AWAY:.*]] = lathe.kernel({{.*}}) -> tensor<64x64xf32> attributes {lathe.cold,
// CHECK: lathe.kernel({{.*}} = %[[AWAY]] : tensor<64x64xf32>)
// CHECK-NOT: lathe.cold
// CHECK: lathe.kernel({{.*}} = %[[AWAY]] : tensor<64x64xf32>)
// CHECK-NOT: lathe.cold
// CHECK: return
// PLAN-LABEL: func.func @twice
// PLAN-SAME: lathe.cold_workspace = #lathe.dim<16384>
func.func @twice(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<f32> {
  %e = lathe.extern @outside(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = lathe.extern @outside(%e) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = lathe.extern @outside(%p) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = lathe.extern @meet(%e, %q) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<f32>
  %s = lathe.extern @outside(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = lathe.extern @outside(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %u = lathe.extern @meet(%e, %t) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<f32>
  %sum = lathe.add %r, %u : tensor<f32>
  return %sum : tensor<f32>
}

// Two values that are not away at the same time share the cold workspace.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: attributes {lathe.cold,
// PLAN-LABEL: func.func @shared
// PLAN-SAME: lathe.cold_workspace = #lathe.dim<16384>
func.func @shared(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<f32> {
  %e = lathe.extern @outside(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = lathe.extern @outside(%e) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = lathe.extern @outside(%p) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = lathe.extern @meet(%e, %q) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<f32>
  %f = lathe.extern @outside(%y) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = lathe.extern @outside(%f) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = lathe.extern @outside(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %u = lathe.extern @meet(%f, %t) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<f32>
  %sum = lathe.add %r, %u : tensor<f32>
  return %sum : tensor<f32>
}

// What takes less time to compute again than to copy twice does not move.
// CHECK-LABEL: func.func @cheap
// CHECK-NOT: lathe.cold,
// CHECK: return
func.func @cheap(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = lathe.max %x, %y : tensor<64x64xf32>
  %p = lathe.dot_general %e, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %e, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// A loop does not run again, but its result moves.
// CHECK-LABEL: func.func @loop
// CHECK: %[[L:.*]] = lathe.scan
// CHECK: lathe.kernel({{.*}} = %[[L]] : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {lathe.cold,
func.func @loop(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<3x64x64xf32>) -> tensor<64x64xf32> {
  %l = lathe.scan carry(%c = %x : tensor<64x64xf32>) over(%b = %z : tensor<3x64x64xf32>) -> tensor<64x64xf32> {
    %n = lathe.max %b, %c : tensor<64x64xf32>
    lathe.yield carry(%n : tensor<64x64xf32>)
  }
  %p = lathe.dot_general %l, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %l, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
