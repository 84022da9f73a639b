// Products of f32 as tf32 on sm_90a, which --math=fast allows: wgmma reads words whose depth lies inside as they are. Where one
// operand has it outside, that one is rounded in registers, if need be with both operands changing places; where both have, one is
// turned in shared memory. What is not finite is made once more.
// RUN: lathec %s --target=cuda:sm_90a --math=fast --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90a --math=fast --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: %cuda lathe-run %s whole --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 4e-2
// RUN: %cuda lathe-run %s edges --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s rows --target=cuda:sm_90a --math=fast --random --dim N=77 --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s right --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s left --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s both --target=cuda:sm_90a --math=fast --random --dim N=1 --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s both --target=cuda:sm_90a --math=fast --random --dim N=3 --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s layer --target=cuda:sm_90a --math=fast --random --dim N=300 --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s wide --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s wide_both --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s parts --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 6e-2
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --math=fast --input x=-1 --input y=2 --check
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --math=fast --input x=1e38 --input y=1e38 --check
// RUN: %cuda lathe-run %s small_nan --target=cuda:sm_90a --math=fast --input x=2139095041 --input y=2 --check

// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: .reqntid 384
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, lhs, rhs, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: vote.sync.any
// CHECK: cp.async.bulk.tensor.2d
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 128 x 64 by warp groups, blocks of 384 threads
func.func @whole(%x: tensor<256x640xf32>, %y: tensor<256x640xf32>) -> tensor<256x256xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] : tensor<256x640xf32>, tensor<256x640xf32>
  return %0 : tensor<256x256xf32>
}

func.func @edges(%x: tensor<3x200x76xf32>, %y: tensor<3x1300x76xf32>) -> tensor<3x200x1300xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [2] batch [0] x [0] : tensor<3x200x76xf32>, tensor<3x1300x76xf32>
  return %0 : tensor<3x200x1300xf32>
}

// The epilogue is computed from the sums.
func.func @rows(%x: tensor<?x128xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<192x128xf32>, %b: tensor<192xf32>) -> tensor<?x192xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [1] : tensor<?x128xf32>, tensor<192x128xf32>
  %1 = lathe.broadcast %b dims [1] to [N, 192] : tensor<192xf32>
  %2 = lathe.add %0, %1 : tensor<?x192xf32>
  return %2 : tensor<?x192xf32>
}

// Four words of a lane and a descriptor.
// CHECK: .reqntid 384
// CHECK: ld.shared.b32
// CHECK: bar.warp.sync
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, rhs, 1, 1, 1;
// CHECK: wgmma.wait_group.sync.aligned 1
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 64 x 128 by warp groups
func.func @right(%x: tensor<250x652xf32>, %y: tensor<652x252xf32>) -> tensor<250x252xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<250x652xf32>, tensor<652x252xf32>
  return %0 : tensor<250x252xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 128 x 64 by warp groups
func.func @left(%x: tensor<2x652x248xf32>, %y: tensor<2x264x652xf32>) -> tensor<2x248x264xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [2] batch [0] x [0] : tensor<2x652x248xf32>, tensor<2x264x652xf32>
  return %0 : tensor<2x248x264xf32>
}

// The gradient of weights, of a depth that is known when it runs. What threads write tensor cores read when all have met.
// CHECK: st.shared.v4
// CHECK: mbarrier.arrive.shared::cta.b64
// CHECK: fence.proxy.async.shared::cta
// CHECK: barrier.cta.sync 1, 256
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: wgmma.fence.sync.aligned
// EXPLAIN: [[#@LINE+3]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 128 x 128 by warp groups
func.func @both(%x: tensor<?x24x1096xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x24x1032xf32> {lathe.dims = #lathe.dims<N>})
    -> tensor<1096x1032xf32> {
  %0 = lathe.dot_general %x, %y contract [0, 1] x [0, 1] : tensor<?x24x1096xf32>, tensor<?x24x1032xf32>
  return %0 : tensor<1096x1032xf32>
}

// Turned results in vectors of the narrowest type that is stored, and what is fused with them.
// EXPLAIN: [[#@LINE+3]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of {{.*}} by warp groups
func.func @layer(%x: tensor<?x136xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<136x264xf32>, %b: tensor<264xf32>)
    -> (tensor<?x264xbf16>, tensor<?x264xi1>) {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<?x136xf32>, tensor<136x264xf32>
  %1 = lathe.broadcast %b dims [1] to [N, 264] : tensor<264xf32>
  %2 = lathe.add %0, %1 : tensor<?x264xf32>
  %3 = lathe.convert %2 to bf16 : tensor<?x264xf32>
  %4 = lathe.is_finite %2 : tensor<?x264xf32>
  return %3, %4 : tensor<?x264xbf16>, tensor<?x264xi1>
}

// CHECK: wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 256 x 128 by warp groups
func.func @wide(%x: tensor<44x200x72xf32>, %y: tensor<44x72x300xf32>) -> tensor<44x200x300xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<44x200x72xf32>, tensor<44x72x300xf32>
  return %0 : tensor<44x200x300xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 128 x 256 by warp groups
func.func @wide_both(%x: tensor<44x72x300xf32>, %y: tensor<44x72x200xf32>) -> tensor<44x300x200xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] batch [0] x [0] : tensor<44x72x300xf32>, tensor<44x72x200xf32>
  return %0 : tensor<44x300x200xf32>
}

// A part of the depth at its end has fewer pieces.
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 64 x 128 by warp groups in 3 parts of the depth
func.func @parts(%x: tensor<72x3076xf32>, %y: tensor<3076x128xf32>) -> tensor<72x128xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<72x3076xf32>, tensor<3076x128xf32>
  return %0 : tensor<72x128xf32>
}

func.func @beyond(%x: tensor<128x640xf32>, %y: tensor<256x640xf32>) -> (tensor<128x256xf32>, tensor<128x640xf32>) {
  %0 = lathe.sqrt %x : tensor<128x640xf32>
  %1 = lathe.dot_general %0, %y contract [1] x [1] : tensor<128x640xf32>, tensor<256x640xf32>
  return %1, %0 : tensor<128x256xf32>, tensor<128x640xf32>
}

// A NaN whose first 11 bits are those of infinity: 0x7F800001.
func.func @small_nan(%x: tensor<128x640xi32>, %y: tensor<256x640xf32>) -> (tensor<128x256xf32>, tensor<128x640xf32>) {
  %0 = lathe.bitcast %x to f32 : tensor<128x640xi32>
  %1 = lathe.dot_general %0, %y contract [1] x [1] : tensor<128x640xf32>, tensor<256x640xf32>
  return %1, %0 : tensor<128x256xf32>, tensor<128x640xf32>
}
