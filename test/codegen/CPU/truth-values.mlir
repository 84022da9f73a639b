// Truth values become floats by a choice between 0 and 1, which takes an instruction, and not by a conversion from integers.
// RUN: lathec %s --target=x86-64-v4 --threads=off --emit=asm -o - | FileCheck %s
// RUN: lathec %s --target=x86-64-v3 --threads=off --emit=asm -o - | FileCheck %s
// RUN: lathe-run %s --random --check --rtol 0 --atol 0
// RUN: lathe-run %s --random --check --rtol 0 --atol 0 --target=x86-64-v2
// CHECK: kernel_
// CHECK-NOT: vcvtdq2pd
// CHECK-NOT: vpmovm2d
// CHECK: vzeroupper
func.func @f(%x: tensor<300x40xf64>) -> (tensor<300x40xf64>, tensor<300xf64>) {
  %least = lathe.reduce min %x dims [1] : tensor<300x40xf64>
  %rows = lathe.broadcast %least dims [0] to [300, 40] : tensor<300xf64>
  %are = lathe.compare eq %x, %rows : tensor<300x40xf64>
  %ones = lathe.convert %are to f64 : tensor<300x40xi1>
  %count = lathe.reduce sum %ones dims [1] : tensor<300x40xf64>
  return %ones, %count : tensor<300x40xf64>, tensor<300xf64>
}
