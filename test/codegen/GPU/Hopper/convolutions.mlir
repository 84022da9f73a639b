// Convolutions and their derivatives on sm_90a: rows, or the depth of a filter's gradient, are boxes of an image, of which a thread
// copies those of each tap; what lies outside comes as zeros. Odd images, steps, padding of all kinds, taps apart, numbers of
// channels that no run divides, batches of named size, one to three dimensions, what follows in the same kernel.
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: lathec %s --target=cuda:sm_90a --math=fast --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %cuda lathe-run %s same --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 5e-2
// RUN: %cuda lathe-run %s strided --target=cuda:sm_90a --random --dim N=1 --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s strided --target=cuda:sm_90a --random --dim N=3 --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s dilated --target=cuda:sm_90a --random --check --rtol 1e-4 --atol 1e-4
// RUN: %cuda lathe-run %s shortcut --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s input_gradient --target=cuda:sm_90a --random --dim N=2 --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s filter_gradient --target=cuda:sm_90a --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: %cuda lathe-run %s filter_gradient --target=cuda:sm_90a --random --dim N=5 --check --rtol 1e-4 --atol 1e-4
// RUN: %cuda lathe-run %s parts --target=cuda:sm_90a --random --check --rtol 1e-4 --atol 2e-3
// RUN: %cuda lathe-run %s line --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s volume --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 5e-2
// RUN: %cuda lathe-run %s singles --target=cuda:sm_90a --random --check --rtol 2e-5 --atol 2e-4
// RUN: %cuda lathe-run %s singles --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 4e-2
// RUN: %cuda lathe-run %s spread --target=cuda:sm_90a --random --dim N=2 --check --rtol 1e-2 --atol 2e-2
// RUN: %cuda lathe-run %s phases --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 3e-2
// RUN: %cuda lathe-run %s apart --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 5e-2
// RUN: %cuda lathe-run %s others --target=cuda:sm_90a --random --check --rtol 1e-2 --atol 5e-2

// Padding is left out, not multiplied: what is infinite there is none of the sum. So is what a box has beyond the depth.
// RUN: %cuda lathe-run %s same --target=cuda:sm_90a --input x=1 --input w=inf --check
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --input x=inf --input dy=1 --check
// RUN: %cuda lathe-run %s spread --target=cuda:sm_90a --input dy=1 --input w=1 --input v=1 --input x=inf --dim N=1 --check

// A map has as many dimensions as the tensor, the sums are those of products.
// CHECK-LABEL: .visible .entry kernel_conv_
// CHECK: .param .align 128 .b8 {{.*}}_param_0[384]
// CHECK: .reqntid 384
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, lhs, rhs, 1, 1, 1, 0, 1;
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: vote.sync.any
// CHECK-COUNT-2: cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK-NOT: cp.async.bulk.tensor
// CHECK-LABEL: .visible .entry kernel_conv_

// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_conv_{{.*}} for sm_90a: tiles of 128 (1 x 8 x 16) x 64 by warp groups, blocks of 384 threads
func.func @same(%x: tensor<2x15x14x120xbf16>, %w: tensor<3x3x120x72xbf16>) -> tensor<2x15x14x72xbf16> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<2x15x14x120xbf16>, tensor<3x3x120x72xbf16>
  return %0 : tensor<2x15x14x72xbf16>
}

// Steps through the image, of a batch that is known when it runs, and what follows in the same kernel.
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (1 x 16 x 8) x 128 by warp groups
func.func @strided(%x: tensor<?x45x17x64xf16> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x64x136xf16>, %b: tensor<136xf16>)
    -> tensor<?x23x8x136xf16> {
  %0 = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 0]] : tensor<?x45x17x64xf16>, tensor<3x3x64x136xf16>
  %1 = lathe.broadcast %b dims [3] to [N, 23, 8, 136] : tensor<136xf16>
  %2 = lathe.add %0, %1 : tensor<?x23x8x136xf16>
  %3 = lathe.std.relu %2 : tensor<?x23x8x136xf16>
  return %3 : tensor<?x23x8x136xf16>
}

// Taps apart, a side that is cut, padding wider than the filter.
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (2 x 2 x 32) x 64 by warp groups
func.func @dilated(%x: tensor<2x16x19x64xbf16>, %w: tensor<3x2x64x64xbf16>) -> tensor<2x14x28x64xf32> {
  %0 = lathe.convert %x to f32 : tensor<2x16x19x64xbf16>
  %1 = lathe.convert %w to f32 : tensor<3x2x64x64xbf16>
  %2 = lathe.conv %0, %1 stride [1, 1] pad [[-1, 3], [7, 5]] dilation [2, 3] : tensor<2x16x19x64xf32>, tensor<3x2x64x64xf32>
  return %2 : tensor<2x14x28x64xf32>
}

// One tap: only because of the strides the positions are not rows of a matrix.
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (1 x 8 x 16) x 64 by warp groups
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 x 64 by warp groups
func.func @shortcut(%x: tensor<2x22x46x128xbf16>, %w: tensor<1x1x128x64xbf16>, %v: tensor<1x1x128x72xbf16>)
    -> (tensor<2x8x16x64xbf16>, tensor<2x22x46x72xbf16>) {
  %0 = lathe.conv %x, %w stride [3, 3] pad valid : tensor<2x22x46x128xbf16>, tensor<1x1x128x64xbf16>
  %1 = lathe.conv %x, %v stride [1, 1] pad valid : tensor<2x22x46x128xbf16>, tensor<1x1x128x72xbf16>
  return %0, %1 : tensor<2x8x16x64xbf16>, tensor<2x22x46x72xbf16>
}

// Taps the other way round, and the filter with its depth inside.
// EXPLAIN: remark: [kernels] kernel_conv_input_grad_{{.*}} tiles of 128 (1 x 8 x 16) x 64 by warp groups
func.func @input_gradient(%dy: tensor<?x13x15x64xf16> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x4x72x64xf16>) -> tensor<?x15x16x72xf16> {
  %0 = lathe.conv_input_grad %dy, %w input [15, 16] stride [1, 1] pad [[0, 0], [1, 1]] : tensor<?x13x15x64xf16>, tensor<3x4x72x64xf16>
  return %0 : tensor<?x15x16x72xf16>
}

// The depth is points of images, the rows are taps and channels.
// EXPLAIN: remark: [kernels] kernel_conv_filter_grad_{{.*}} tiles of 128 (1 x 2 x 64) x 64 by warp groups
func.func @filter_gradient(%x: tensor<?x8x15x64xbf16> {lathe.dims = #lathe.dims<N>}, %dy: tensor<?x8x8x72xbf16> {lathe.dims = #lathe.dims<N>})
    -> tensor<3x2x64x72xf32> {
  %0 = lathe.convert %x to f32 : tensor<?x8x15x64xbf16>
  %1 = lathe.convert %dy to f32 : tensor<?x8x8x72xbf16>
  %2 = lathe.conv_filter_grad %0, %1 filter [3, 2] stride [1, 2] pad [[1, 1], [1, 0]] : tensor<?x8x15x64xf32>, tensor<?x8x8x72xf32>
  return %2 : tensor<3x2x64x72xf32>
}

// EXPLAIN: remark: [kernels] kernel_conv_filter_grad_{{.*}} tiles of 128 (2 x 64) x 64 by warp groups in 4 parts of the depth
func.func @parts(%x: tensor<19x15x16x64xf16>, %dy: tensor<19x15x16x64xf16>, %w: tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32> {
  %0 = lathe.convert %x to f32 : tensor<19x15x16x64xf16>
  %1 = lathe.convert %dy to f32 : tensor<19x15x16x64xf16>
  %2 = lathe.conv_filter_grad %0, %1 filter [1, 2] stride [1, 1] pad [[0, 0], [1, 0]] : tensor<19x15x16x64xf32>, tensor<19x15x16x64xf32>
  %3 = lathe.add %w, %2 : tensor<1x2x64x64xf32>
  return %3 : tensor<1x2x64x64xf32>
}

// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (1 x 128) x 64 by warp groups
func.func @line(%x: tensor<3x250x64xbf16>, %w: tensor<5x64x64xbf16>) -> tensor<3x125x64xbf16> {
  %0 = lathe.conv %x, %w stride [2] pad same : tensor<3x250x64xbf16>, tensor<5x64x64xbf16>
  return %0 : tensor<3x125x64xbf16>
}

// All dimensions that a map can have.
// CHECK: cp.async.bulk.tensor.5d
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (2 x 1 x 8 x 8) x 64 by warp groups
func.func @volume(%x: tensor<2x3x8x7x64xbf16>, %w: tensor<3x2x3x64x64xbf16>) -> tensor<2x3x8x7x64xbf16> {
  %0 = lathe.conv %x, %w stride [1, 1, 1] pad same : tensor<2x3x8x7x64xbf16>, tensor<3x2x3x64x64xbf16>
  return %0 : tensor<2x3x8x7x64xbf16>
}

// CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (1 x 8 x 16) x 64 by warp groups
// EXPLAIN: remark: [kernels] kernel_conv_input_grad_{{.*}} tiles of 128 (1 x 8 x 16) x 64 by warp groups
// EXPLAIN: remark: [kernels] kernel_conv_filter_grad_{{.*}} tiles of 128 (1 x 1 x 128) x 64 by warp groups
// FAST: remark: [kernels] kernel_conv_{{.*}} tiles of 64 (2 x 16 x 2) x 128 by warp groups
func.func @singles(%x: tensor<2x15x14x92xf32>, %w: tensor<3x3x92x72xf32>, %dy: tensor<2x15x14x72xf32>)
    -> (tensor<2x15x14x72xf32>, tensor<2x15x14x92xf32>, tensor<3x3x92x72xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<2x15x14x92xf32>, tensor<3x3x92x72xf32>
  %1 = lathe.conv_input_grad %dy, %w input [15, 14] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x15x14x72xf32>, tensor<3x3x92x72xf32>
  %2 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x15x14x92xf32>, tensor<2x15x14x72xf32>
  return %0, %1, %2 : tensor<2x15x14x72xf32>, tensor<2x15x14x92xf32>, tensor<3x3x92x72xf32>
}

// The last column of points is cut: a box of gradients goes beyond it, one of the image does not.
// EXPLAIN: remark: [kernels] kernel_conv_filter_grad_{{.*}} tiles of 128 x 64 by warp groups
func.func @beyond(%x: tensor<2x8x16x128xf16>, %dy: tensor<2x8x15x64xf16>) -> tensor<1x1x128x64xf16> {
  %0 = lathe.conv_filter_grad %x, %dy filter [1, 1] stride [1, 1] pad [[0, 0], [0, -1]] : tensor<2x8x16x128xf16>, tensor<2x8x15x64xf16>
  return %0 : tensor<1x1x128x64xf16>
}

// A product whose rows, and whose depth, are not a single dimension of its operands.
// EXPLAIN: remark: [kernels] kernel_dot_general_{{.*}} tiles of 128 (16 x 8) x 64 by warp groups
func.func @apart(%x: tensor<70x5x8x64xbf16>, %y: tensor<64x5x72xbf16>) -> tensor<70x8x72xbf16> {
  %0 = lathe.dot_general %x, %y contract [1, 3] x [1, 0] : tensor<70x5x8x64xbf16>, tensor<64x5x72xbf16>
  return %0 : tensor<70x8x72xbf16>
}

// Only every second or third place of these meets a tap: each phase of the steps is a product of its own.
// EXPLAIN: remark: [kernels] kernel_conv_input_grad_{{.*}} tiles of 128 (1 x 8 x 16) x 128 by warp groups
// EXPLAIN: remark: [kernels] kernel_conv_{{.*}} tiles of 128 (2 x 8 x 8) x 64 by warp groups
func.func @spread(%dy: tensor<?x15x15x64xf16> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x4x72x64xf16>, %v: tensor<4x3x64x72xf16>, %x: tensor<2x8x7x64xf16>)
    -> (tensor<?x29x30x72xf16>, tensor<2x23x14x72xf16>) {
  %0 = lathe.conv_input_grad %dy, %w input [29, 30] stride [2, 2] pad [[1, 1], [2, 0]] : tensor<?x15x15x64xf16>, tensor<3x4x72x64xf16>
  %1 = lathe.conv %x, %v stride [1, 1] pad [[2, 2], [1, 2]] input_dilation [3, 2] : tensor<2x8x7x64xf16>, tensor<4x3x64x72xf16>
  return %0, %1 : tensor<?x29x30x72xf16>, tensor<2x23x14x72xf16>
}

// Phases have 4, 2, 2 and 1 taps, and of the depth in parts as many pieces.
// EXPLAIN: remark: [kernels] kernel_conv_input_grad_{{.*}} tiles of 128 (2 x 8 x 8) x 64 by warp groups in 2 parts of the depth
func.func @phases(%dy: tensor<2x8x8x256xf16>, %w: tensor<3x3x64x256xf16>) -> tensor<2x16x16x64xf16> {
  %0 = lathe.conv_input_grad %dy, %w input [16, 16] stride [2, 2] pad [[0, 1], [0, 1]] : tensor<2x8x8x256xf16>, tensor<3x3x64x256xf16>
  return %0 : tensor<2x16x16x64xf16>
}

// These stay: groups, steps of a stride that taps apart meet in another order, few channels.
// EXPLAIN-NOT: by warp groups
func.func @others(%x: tensor<2x16x16x128xbf16>, %w: tensor<3x3x64x128xbf16>, %v: tensor<3x3x64x128xbf16>, %z: tensor<2x16x16x16xbf16>, %u: tensor<3x3x16x64xbf16>)
    -> (tensor<2x16x16x128xbf16>, tensor<2x33x33x64xbf16>, tensor<2x16x16x64xbf16>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same groups 2 : tensor<2x16x16x128xbf16>, tensor<3x3x64x128xbf16>
  %1 = lathe.conv_input_grad %x, %v input [33, 33] stride [2, 2] pad [[1, 1], [1, 1]] dilation [2, 2] : tensor<2x16x16x128xbf16>, tensor<3x3x64x128xbf16>
  %2 = lathe.conv %z, %u stride [1, 1] pad same : tensor<2x16x16x16xbf16>, tensor<3x3x16x64xbf16>
  return %0, %1, %2 : tensor<2x16x16x128xbf16>, tensor<2x33x33x64xbf16>, tensor<2x16x16x64xbf16>
}
