// Concatenations that are copies of lines, and those that are not: short lines, dimension 0, something fused with them. Against the
// interpreter, on every level.
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s all --random --dim N=1 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s all --random --dim N=5 --check --rtol 0 --atol 0 -O 0
// RUN: lathec %s --emit=mlir --emit-stage=kernels -o - | FileCheck %s

// The first three ask at no vector which operand it is in.
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK-NOT: select
// CHECK: @kernel_concatenate
// CHECK: select
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
