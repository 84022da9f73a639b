// The convolutions that Winograd's filtering computes, and those that it leaves alone.
// RUN: split-file %s %t
// RUN: lathe-opt %t/chosen.mlir --lathe-winograd | FileCheck %t/chosen.mlir
// RUN: lathe-opt %t/others.mlir --lathe-winograd | FileCheck %t/others.mlir --implicit-check-not=lathe.winograd

// Only under --math=fast, with optimisation, and for CPUs.
// RUN: lathec %t/chosen.mlir --math=fast --emit=none --explain 2>&1 | FileCheck %t/chosen.mlir --check-prefix=EXPLAIN
// RUN: lathec %t/chosen.mlir --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='by Winograd'
// RUN: lathec %t/chosen.mlir --math=fast -O0 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='by Winograd'
// RUN: lathec %t/chosen.mlir --math=fast --target=x86-64-v3,cuda:sm_80 --ptxas=none --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='by Winograd'
// NONE: remark

//--- chosen.mlir
// EXPLAIN: chosen.mlir:{{[0-9:]+}} remark: [layout] --math=fast: the convolution is computed by Winograd's F(4x4, 3x3)
// CHECK-LABEL: @large(
// CHECK: lathe.conv {{.*}} {lathe.winograd = 4 : i64}
func.func @large(%x: tensor<1x28x28x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x28x28x64xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}

// Squares of 4 outputs would compute 64 outputs of each image, of which 36 exist.
// CHECK-LABEL: @small(
// CHECK: lathe.conv {{.*}} {lathe.winograd = 2 : i64}
func.func @small(%x: tensor<32x8x8x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<32x6x6x64xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] : tensor<32x8x8x64xf32>, tensor<3x3x64x64xf32>
  return %0 : tensor<32x6x6x64xf32>
}

// CHECK-LABEL: @named(
// CHECK: lathe.conv {{.*}} {lathe.winograd = 4 : i64}
func.func @named(%x: tensor<?x?x?x64xf32, #lathe.dims<N, H, W>>, %w: tensor<3x3x64x64xf32>) -> tensor<?x?x?x64xf32, #lathe.dims<N, H, W>> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x?x64xf32, #lathe.dims<N, H, W>>, tensor<3x3x64x64xf32>
  return %0 : tensor<?x?x?x64xf32, #lathe.dims<N, H, W>>
}

// Gradients of filters.
// EXPLAIN: chosen.mlir:{{[0-9:]+}} remark: [layout] --math=fast: the gradient of the filter is computed by Winograd's F(4x4, 3x3)
// CHECK-LABEL: @gradient(
// CHECK: lathe.conv_filter_grad {{.*}} {lathe.winograd = 4 : i64}
// CHECK: lathe.conv_filter_grad {{.*}} {lathe.winograd = 2 : i64}
func.func @gradient(%x: tensor<?x28x28x64xf32, #lathe.dims<N>>, %dy: tensor<?x28x28x64xf32, #lathe.dims<N>>, %s: tensor<32x8x8x64xf32>, %ds: tensor<32x6x6x64xf32>)
    -> (tensor<3x3x64x64xf32>, tensor<3x3x64x64xf32>) {
  %0 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x28x28x64xf32, #lathe.dims<N>>, tensor<?x28x28x64xf32, #lathe.dims<N>>
  %1 = lathe.conv_filter_grad %s, %ds filter [3, 3] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<32x8x8x64xf32>, tensor<32x6x6x64xf32>
  return %0, %1 : tensor<3x3x64x64xf32>, tensor<3x3x64x64xf32>
}

//--- others.mlir
// CHECK-LABEL: @others(
// CHECK-COUNT-9: lathe.conv %
// CHECK-COUNT-4: lathe.conv_filter_grad %
func.func @others(%x: tensor<8x16x16x32xf32>, %w: tensor<3x3x32x32xf32>, %d: tensor<8x16x16x32xf64>, %dw: tensor<3x3x32x32xf64>,
                  %five: tensor<5x5x32x32xf32>, %grouped: tensor<3x3x16x32xf32>, %few: tensor<8x16x16x3xf32>, %fw: tensor<3x3x3x32xf32>,
                  %odd: tensor<3x3x32x40xf32>, %tiny: tensor<1x2x2x32xf32>, %line: tensor<8x16x32xf32>, %lw: tensor<3x32x32xf32>)
    -> (tensor<8x8x8x32xf32>, tensor<8x16x16x32xf32>, tensor<8x16x16x32xf64>, tensor<8x16x16x32xf32>, tensor<8x16x16x32xf32>,
        tensor<8x16x16x32xf32>, tensor<8x16x16x40xf32>, tensor<1x2x2x32xf32>, tensor<8x16x32xf32>, tensor<3x3x32x32xf32>, tensor<5x5x32x32xf32>,
        tensor<3x3x3x32xf32>, tensor<3x3x32x32xf64>) {
  %stride = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<8x16x16x32xf32>, tensor<3x3x32x32xf32>
  %dilation = lathe.conv %x, %w stride [1, 1] pad [[2, 2], [2, 2]] dilation [2, 2] : tensor<8x16x16x32xf32>, tensor<3x3x32x32xf32>
  %double = lathe.conv %d, %dw stride [1, 1] pad [[1, 1], [1, 1]] : tensor<8x16x16x32xf64>, tensor<3x3x32x32xf64>
  %taps = lathe.conv %x, %five stride [1, 1] pad [[2, 2], [2, 2]] : tensor<8x16x16x32xf32>, tensor<5x5x32x32xf32>
  %groups = lathe.conv %x, %grouped stride [1, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<8x16x16x32xf32>, tensor<3x3x16x32xf32>
  %first = lathe.conv %few, %fw stride [1, 1] pad [[1, 1], [1, 1]] : tensor<8x16x16x3xf32>, tensor<3x3x3x32xf32>
  %columns = lathe.conv %x, %odd stride [1, 1] pad [[1, 1], [1, 1]] : tensor<8x16x16x32xf32>, tensor<3x3x32x40xf32>
  %square = lathe.conv %tiny, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x2x2x32xf32>, tensor<3x3x32x32xf32>
  %one = lathe.conv %line, %lw stride [1] pad [[1, 1]] : tensor<8x16x32xf32>, tensor<3x32x32xf32>
  %gstride = lathe.conv_filter_grad %x, %stride filter [3, 3] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<8x16x16x32xf32>, tensor<8x8x8x32xf32>
  %gtaps = lathe.conv_filter_grad %x, %taps filter [5, 5] stride [1, 1] pad [[2, 2], [2, 2]] : tensor<8x16x16x32xf32>, tensor<8x16x16x32xf32>
  %gfirst = lathe.conv_filter_grad %few, %first filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<8x16x16x3xf32>, tensor<8x16x16x32xf32>
  %gdouble = lathe.conv_filter_grad %d, %double filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<8x16x16x32xf64>, tensor<8x16x16x32xf64>
  return %stride, %dilation, %double, %taps, %groups, %first, %columns, %square, %one, %gstride, %gtaps, %gfirst, %gdouble
    : tensor<8x8x8x32xf32>, tensor<8x16x16x32xf32>, tensor<8x16x16x32xf64>, tensor<8x16x16x32xf32>, tensor<8x16x16x32xf32>,
      tensor<8x16x16x32xf32>, tensor<8x16x16x40xf32>, tensor<1x2x2x32xf32>, tensor<8x16x32xf32>, tensor<3x3x32x32xf32>, tensor<5x5x32x32xf32>,
      tensor<3x3x3x32xf32>, tensor<3x3x32x32xf64>
}
