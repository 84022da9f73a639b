// A convolution of one image has two work items at least, which threads can share, with the same bits. More images need none of that.
// RUN: lathec %s --target=x86-64-v3 --emit=none --explain 2>&1 | FileCheck %s
// RUN: lathec %s --target=x86-64-v3 --math=fast --emit=none --explain 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: rm -rf %t && mkdir %t
// RUN: lathe-run %s one --random --save %t/one > %t/log
// RUN: lathe-run %s one --random --threads 2 --save %t/two > %t/log
// RUN: diff -r %t/one %t/two
// RUN: lathe-run %s large --random --math=fast --save %t/fast > %t/log
// RUN: lathe-run %s large --random --math=fast --threads 2 --save %t/shared > %t/log
// RUN: diff -r %t/fast %t/shared

// Four panels of filters would be one item: two panels leave tiles of one pixel four sums.
// CHECK: [[ONE:kernel_conv_[0-9a-f]+]] for x86-64-v3: convolution {{.*}}pixel_panels = 2,
// CHECK: [[MANY:kernel_conv_[0-9a-f]+]] for x86-64-v3: convolution {{.*}}pixel_panels = 4,
// CHECK: [[ONE]] for x86-64-v3: {{.*}}parallel over 2 chunks
// CHECK: [[MANY]] for x86-64-v3: {{.*}}parallel over {{[0-9]+}} chunks

// Four squares by 64 filters: half of the filters are an item, which takes the transforms of squares twice.
// FAST: [[LARGE:kernel_conv_[0-9a-f]+]] for x86-64-v3: winograd {{.*}}filters = 32,{{.*}}squares = 4}
// FAST: for x86-64-v3: winograd {{.*}}filters = 64,
// FAST: [[LARGE]] for x86-64-v3: {{.*}}parallel over 2 chunks

func.func @one(%x: tensor<1x4x4x64xf32>, %f: tensor<3x3x64x64xf32>) -> tensor<1x4x4x64xf32> {
  %y = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x4x4x64xf32>, tensor<3x3x64x64xf32>
  return %y : tensor<1x4x4x64xf32>
}

func.func @many(%x: tensor<4x4x4x64xf32>, %f: tensor<3x3x64x64xf32>) -> tensor<4x4x4x64xf32> {
  %y = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<4x4x4x64xf32>, tensor<3x3x64x64xf32>
  return %y : tensor<4x4x4x64xf32>
}

func.func @large(%x: tensor<1x8x8x64xf32>, %f: tensor<3x3x64x64xf32>) -> tensor<1x8x8x64xf32> {
  %y = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x8x8x64xf32>, tensor<3x3x64x64xf32>
  return %y : tensor<1x8x8x64xf32>
}

func.func @largest(%x: tensor<64x8x8x64xf32>, %f: tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32> {
  %y = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>
  return %y : tensor<64x8x8x64xf32>
}
