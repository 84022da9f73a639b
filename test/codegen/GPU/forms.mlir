// The form of each kind of kernel in PTX, and its lines of this file.
// RUN: lathec %s --target=cuda:sm_90 --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=OLD
// RUN: lathec %s --target=cuda:sm_90 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// OLD: .target sm_80
// CHECK: .target sm_90

// A thread for four neighbours, which come and go 16 bytes at a time.
// CHECK-LABEL: .visible .entry kernel_add_
// CHECK: .reqntid 128
// CHECK: .loc 1 [[#@LINE+11]]
// CHECK: mov.u32 {{.*}}%tid.x
// CHECK: mov.u32 {{.*}}%ctaid.x
// CHECK: ld.global.v4.b32
// CHECK: ld.global.v4.b32
// CHECK-COUNT-4: add.rn.f32
// CHECK: st.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: ret;
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_add_{{.*}} for sm_90: a thread for each 4 contiguous elements
func.func @pointwise(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = lathe.add %x, %y : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// A row's maximum and its sum go around the threads that share it.
// CHECK-LABEL: .visible .entry kernel_reduce_
// CHECK: ld.global.v4.b32
// CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
// CHECK-NOT: {{ld|st}}.global
// CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// CHECK: rcp.rn.f32
// CHECK-NOT: div.rn.f32
// CHECK: st.global.v4.b32
// EXPLAIN: remark: [kernels] kernel_reduce_{{.*}} for sm_90: 32 threads for each row
func.func @rows(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = lathe.std.softmax %x dim 1 : tensor<64x100xf32>
  return %0 : tensor<64x100xf32>
}

// Three products of tf32 for each of f32, in two pieces of the depth of 8, and four of eight columns a warp. Pieces are copied
// past the registers; while a step is multiplied the words of the next one come, of lhs by ldmatrix.
// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: .reqntid 256
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 2;
// CHECK-NEXT: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: cp.async.commit_group;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ld.shared.b32
// CHECK-COUNT-12: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: cp.async.wait_group 2;
// CHECK-NEXT: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-12: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
// CHECK: vote.sync.any.pred
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} for sm_90: tiles of 64 x 64 on tensor cores
func.func @product(%x: tensor<128x96xf32>, %y: tensor<96x64xf32>) -> tensor<128x64xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<128x96xf32>, tensor<96x64xf32>
  return %0 : tensor<128x64xf32>
}

// Halves are multiplied as they are in memory; those whose columns are neighbours are turned as they leave shared memory.
// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: cp.async.cg.shared.global
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @halves(%x: tensor<128x96xbf16>, %y: tensor<96x64xbf16>) -> tensor<128x64xbf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<128x96xbf16>, tensor<96x64xbf16>
  return %0 : tensor<128x64xbf16>
}

// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
func.func @doubles(%x: tensor<128x96xf64>, %y: tensor<96x64xf64>) -> tensor<128x64xf64> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<128x96xf64>, tensor<96x64xf64>
  return %0 : tensor<128x64xf64>
}

// A slice of a sequence begins where 16 bytes need not: elements come one by one.
// CHECK-LABEL: .visible .entry kernel_add_
// CHECK-NOT: .v4
// CHECK: ld.global.b32
// CHECK: ret;
func.func @slices(%x: tensor<5x6xf32>, %start: tensor<6xf32>) -> tensor<6xf32> {
  %last = lathe.scan carry(%s = %start : tensor<6xf32>) over(%row = %x : tensor<5x6xf32>) -> tensor<6xf32> {
    %next = lathe.add %s, %row : tensor<6xf32>
    lathe.yield carry(%next : tensor<6xf32>)
  }
  return %last : tensor<6xf32>
}

// RUN: lathec %s --target=cuda:sm_90 --math=fast --emit=ptx -o - | FileCheck %s --check-prefix=FAST
// FAST-LABEL: .visible .entry kernel_dot_general_
// FAST-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// FAST-NOT: mma.sync.aligned.m16n8k8
// FAST: mma.sync.aligned.m16n8k16
// RUN: %cuda lathe-run %s product --random --target=cuda:sm_90 --math=fast --check --rtol 2e-3 --atol 2e-2
