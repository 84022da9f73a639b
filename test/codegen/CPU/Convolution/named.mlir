// Convolutions of images of named height go by tiles, and so do their gradients; an input gradient with a stride has the extents
// that it is asked for, which no padding gives.
// RUN: lathe-run %s named --random --dim N=6 --check --rtol 1e-4 --atol 1e-4
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s

// CHECK: llvm.call @depthwise_line_f32_open_
// CHECK-NOT: kernel_conv_input_grad
// CHECK: llvm.func internal @kernel_conv_filter_grad_
// CHECK-NOT: vector<32xf32>
func.func @named(%x: tensor<2x?x8x32xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x1x32xf32>) -> (tensor<2x?x8x32xf32>, tensor<2x?x8x32xf32>, tensor<3x3x1x32xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same groups 32 : tensor<2x?x8x32xf32>, tensor<3x3x1x32xf32>
  %1 = lathe.conv_input_grad %x, %w input [N, 8] stride [1, 1] pad [[1, 1], [1, 1]] groups 32 : tensor<2x?x8x32xf32>, tensor<3x3x1x32xf32>
  %2 = lathe.conv_filter_grad %x, %1 filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 32 : tensor<2x?x8x32xf32>, tensor<2x?x8x32xf32>
  return %0, %1, %2 : tensor<2x?x8x32xf32>, tensor<2x?x8x32xf32>, tensor<3x3x1x32xf32>
}
