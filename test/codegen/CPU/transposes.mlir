// Transposes in tiles, and those that are not: short sides, rows that stay rows. Against the interpreter, on every level.
// RUN: lathe-run %s all --random --dim N=37 --check --rtol 0 --atol 0
// RUN: lathe-run %s all --random --dim N=37 --check --rtol 0 --atol 0 --threads 3
// RUN: lathe-run %s all --random --dim N=1 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s all --random --dim N=130 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s all --random --dim N=130 --check --rtol 0 --atol 0 --specialize N=130 --target x86-64-v2
// RUN: lathe-run %s all --random --dim N=6 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s sizes --random --check --rtol 0 --atol 0
// RUN: lathe-run %s sizes --random --check --rtol 0 --atol 0 --threads 2 --target x86-64-v3
// RUN: lathe-run %s sizes --random --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s planes --random --dim N=1 --dim W=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s planes --random --dim N=2 --dim W=67 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s planes --random --dim N=1 --dim W=67 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s planes --random --dim N=3 --dim W=67 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s planes --random --dim N=1 --dim W=20000 --check --rtol 0 --atol 0 --threads 3
// RUN: lathec %s --emit=mlir --emit-stage=kernels -o - | FileCheck %s

// Six in squares, by functions that kernels share, one of them though what is computed from it could have read the operand; one of
// few columns, which are taken apart; then two that are neither.
// CHECK: @kernel_transpose
// CHECK: call @transpose_32_
// CHECK: @kernel_transpose
// CHECK: call @transpose_64_
// CHECK: @kernel_transpose
// CHECK: call @transpose_16_
// CHECK: @kernel_transpose
// CHECK: call @transpose_16_
// CHECK: @kernel_transpose
// CHECK: call @transpose_8_
// CHECK: @kernel_transpose
// CHECK: call @transpose_8_
// CHECK: @kernel_transpose
// CHECK-NOT: call @transpose_
// CHECK: vector.shuffle
// CHECK: @kernel_transpose
// CHECK-NOT: {{call @transpose_|vector.shuffle}}
// CHECK: @kernel_transpose
// CHECK-NOT: {{call @transpose_|vector.shuffle}}
// CHECK: @kernel_neg
// CHECK-NOT: {{call @transpose_|vector.shuffle}}
// CHECK: @kernel_transpose
// CHECK: call @transpose_
func.func @all(%a: tensor<?x100xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x5x70xf64> {lathe.dims = #lathe.dims<N>},
               %c: tensor<3x7x9x21xi16>, %d: tensor<4x?x1x33xbf16> {lathe.dims = #lathe.dims<N>}, %e: tensor<90x?xi8> {lathe.dims = #lathe.dims<N>},
               %f: tensor<40x?xi1> {lathe.dims = #lathe.dims<N>}, %g: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>},
               %h: tensor<?x20x8xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<100x?xf32>, tensor<70x5x?xf64>, tensor<3x21x7x9xi16>, tensor<?x1x4x33xbf16>, tensor<33x4x?x1xbf16>, tensor<?x90xi8>,
        tensor<?x40xi1>, tensor<3x?xf32>, tensor<20x?x8xf32>, tensor<100x?xf32>) {
  %0 = lathe.transpose %a [1, 0] : tensor<?x100xf32>
  %1 = lathe.transpose %b [2, 1, 0] : tensor<?x5x70xf64>
  %2 = lathe.transpose %c [0, 3, 1, 2] : tensor<3x7x9x21xi16>
  %3 = lathe.transpose %d [3, 0, 1, 2] : tensor<4x?x1x33xbf16>
  %4 = lathe.transpose %e [1, 0] : tensor<90x?xi8>
  %5 = lathe.transpose %f [1, 0] : tensor<40x?xi1>
  %6 = lathe.transpose %g [1, 0] : tensor<?x3xf32>
  %7 = lathe.transpose %h [1, 0, 2] : tensor<?x20x8xf32>
  %8 = lathe.transpose %d [1, 2, 0, 3] : tensor<4x?x1x33xbf16>
  %9 = lathe.neg %0 : tensor<100x?xf32>
  return %0, %1, %2, %8, %3, %4, %5, %6, %7, %9
    : tensor<100x?xf32>, tensor<70x5x?xf64>, tensor<3x21x7x9xi16>, tensor<?x1x4x33xbf16>, tensor<33x4x?x1xbf16>, tensor<?x90xi8>,
      tensor<?x40xi1>, tensor<3x?xf32>, tensor<20x?x8xf32>, tensor<100x?xf32>
}

// Sides just below, at and above tiles, lines of the cache and blocks; a power of two; more than two dimensions in a new order.
func.func @sizes(%a: tensor<4x5xf32>, %b: tensor<63x65xf32>, %c: tensor<128x256xf32>, %d: tensor<17x16xf64>, %e: tensor<257x31xi8>,
                 %f: tensor<6x7x8x9xf32>, %g: tensor<15x129xi16>)
    -> (tensor<5x4xf32>, tensor<65x63xf32>, tensor<256x128xf32>, tensor<16x17xf64>, tensor<31x257xi8>, tensor<9x7x6x8xf32>, tensor<129x15xi16>) {
  %0 = lathe.transpose %a [1, 0] : tensor<4x5xf32>
  %1 = lathe.transpose %b [1, 0] : tensor<63x65xf32>
  %2 = lathe.transpose %c [1, 0] : tensor<128x256xf32>
  %3 = lathe.transpose %d [1, 0] : tensor<17x16xf64>
  %4 = lathe.transpose %e [1, 0] : tensor<257x31xi8>
  %5 = lathe.transpose %f [3, 1, 0, 2] : tensor<6x7x8x9xf32>
  %6 = lathe.transpose %g [1, 0] : tensor<15x129xi16>
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<5x4xf32>, tensor<65x63xf32>, tensor<256x128xf32>, tensor<16x17xf64>, tensor<31x257xi8>, tensor<9x7x6x8xf32>, tensor<129x15xi16>
}

// Planes of few channels: interleaved and taken apart, of each size of element, in images and alone.
func.func @planes(%a: tensor<?x3x4x?xf32> {lathe.dims = #lathe.dims<N, W>}, %b: tensor<?x?x3xf32> {lathe.dims = #lathe.dims<N, W>}, %c: tensor<2x?xf64> {lathe.dims = #lathe.dims<W>},
                  %d: tensor<?x5xi8> {lathe.dims = #lathe.dims<W>}, %e: tensor<6x?xbf16> {lathe.dims = #lathe.dims<W>}, %f: tensor<?x7xi1> {lathe.dims = #lathe.dims<W>},
                  %g: tensor<?x7x5x3xf16> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4x?x3xf32>, tensor<?x3x?xf32>, tensor<?x2xf64>, tensor<5x?xi8>, tensor<?x6xbf16>, tensor<7x?xi1>, tensor<?x3x7x5xf16>) {
  %0 = lathe.transpose %a [0, 2, 3, 1] : tensor<?x3x4x?xf32>
  %1 = lathe.transpose %b [0, 2, 1] : tensor<?x?x3xf32>
  %2 = lathe.transpose %c [1, 0] : tensor<2x?xf64>
  %3 = lathe.transpose %d [1, 0] : tensor<?x5xi8>
  %4 = lathe.transpose %e [1, 0] : tensor<6x?xbf16>
  %5 = lathe.transpose %f [1, 0] : tensor<?x7xi1>
  %6 = lathe.transpose %g [0, 3, 1, 2] : tensor<?x7x5x3xf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x4x?x3xf32>, tensor<?x3x?xf32>, tensor<?x2xf64>, tensor<5x?xi8>, tensor<?x6xbf16>, tensor<7x?xi1>, tensor<?x3x7x5xf16>
}
