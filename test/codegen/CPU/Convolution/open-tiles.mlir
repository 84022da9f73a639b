// Tiles of open images go over several lines: the single pixels at the ends of lines, and the last pixels that full tiles
// leave of a line. A line that has taps of its own, and images of one dimension, have tiles of one line only.
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s --implicit-check-not 'of24_{{.*}}_lines'
// RUN: lathe-run %s image --random --dim H=9 --dim W=14 --check --rtol 1e-5 --atol 1e-4
// RUN: lathe-run %s image --random --dim H=1 --dim W=1 --check --rtol 1e-5 --atol 1e-4
// RUN: lathe-run %s line --random --dim W=20 --check --rtol 1e-5 --atol 1e-4

// CHECK-DAG: llvm.func internal @conv_tile_f32_4x{{[0-9]+}}x
// CHECK-DAG: llvm.func internal @conv_tile_f32_2x2_{{.*}}_lines
// CHECK-DAG: llvm.func internal @conv_tile_f32_4x1_{{.*}}_lines
func.func @image(%x: tensor<1x?x?x16xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x3x16x16xf32>) -> tensor<1x?x?x16xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x?x?x16xf32>, tensor<3x3x16x16xf32>
  return %0 : tensor<1x?x?x16xf32>
}

func.func @line(%x: tensor<1x?x16xf32> {lathe.dims = #lathe.dims<W>}, %w: tensor<3x16x24xf32>) -> tensor<1x?x24xf32> {
  %0 = lathe.conv %x, %w stride [1] pad [[1, 1]] : tensor<1x?x16xf32>, tensor<3x16x24xf32>
  return %0 : tensor<1x?x24xf32>
}
