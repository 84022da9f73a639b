// Products of f32 on sm_90a without --math=fast: each factor as two parts of tf32, of which three products are made, small ones
// first. lhs comes through registers, whichever way it lies; rhs is written to shared memory once more in two parts. What a piece of
// the depth gives is added by an addition that rounds. What is not finite is made once more.
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: %cuda lathe-run %s rows --target=cuda:sm_90a --random --dim N=77 --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s whole --target=cuda:sm_90a --random --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s edges --target=cuda:sm_90a --random --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s depth --target=cuda:sm_90a --random --dim N=1 --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s depth --target=cuda:sm_90a --random --dim N=3 --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s heads --target=cuda:sm_90a --random --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s middle --target=cuda:sm_90a --random --check --rtol 1e-5 --atol 2e-5
// RUN: %cuda lathe-run %s parts --target=cuda:sm_90a --random --check --rtol 1e-5 --atol 1e-4
// RUN: %cuda lathe-run %s parts --target=cuda:sm_90a --input x=1e38 --input y=1e38 --check
// RUN: %cuda lathe-run %s layer --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --input x=-1 --input y=2 --check
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --input x=1e38 --input y=1e38 --check
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --input x=3.4028e38 --input y=0 --check
// RUN: %cuda lathe-run %s small_nan --target=cuda:sm_90a --input x=2139095041 --input y=2 --check
// RUN: %cuda lathe-run %s long --random --target=cuda:sm_90a --expect off=0 --atol 1.5e-6

// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: .reqntid 384
// CHECK: .reg .f32 lathe_sum<32>;
// CHECK: .reg .f32 lathe_total<32>;
// CHECK: setmaxnreg.inc.sync.aligned.u32 232
// CHECK: mbarrier.try_wait.parity
// CHECK: st.shared.v4
// CHECK: bar.warp.sync
// CHECK: mbarrier.arrive.shared::cta.b64
// CHECK: fence.proxy.async.shared::cta
// CHECK: barrier.cta.sync 1, 256
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-32: add.rn.f32 lathe_total
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, rhs, 0, 1, 1;
// CHECK-COUNT-11: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, rhs, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: vote.sync.any
// CHECK-LABEL: .visible .entry kernel_dot_general_
// EXPLAIN: [[#@LINE+3]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of {{.*}} by warp groups, blocks of 384 threads
func.func @rows(%x: tensor<?x100xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<100x192xf32>, %b: tensor<192xf32>)
    -> tensor<?x192xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x100xf32>, tensor<100x192xf32>
  %1 = lathe.broadcast %b dims [1] to [N, 192] : tensor<192xf32>
  %2 = lathe.add %0, %1 : tensor<?x192xf32>
  return %2 : tensor<?x192xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @whole(%x: tensor<256x640xf32>, %y: tensor<256x640xf32>) -> tensor<256x256xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] : tensor<256x640xf32>, tensor<256x640xf32>
  return %0 : tensor<256x256xf32>
}

// Rows of lhs are neighbours.
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @edges(%x: tensor<3x76x200xf32>, %y: tensor<3x1300x76xf32>) -> tensor<3x200x1300xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [2] batch [0] x [0] : tensor<3x76x200xf32>, tensor<3x1300x76xf32>
  return %0 : tensor<3x200x1300xf32>
}

// The gradient of weights, of a depth that is known when it runs.
// EXPLAIN: [[#@LINE+3]]:8: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @depth(%x: tensor<?x24x1096xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x24x1032xf32> {lathe.dims = #lathe.dims<N>})
    -> tensor<1096x1032xf32> {
  %0 = lathe.dot_general %x, %y contract [0, 1] x [0, 1] : tensor<?x24x1096xf32>, tensor<?x24x1032xf32>
  return %0 : tensor<1096x1032xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @heads(%x: tensor<3x2x72x80xf32>, %y: tensor<3x80x2x96xf32>) -> tensor<3x2x72x96xf32> {
  %0 = lathe.dot_general %x, %y contract [3] x [1] batch [0, 1] x [0, 2] : tensor<3x2x72x80xf32>, tensor<3x80x2x96xf32>
  return %0 : tensor<3x2x72x96xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} tiles of 128 x 128 by warp groups
func.func @middle(%x: tensor<25x300x72xf32>, %y: tensor<25x72x104xf32>) -> tensor<25x300x104xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<25x300x72xf32>, tensor<25x72x104xf32>
  return %0 : tensor<25x300x104xf32>
}

// Results that are not finite are computed again after the parts have been added.
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} tiles of 128 x 64 by warp groups in 3 parts of the depth
func.func @parts(%x: tensor<128x3076xf32>, %y: tensor<3076x72xf32>) -> tensor<128x72xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<128x3076xf32>, tensor<3076x72xf32>
  return %0 : tensor<128x72xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @layer(%x: tensor<200x136xf32>, %y: tensor<136x264xf32>, %b: tensor<264xf32>) -> tensor<200x264xbf16> {
  %0 = lathe.std.linear %x, %y bias %b : tensor<200x136xf32>, tensor<136x264xf32>, tensor<264xf32>
  %1 = lathe.std.gelu %0 : tensor<200x264xf32>
  %2 = lathe.convert %1 to bf16 : tensor<200x264xf32>
  return %2 : tensor<200x264xbf16>
}

func.func @beyond(%x: tensor<128x640xf32>, %y: tensor<640x256xf32>) -> (tensor<128x256xf32>, tensor<128x640xf32>) {
  %0 = lathe.sqrt %x : tensor<128x640xf32>
  %1 = lathe.dot_general %0, %y contract [1] x [0] : tensor<128x640xf32>, tensor<640x256xf32>
  return %1, %0 : tensor<128x256xf32>, tensor<128x640xf32>
}

// A NaN whose first 11 bits are those of infinity: 0x7F800001.
func.func @small_nan(%x: tensor<128x640xi32>, %y: tensor<256x640xf32>) -> (tensor<128x256xf32>, tensor<128x640xf32>) {
  %0 = lathe.bitcast %x to f32 : tensor<128x640xi32>
  %1 = lathe.dot_general %0, %y contract [1] x [1] : tensor<128x640xf32>, tensor<256x640xf32>
  return %1, %0 : tensor<128x256xf32>, tensor<128x640xf32>
}

// The largest difference from f64, of the largest result: tensor cores cut off what does not fit behind a sum.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} by warp groups
func.func @long(%x: tensor<128x2000xf32>, %y: tensor<2000x64xf32>) -> (tensor<f64> {lathe.name = "off"}) {
  %a = lathe.abs %x : tensor<128x2000xf32>
  %b = lathe.abs %y : tensor<2000x64xf32>
  %r = lathe.dot_general %a, %b contract [1] x [0] : tensor<128x2000xf32>, tensor<2000x64xf32>
  %c = lathe.convert %a to f64 : tensor<128x2000xf32>
  %d = lathe.convert %b to f64 : tensor<2000x64xf32>
  %w = lathe.dot_general %c, %d contract [1] x [0] : tensor<128x2000xf64>, tensor<2000x64xf64>
  %s = lathe.convert %r to f64 : tensor<128x64xf32>
  %off = lathe.sub %s, %w : tensor<128x64xf64>
  %size = lathe.abs %off : tensor<128x64xf64>
  %most = lathe.reduce max %size dims [0, 1] : tensor<128x64xf64>
  %largest = lathe.reduce max %w dims [0, 1] : tensor<128x64xf64>
  %error = lathe.div %most, %largest : tensor<f64>
  return %error : tensor<f64>
}
