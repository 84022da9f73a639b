// Integers of up to 32 bits are divided in vectors, as floats; by a constant, and of 64 bits, as integers. Against the interpreter,
// on every level. The ends of the ranges: Types/integers.
// RUN: lathe-run %s all --random --check --rtol 0 --atol 0
// RUN: lathe-run %s all --random --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s all --random --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s

// CHECK: llvm.func internal @kernel_div_
// CHECK: arith.divf {{.*}} : vector<{{.*}}xf64>
// CHECK: llvm.func internal @kernel_rem_
// CHECK: arith.divf {{.*}} : vector<{{.*}}xf32>
// CHECK: llvm.func internal @kernel_floor_div_
// CHECK: arith.divf {{.*}} : vector<{{.*}}xf64>
// CHECK: llvm.func internal @kernel_div_
// CHECK-NOT: divf
// CHECK: llvm.func internal @kernel_div_
// CHECK-NOT: divf
func.func @all(%a: tensor<1000xi32>, %b: tensor<1000xi32>, %c: tensor<1000xui8>, %d: tensor<1000xui8>, %e: tensor<1000xui32>, %f: tensor<1000xui32>,
               %g: tensor<1000xi64>, %h: tensor<1000xi64>)
    -> (tensor<1000xi32>, tensor<1000xui8>, tensor<1000xui32>, tensor<1000xi32>, tensor<1000xi64>) {
  %seven = lathe.constant dense<7> : tensor<i32>
  %0 = lathe.div %a, %b : tensor<1000xi32>
  %1 = lathe.rem %c, %d : tensor<1000xui8>
  %2 = lathe.floor_div %e, %f : tensor<1000xui32>
  %3 = lathe.div %a, %seven : tensor<1000xi32>, tensor<i32>
  %4 = lathe.div %g, %h : tensor<1000xi64>
  return %0, %1, %2, %3, %4 : tensor<1000xi32>, tensor<1000xui8>, tensor<1000xui32>, tensor<1000xi32>, tensor<1000xi64>
}
