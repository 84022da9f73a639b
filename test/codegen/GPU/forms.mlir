// The form of each kind of kernel in PTX, and its lines of this file.
// RUN: lathec %s --target=cuda:sm_90 --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=OLD
// RUN: lathec %s --target=cuda:sm_90 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// OLD: .target sm_80
// CHECK: .target sm_90

// A thread a point: one comparison with the number of points, a sum and nothing else in between.
// CHECK-LABEL: .visible .entry kernel_add_
// CHECK-SAME: (
// CHECK: .reqntid 128
// CHECK: mov.u32 {{.*}}%tid.x
// CHECK: mov.u32 {{.*}}%ctaid.x
// CHECK: ld.global
// CHECK: add.rn.f32
// CHECK: st.global
// CHECK: .loc {{[0-9]+}} [[#@LINE+3]]
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_add_{{.*}} for sm_90: a thread for each point
func.func @pointwise(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = lathe.add %x, %y : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// A row's maximum and its sum go around the threads that share it.
// EXPLAIN: remark: [kernels] kernel_reduce_{{.*}} for sm_90: 32 threads for each row
func.func @rows(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = lathe.std.softmax %x dim 1 : tensor<64x100xf32>
  return %0 : tensor<64x100xf32>
}

// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} for sm_90: tiles of 64 x 64 on tensor cores
func.func @product(%x: tensor<128x96xf32>, %y: tensor<96x64xf32>) -> tensor<128x64xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<128x96xf32>, tensor<96x64xf32>
  return %0 : tensor<128x64xf32>
}
