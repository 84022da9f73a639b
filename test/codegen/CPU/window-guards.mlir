// No guard tests a dimension in which every window lies inside: here images and channels, in the gradient too, and of any
// without padding.
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s
// RUN: lathe-run %s padded --random --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s valid --random --check --rtol 1e-6 --atol 1e-6

// CHECK: llvm.func internal @kernel_reduce_window_
// CHECK-NOT: cmpi sge, {{.*}} : vector
// CHECK: llvm.func internal @kernel_window_index_
// CHECK: llvm.func internal @kernel_window_scatter_
// CHECK-NOT: cmpi sge, {{.*}} : vector
// CHECK: llvm.func internal @kernel_reduce_window_
// CHECK-NOT: masked
func.func @padded(%x: tensor<2x9x9x64xf32>) -> (tensor<2x5x5x64xf32>, tensor<2x9x9x64xf32>) {
  %0 = lathe.reduce_window max %x window [1, 3, 3, 1] stride [1, 2, 2, 1] pad [[0, 0], [1, 1], [1, 1], [0, 0]] : tensor<2x9x9x64xf32>
  %1 = lathe.window_index max %x window [1, 3, 3, 1] stride [1, 2, 2, 1] pad [[0, 0], [1, 1], [1, 1], [0, 0]] : tensor<2x9x9x64xf32>
  %2 = lathe.window_scatter %0, %1 to [2, 9, 9, 64] window [1, 3, 3, 1] stride [1, 2, 2, 1] pad [[0, 0], [1, 1], [1, 1], [0, 0]] : tensor<2x5x5x64xf32>, tensor<2x5x5x64xi32>
  return %0, %2 : tensor<2x5x5x64xf32>, tensor<2x9x9x64xf32>
}
func.func @valid(%x: tensor<2x9x9x64xf32>) -> tensor<2x4x4x64xf32> {
  %0 = lathe.reduce_window sum %x window [1, 3, 3, 1] stride [1, 2, 2, 1] : tensor<2x9x9x64xf32>
  return %0 : tensor<2x4x4x64xf32>
}
