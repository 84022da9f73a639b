// Concatenations that are copies of lines, and those that are not: dimension 0, something fused with them. Against the
// interpreter, on every level.
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s all --random --dim N=1 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s short --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s short --random --dim N=67 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s short --random --dim N=67 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s short --random --dim N=67 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s medium --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s medium --random --dim N=33 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s medium --random --dim N=33 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s long --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s long --random --dim N=3 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s long --random --dim N=3 --check --rtol 0 --atol 0 --target x86-64-v4 -O 0
// RUN: lathe-run %s long --random --dim N=3 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathec %s --entry=long --target=x86-64-v4 --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=LONG
// RUN: lathec %s --entry=long --target=x86-64-v3 --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=LOOPS
// RUN: lathec %s --entry=medium --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=MEDIUM
// RUN: lathec %s --entry=short --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=SHORT
// RUN: lathec %s --entry=all --emit=mlir --emit-stage=kernels -o - | FileCheck %s

// None asks at a vector which operand it is in: the first four copy lines, the others go over parts (concatenated-parts).
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_neg
// CHECK-NOT: select
func.func @all(%a: tensor<?x100xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x131xf32> {lathe.dims = #lathe.dims<N>},
               %h: tensor<?x3x40xbf16> {lathe.dims = #lathe.dims<N>}, %i: tensor<?x3x40xbf16> {lathe.dims = #lathe.dims<N>},
               %n: tensor<4x200xi8>, %m: tensor<4x65xi8>, %s: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %p: tensor<7x100xf32>,
               %q: tensor<7x100xf32>)
    -> (tensor<?x331xf32>, tensor<?x6x40xbf16>, tensor<4x330xi8>, tensor<?x103xf32>, tensor<14x100xf32>, tensor<?x231xf32>) {
  %0 = lathe.concatenate %a, %b, %a dim 1 : tensor<?x100xf32>, tensor<?x131xf32>, tensor<?x100xf32>
  %1 = lathe.concatenate %h, %i dim 1 : tensor<?x3x40xbf16>, tensor<?x3x40xbf16>
  %2 = lathe.concatenate %m, %n, %m dim 1 : tensor<4x65xi8>, tensor<4x200xi8>, tensor<4x65xi8>
  %3 = lathe.concatenate %a, %s dim 1 : tensor<?x100xf32>, tensor<?x3xf32>
  %4 = lathe.concatenate %p, %q dim 0 : tensor<7x100xf32>, tensor<7x100xf32>
  %5 = lathe.concatenate %b, %a dim 1 : tensor<?x131xf32>, tensor<?x100xf32>
  %6 = lathe.neg %5 : tensor<?x231xf32>
  return %0, %1, %2, %3, %4, %6
    : tensor<?x331xf32>, tensor<?x6x40xbf16>, tensor<4x330xi8>, tensor<?x103xf32>, tensor<14x100xf32>, tensor<?x231xf32>
}

// Lines of a few elements are moved in pieces without a loop: the 12 and 4 bytes of rows of f32, 1 to 63 bytes, columns, none at
// all, and lines behind long ones.
// SHORT: @kernel_concatenate
// SHORT-NOT: select
// SHORT: llvm.store {{.*}} : vector<8xi8>, !llvm.ptr
// SHORT: llvm.store {{.*}} : vector<4xi8>, !llvm.ptr
// SHORT-NOT: select
// SHORT: return
func.func @short(%a: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>},
                 %h: tensor<?x2x3xbf16> {lathe.dims = #lathe.dims<N>}, %i: tensor<?x5x3xbf16> {lathe.dims = #lathe.dims<N>},
                 %m: tensor<?x63xi8> {lathe.dims = #lathe.dims<N>}, %n: tensor<?x1xi8> {lathe.dims = #lathe.dims<N>},
                 %o: tensor<?x0xi8> {lathe.dims = #lathe.dims<N>}, %d: tensor<?x2x1xf64> {lathe.dims = #lathe.dims<N>},
                 %l: tensor<?x100xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4xf32>, tensor<?x7x3xbf16>, tensor<?x65xi8>, tensor<?x2x3xf64>, tensor<?x104xf32>) {
  %0 = lathe.concatenate %a, %b dim 1 : tensor<?x3xf32>, tensor<?x1xf32>
  %1 = lathe.concatenate %h, %i dim 1 : tensor<?x2x3xbf16>, tensor<?x5x3xbf16>
  %2 = lathe.concatenate %n, %m, %o, %n dim 1 : tensor<?x1xi8>, tensor<?x63xi8>, tensor<?x0xi8>, tensor<?x1xi8>
  %3 = lathe.concatenate %d, %d, %d dim 2 : tensor<?x2x1xf64>, tensor<?x2x1xf64>, tensor<?x2x1xf64>
  %4 = lathe.concatenate %l, %b, %a dim 1 : tensor<?x100xf32>, tensor<?x1xf32>, tensor<?x3xf32>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32>, tensor<?x7x3xbf16>, tensor<?x65xi8>, tensor<?x2x3xf64>, tensor<?x104xf32>
}

// Lines up to four lines of the cache, 96, 256 and 64 bytes here, are moved without a loop as well: the only loop is that over the
// rows. Where that would be too many moves, as with nine times 256 bytes, loops copy the lines.
// MEDIUM: @kernel_concatenate
// MEDIUM-COUNT-13: llvm.store {{.*}} : vector<32xi8>, !llvm.ptr
// MEDIUM: return
// MEDIUM: @kernel_concatenate
// MEDIUM-NOT: vector<32xi8>
// MEDIUM: return
func.func @medium(%a: tensor<?x24xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>},
                  %c: tensor<?x4x4xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x104xf32>, tensor<?x576xf32>) {
  %d = lathe.reshape %c to [N, 16] : tensor<?x4x4xf32>
  %0 = lathe.concatenate %a, %b, %d dim 1 : tensor<?x24xf32>, tensor<?x64xf32>, tensor<?x16xf32>
  %1 = lathe.concatenate %b, %b, %b, %b, %b, %b, %b, %b, %b dim 1 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  return %0, %1 : tensor<?x104xf32>, tensor<?x576xf32>
}

// With AVX-512 an instruction moves parts of 16 KB and more, whose ends need not be at a line's boundary: those of 16,396 bytes, of
// bytes at odd places, and of pieces of a line that have all, some or none of a part's elements.
// LONG: @kernel_concatenate
// LONG-COUNT-1: rep movsb
// LONG-NOT: rep movsb
// LONG: @kernel_concatenate
// LONG-COUNT-2: rep movsb
// LONG: @kernel_concatenate
// LONG-COUNT-2: rep movsb
// LOOPS-NOT: rep movsb
func.func @long(%a: tensor<?x4099xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x4095xf32> {lathe.dims = #lathe.dims<N>},
                %m: tensor<?x33001xi8> {lathe.dims = #lathe.dims<N>}, %n: tensor<?x7xi8> {lathe.dims = #lathe.dims<N>},
                %o: tensor<?x20000xf32> {lathe.dims = #lathe.dims<N>}, %p: tensor<?x50001xf32> {lathe.dims = #lathe.dims<N>},
                %q: tensor<?x100xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x8194xf32>, tensor<?x66016xi8>, tensor<?x70101xf32>) {
  %0 = lathe.concatenate %a, %b dim 1 : tensor<?x4099xf32>, tensor<?x4095xf32>
  %1 = lathe.concatenate %n, %m, %n, %m dim 1 : tensor<?x7xi8>, tensor<?x33001xi8>, tensor<?x7xi8>, tensor<?x33001xi8>
  %2 = lathe.concatenate %o, %q, %p dim 1 : tensor<?x20000xf32>, tensor<?x100xf32>, tensor<?x50001xf32>
  return %0, %1, %2 : tensor<?x8194xf32>, tensor<?x66016xi8>, tensor<?x70101xf32>
}
