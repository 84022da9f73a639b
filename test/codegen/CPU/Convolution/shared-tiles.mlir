// Convolutions of different sizes share their tiles: distances are arguments, in a table for those of a tile's rows.
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s
// RUN: lathe-run %s both --random --check --rtol 1e-5 --atol 1e-3
// RUN: lathe-run %s both --random --check --rtol 1e-5 --atol 1e-3 --target x86-64-v2
// RUN: lathe-run %s narrow --random --check --rtol 1e-5 --atol 1e-3

// The filters' rows are 64, 48 and 16 elements apart, the pixels 32, 64 and 48.
// CHECK-COUNT-1: llvm.func internal @conv_tile_f32_6x2x8to8_pitch_by16_or_add_steps4(
// CHECK-NOT: llvm.func internal @conv_tile_f32_6x2x8to8_pitch_by16_or_add_steps4(
// CHECK-NOT: llvm.func internal @conv_tile_f32_6x2x8to8_by16_or_add_steps4(
func.func @both(%x: tensor<6x24x24x32xf32>, %w: tensor<3x3x32x64xf32>, %v: tensor<3x3x64x48xf32>) -> tensor<6x24x24x48xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<6x24x24x32xf32>, tensor<3x3x32x64xf32>
  %1 = lathe.conv %0, %v stride [1, 1] pad [[1, 1], [1, 1]] : tensor<6x24x24x64xf32>, tensor<3x3x64x48xf32>
  return %1 : tensor<6x24x24x48xf32>
}

func.func @narrow(%x: tensor<6x24x24x48xf32>, %w: tensor<3x3x48x16xf32>) -> tensor<6x24x24x16xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<6x24x24x48xf32>, tensor<3x3x48x16xf32>
  return %0 : tensor<6x24x24x16xf32>
}
