// Large products of halves on sm_90a: a thread copies boxes of both operands, two warp groups multiply them from shared memory.
// Sizes that no tile divides, named ones, operands with either dimension innermost, batches, what follows in the same kernel.
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: %cuda lathe-run %s whole --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s edges --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s wide --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s middle --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s parts --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 2e-1
// RUN: %cuda lathe-run %s rows --target=cuda:sm_90a --random --dim N=1 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s rows --target=cuda:sm_90a --random --dim N=128 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s rows --target=cuda:sm_90a --random --dim N=333 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s depth --target=cuda:sm_90a --random --dim N=1 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s depth --target=cuda:sm_90a --random --dim N=23 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s batches --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s turned --target=cuda:sm_90a --random --dim N=150 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s columns --target=cuda:sm_90a --random --dim N=77 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s branch --target=cuda:sm_90a --random --input p=1 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s branch --target=cuda:sm_90a --random --input p=0 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s layer --target=cuda:sm_90a --random --check --rtol 2e-2 --atol 1e-2

// Kernels that an architecture shares with others are compiled once; an object for both calls either.
// RUN: lathec %s --target=cuda:sm_90 --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: %cuda env LATHE_STANDIN_ARCH=90 lathe-run %s rows --target=cuda:sm_80,cuda:sm_90a --random --dim N=70 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda env LATHE_STANDIN_ARCH=80 lathe-run %s rows --target=cuda:sm_80,cuda:sm_90a --random --dim N=70 --check --rtol 1e-2 --atol 1e-2
// SHARED-NOT: warp groups

// The cubin of the portable target runs on that capability only, so it contains the kernels that need it.
// RUN: %if ptxas %{ lathec %s --target=cuda:sm_90 --ptxas=%ptxas -o %t.o --explain 2>&1 | FileCheck %s --check-prefix=CUBIN %}
// CUBIN-DAG: for sm_90a: tiles of 128 x 256 by warp groups
// CUBIN-DAG: for sm_90: tiles of 128 x 128 on tensor cores

// CHECK: .target sm_90a
// CHECK: .extern .shared .align 1024 .b8 lathe_shared[]
// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: .param .align 128 .b8 {{.*}}_param_0[384]
// CHECK: .reqntid 384
// CHECK: .reg .f32 lathe_sum<32>;
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: fence.mbarrier_init.release.cluster
// CHECK: bar.sync
// CHECK: setmaxnreg.dec.sync.aligned.u32 40
// CHECK: setmaxnreg.inc.sync.aligned.u32 232
// CHECK: mbarrier.try_wait.parity
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, lhs, rhs, 1, 1, 1, 0, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: mbarrier.arrive.shared::cta.b64
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: st.shared.v2
// CHECK: ld.shared.v4
// CHECK-COUNT-4: cvt.rn.bf16x2.f32
// CHECK: st.global.v4
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 {{.*}}
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 128 x 64 by warp groups, blocks of 384 threads
func.func @whole(%x: tensor<256x640xbf16>, %y: tensor<640x256xbf16>) -> tensor<256x256xbf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<256x640xbf16>, tensor<640x256xbf16>
  return %0 : tensor<256x256xbf16>
}

// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @edges(%x: tensor<72x200xbf16>, %y: tensor<72x264xbf16>) -> tensor<200x264xf32> {
  %0 = lathe.convert %x to f32 : tensor<72x200xbf16>
  %1 = lathe.convert %y to f32 : tensor<72x264xbf16>
  %2 = lathe.dot_general %0, %1 contract [0] x [0] : tensor<72x200xf32>, tensor<72x264xf32>
  return %2 : tensor<200x264xf32>
}

// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} tiles of 128 x 256 by warp groups
func.func @wide(%x: tensor<44x300x72xbf16>, %y: tensor<44x72x200xbf16>) -> tensor<44x300x200xbf16> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<44x300x72xbf16>, tensor<44x72x200xbf16>
  return %0 : tensor<44x300x200xbf16>
}

// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} tiles of 128 x 128 by warp groups
func.func @middle(%x: tensor<25x72x304xbf16>, %y: tensor<25x72x104xbf16>) -> tensor<25x304x104xbf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] batch [0] x [0] : tensor<25x72x304xbf16>, tensor<25x72x104xbf16>
  return %0 : tensor<25x304x104xbf16>
}

// Split-K: with few tiles and a long depth, blocks divide the depth; a second kernel adds their sums and runs the epilogue.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} tiles of 128 x 64 by warp groups in 3 parts of the depth
func.func @parts(%x: tensor<3112x128xbf16>, %y: tensor<3112x72xbf16>, %b: tensor<72xbf16>) -> tensor<128x72xbf16> {
  %0 = lathe.dot_general %x, %y contract [0] x [0] : tensor<3112x128xbf16>, tensor<3112x72xbf16>
  %1 = lathe.broadcast %b dims [1] to [128, 72] : tensor<72xbf16>
  %2 = lathe.add %0, %1 : tensor<128x72xbf16>
  return %2 : tensor<128x72xbf16>
}

// Rows of named size, of two dimensions.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @rows(%x: tensor<?x3x136xbf16> {lathe.dims = #lathe.dims<N>}, %y: tensor<136x130xbf16>, %z: tensor<136x128xbf16>)
    -> (tensor<?x3x128xbf16>, tensor<?x3x130xbf16>) {
  %0 = lathe.dot_general %x, %z contract [2] x [0] : tensor<?x3x136xbf16>, tensor<136x128xbf16>
  // The rows of %y are not a multiple of 16 bytes.
  // EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} on tensor cores
  %1 = lathe.dot_general %x, %y contract [2] x [0] : tensor<?x3x136xbf16>, tensor<136x130xbf16>
  return %0, %1 : tensor<?x3x128xbf16>, tensor<?x3x130xbf16>
}

// The gradient of weights: a sum over all that has a named size.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @depth(%x: tensor<?x24x1096xbf16> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x24x1032xbf16> {lathe.dims = #lathe.dims<N>})
    -> tensor<1096x1032xbf16> {
  %0 = lathe.dot_general %x, %y contract [0, 1] x [0, 1] : tensor<?x24x1096xbf16>, tensor<?x24x1032xbf16>
  return %0 : tensor<1096x1032xbf16>
}

// Heads that lie between a sequence and its elements.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @batches(%x: tensor<3x2x72x80xbf16>, %y: tensor<3x80x2x96xbf16>) -> tensor<3x2x72x96xbf16> {
  %0 = lathe.dot_general %x, %y contract [3] x [1] batch [0, 1] x [0, 2] : tensor<3x2x72x80xbf16>, tensor<3x80x2x96xbf16>
  return %0 : tensor<3x2x72x96xbf16>
}

// Weights whose rows are the result's columns, and what a product gave as an operand of the next one.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @turned(%x: tensor<?x136xf16> {lathe.dims = #lathe.dims<N>}, %y: tensor<264x136xf16>, %z: tensor<72x264xf16>)
    -> tensor<?x72xf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] : tensor<?x136xf16>, tensor<264x136xf16>
  %1 = lathe.dot_general %0, %z contract [1] x [1] : tensor<?x264xf16>, tensor<72x264xf16>
  return %1 : tensor<?x72xf16>
}

// Elements one by one, where nobody knows that rows are aligned.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @columns(%x: tensor<100x136xf16>, %y: tensor<?x136xf16> {lathe.dims = #lathe.dims<N>}) -> tensor<100x?xf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] : tensor<100x136xf16>, tensor<?x136xf16>
  return %0 : tensor<100x?xf16>
}

// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @layer(%x: tensor<200x136xbf16>, %y: tensor<136x264xbf16>, %b: tensor<264xbf16>) -> tensor<200x264xbf16> {
  %0 = lathe.std.linear %x, %y bias %b : tensor<200x136xbf16>, tensor<136x264xbf16>, tensor<264xbf16>
  %1 = lathe.std.gelu %0 : tensor<200x264xbf16>
  return %1 : tensor<200x264xbf16>
}

// In a branch, whose predicate each block looks at first.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @branch(%x: tensor<72x136xbf16>, %y: tensor<136x136xbf16>, %p: tensor<i1>) -> tensor<72x136xbf16> {
  %0 = lathe.if %p -> (tensor<72x136xbf16>) {
    %1 = lathe.dot_general %x, %y contract [1] x [0] : tensor<72x136xbf16>, tensor<136x136xbf16>
    lathe.yield %1 : tensor<72x136xbf16>
  } else {
    lathe.yield %x : tensor<72x136xbf16>
  }
  return %0 : tensor<72x136xbf16>
}
