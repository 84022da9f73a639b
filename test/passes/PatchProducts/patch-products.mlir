// The convolutions that become products of patches, and those that stay.
// RUN: split-file %s %t
// RUN: lathe-opt %t/chosen.mlir --lathe-patch-products | FileCheck %t/chosen.mlir --check-prefixes=CHECK,MARKED
// RUN: lathe-opt %t/chosen.mlir --lathe-patch-products=in-place=false | FileCheck %t/chosen.mlir --implicit-check-not=lathe.patches
// RUN: lathe-opt %t/others.mlir --lathe-patch-products=in-place=false | FileCheck %t/others.mlir --implicit-check-not=dot_general
// RUN: lathe-opt %t/read.mlir --lathe-patch-products | FileCheck %t/read.mlir
// RUN: lathe-opt %t/kept.mlir --lathe-patch-products | FileCheck %t/kept.mlir --implicit-check-not=dot_general --implicit-check-not=lathe.patches
// RUN: lathe-opt %t/copied.mlir --lathe-patch-products | FileCheck %t/copied.mlir --implicit-check-not=lathe.patches

// The product's kernel has the slices and the concatenation, but where a target has the tile registers of AMX.
// RUN: lathec %t/chosen.mlir --math=fast --target=x86-64-v4-bf16 --emit=mlir --emit-stage=fusion -o - | FileCheck %t/chosen.mlir --check-prefix=FUSED
// RUN: lathec %t/chosen.mlir --math=fast --target=x86_64-linux-gnu:sapphirerapids --emit=mlir --emit-stage=fusion -o - | FileCheck %s --check-prefix=AMX --implicit-check-not=lathe.patches
// AMX: dot_general

// Only under --math=fast, with optimisation, and for CPUs with the instructions.
// RUN: lathec %t/chosen.mlir --math=fast --target=x86-64-v4-bf16 --emit=none --explain 2>&1 | FileCheck %t/chosen.mlir --check-prefix=EXPLAIN
// RUN: lathec %t/chosen.mlir --target=x86-64-v4-bf16 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=patches
// RUN: lathec %t/chosen.mlir --math=fast -O0 --target=x86-64-v4-bf16 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=patches
// RUN: lathec %t/chosen.mlir --math=fast --target=x86-64-v4,x86-64-v4-bf16 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=patches
// NONE: remark

//--- chosen.mlir
// Images are rounded once for both, and bordered by zeros.
// EXPLAIN: chosen.mlir:{{[0-9:]+}} remark: [layout] --math=fast: the convolution is a product of patches of bf16, with 288 factors in a sum
// FUSED-LABEL: @shared(
// FUSED: lathe.kernel
// FUSED: lathe.pad
// FUSED: lathe.kernel
// FUSED-NEXT: lathe.slice
// FUSED-COUNT-8: lathe.slice
// FUSED-NEXT: lathe.concatenate
// FUSED: lathe.dot_general
// CHECK-LABEL: @shared(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x32xf32>
// CHECK: %[[H:.*]] = lathe.convert %[[X]] to bf16
// CHECK: %[[P:.*]] = lathe.pad %[[H]], %{{.*}} low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK: lathe.slice %[[P]] from [0, 0, 0, 0] to [1, 7, 7, 32] step [1, 2, 2, 1]
// CHECK: lathe.slice %[[P]] from [0, 2, 1, 0] to [1, 9, 8, 32] step [1, 2, 2, 1]
// MARKED-SAME: {lathe.patches}
// CHECK: %[[PATCHES:.*]] = lathe.concatenate {{.*}} dim 3
// CHECK: %[[L:.*]] = lathe.convert %[[PATCHES]] to f32
// CHECK: %[[R:.*]] = lathe.reshape %{{.*}} to [288, 64]
// CHECK: lathe.dot_general %[[L]], %[[R]] contract [3] x [0]
// CHECK: %[[S:.*]] = lathe.slice %[[H]] from [0, 0, 0, 0] to [1, 7, 7, 32] step [1, 2, 2, 1]
// CHECK: lathe.convert %[[S]] to f32
// CHECK: lathe.dot_general
func.func @shared(%x: tensor<1x8x8x32xf32>) -> (tensor<1x4x4x64xf32>, tensor<1x4x4x64xf32>) {
  %w = lathe.constant dense<0.5> : tensor<3x3x32x64xf32>
  %v = lathe.constant dense<0.5> : tensor<1x1x32x64xf32>
  %0 = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x8x8x32xf32>, tensor<3x3x32x64xf32>
  %1 = lathe.conv %x, %v stride [2, 2] pad [[0, 0], [0, 0]] : tensor<1x8x8x32xf32>, tensor<1x1x32x64xf32>
  return %0, %1 : tensor<1x4x4x64xf32>, tensor<1x4x4x64xf32>
}

// Sixteen squares of Winograd's filtering are few.
// CHECK-LABEL: @squares(
// CHECK: lathe.dot_general
func.func @squares(%x: tensor<1x14x14x256xf32>) -> tensor<1x14x14x256xf32> {
  %w = lathe.constant dense<0.5> : tensor<3x3x256x256xf32>
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x14x14x256xf32>, tensor<3x3x256x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}

//--- others.mlir
// Winograd's filtering with many squares, in one image and in several; a filter that is not a constant, few channels, few filters, groups,
// large patches, long sums, f64.
// CHECK-LABEL: @others(
// CHECK-COUNT-9: lathe.conv{{ }}
func.func @others(%x: tensor<1x28x28x128xf32>, %batch: tensor<4x14x14x64xf32>, %given: tensor<3x3x128x64xf32>, %thin: tensor<1x9x9x16xf32>,
                  %large: tensor<1x112x112x64xf32>, %deep: tensor<1x4x4x1024xf32>, %d: tensor<1x4x4x32xf64>)
    -> (tensor<1x28x28x128xf32>, tensor<4x14x14x64xf32>, tensor<1x14x14x64xf32>, tensor<1x5x5x64xf32>, tensor<1x14x14x8xf32>,
        tensor<1x14x14x64xf32>, tensor<1x56x56x64xf32>, tensor<1x2x2x64xf32>, tensor<1x2x2x64xf64>) {
  %w0 = lathe.constant dense<0.5> : tensor<3x3x128x128xf32>
  %w1 = lathe.constant dense<0.5> : tensor<3x3x64x64xf32>
  %w3 = lathe.constant dense<0.5> : tensor<3x3x16x64xf32>
  %w4 = lathe.constant dense<0.5> : tensor<3x3x128x8xf32>
  %w5 = lathe.constant dense<0.5> : tensor<3x3x64x64xf32>
  %w6 = lathe.constant dense<0.5> : tensor<5x5x64x64xf32>
  %w7 = lathe.constant dense<0.5> : tensor<3x3x1024x64xf32>
  %w8 = lathe.constant dense<0.5> : tensor<3x3x32x64xf64>
  %0 = lathe.conv %x, %w0 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x28x28x128xf32>, tensor<3x3x128x128xf32>
  %1 = lathe.conv %batch, %w1 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<4x14x14x64xf32>, tensor<3x3x64x64xf32>
  %2 = lathe.conv %x, %given stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x28x28x128xf32>, tensor<3x3x128x64xf32>
  %3 = lathe.conv %thin, %w3 stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x9x9x16xf32>, tensor<3x3x16x64xf32>
  %4 = lathe.conv %x, %w4 stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x28x28x128xf32>, tensor<3x3x128x8xf32>
  %5 = lathe.conv %x, %w5 stride [2, 2] pad [[1, 1], [1, 1]] groups 2 : tensor<1x28x28x128xf32>, tensor<3x3x64x64xf32>
  %6 = lathe.conv %large, %w6 stride [2, 2] pad [[2, 2], [2, 2]] : tensor<1x112x112x64xf32>, tensor<5x5x64x64xf32>
  %7 = lathe.conv %deep, %w7 stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x4x4x1024xf32>, tensor<3x3x1024x64xf32>
  %8 = lathe.conv %d, %w8 stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x4x4x32xf64>, tensor<3x3x32x64xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
    : tensor<1x28x28x128xf32>, tensor<4x14x14x64xf32>, tensor<1x14x14x64xf32>, tensor<1x5x5x64xf32>, tensor<1x14x14x8xf32>,
      tensor<1x14x14x64xf32>, tensor<1x56x56x64xf32>, tensor<1x2x2x64xf32>, tensor<1x2x2x64xf64>
}

//--- read.mlir
// Products that read images need no long runs for each tap. A line of seven taps of three channels has an odd number of factors, and
// gets an eighth tap of zeros; so the image gets a column more. It is padded as lines of 96 elements.
// CHECK-LABEL: @first(
// CHECK: lathe.reshape %{{.*}} to [1, 32, 96]
// CHECK: lathe.pad %{{.*}} low [0, 3, 9] high [0, 3, 12] {{.*}}xbf16>
// CHECK: lathe.reshape %{{.*}} to [1, 38, 39, 3]
// CHECK: lathe.slice %{{.*}} from [0, 6, 7, 0] to [1, 37, 38, 3] step [1, 2, 2, 1] {lathe.patches}
// CHECK: lathe.concatenate {{.*}} dim 3 {lathe.patches}
// CHECK: lathe.pad %{{.*}} low [0, 0, 0, 0] high [0, 1, 0, 0] {{.*}}7x7x3x16xf32>
// CHECK: lathe.dot_general {{.*}} tensor<1x16x16x168xf32>, tensor<168x16xf32>
func.func @first(%x: tensor<1x32x32x3xf32>) -> tensor<1x16x16x16xf32> {
  %w = lathe.constant dense<0.5> : tensor<7x7x3x16xf32>
  %0 = lathe.conv %x, %w stride [2, 2] pad [[3, 3], [3, 3]] : tensor<1x32x32x3xf32>, tensor<7x7x3x16xf32>
  return %0 : tensor<1x16x16x16xf32>
}

// Patches that would take much memory, and taps that are dilated down the image.
// CHECK-LABEL: @large(
// CHECK-COUNT-2: lathe.dot_general
func.func @large(%x: tensor<1x112x112x64xf32>) -> (tensor<1x56x56x64xf32>, tensor<1x110x112x64xf32>) {
  %w = lathe.constant dense<0.5> : tensor<5x5x64x64xf32>
  %v = lathe.constant dense<0.5> : tensor<2x3x64x64xf32>
  %0 = lathe.conv %x, %w stride [2, 2] pad [[2, 2], [2, 2]] : tensor<1x112x112x64xf32>, tensor<5x5x64x64xf32>
  %1 = lathe.conv %x, %v stride [1, 1] pad [[0, 0], [1, 1]] dilation [2, 1] : tensor<1x112x112x64xf32>, tensor<2x3x64x64xf32>
  return %0, %1 : tensor<1x56x56x64xf32>, tensor<1x110x112x64xf32>
}

//--- kept.mlir
// A product of few factors takes as long.
// CHECK-LABEL: @few(
// CHECK: lathe.conv{{ }}
func.func @few(%x: tensor<1x32x32x3xf32>) -> tensor<1x16x16x16xf32> {
  %w = lathe.constant dense<0.5> : tensor<3x3x3x16xf32>
  %0 = lathe.conv %x, %w stride [2, 2] pad [[0, 1], [0, 1]] : tensor<1x32x32x3xf32>, tensor<3x3x3x16xf32>
  return %0 : tensor<1x16x16x16xf32>
}

//--- copied.mlir
// Lines of dilated taps lie at two distances: their patches are copied.
// CHECK-LABEL: @dilated(
// CHECK: lathe.dot_general
func.func @dilated(%x: tensor<1x16x16x32xf32>) -> tensor<1x12x12x32xf32> {
  %w = lathe.constant dense<0.5> : tensor<3x3x32x32xf32>
  %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] dilation [2, 2] : tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32>
  return %0 : tensor<1x12x12x32xf32>
}
