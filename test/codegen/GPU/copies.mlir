// Profiles call the plan's copies copies, for the op that needs them; and a kernel that stores a value twice by
// what computes it.
// RUN: lathec %s --target=host,cuda:sm_90 --emit=llvm -o - | FileCheck %s --implicit-check-not=stop_gradient
// RUN: lathec %s --target=cuda:sm_90 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=KERNELS --implicit-check-not=stop_gradient
// RUN: %cuda lathe-run %s returned --random --target=cuda:sm_90 --check --rtol 1e-5
// RUN: %cuda lathe-run %s stepped --random --input n=3 --target=cuda:sm_90 --check

// CHECK-DAG: c"copy for func.return\00"
// CHECK-DAG: c"copy for lathe.while\00"
// CHECK-DAG: c"lathe.exp\00"
// CHECK-DAG: c"copy\00"
// KERNELS-DAG: kernel_copy_{{.*}} for sm_90
// KERNELS-DAG: kernel_exp_{{.*}} for sm_90
func.func @returned(%x: tensor<64x32xf32>) -> (tensor<64x32xf32> {lathe.name = "a"}, tensor<64x32xf32> {lathe.name = "b"}, tensor<64x32xf32> {lathe.name = "c"}) {
  %0 = lathe.exp %x : tensor<64x32xf32>
  return %x, %0, %0 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}

func.func @stepped(%x: tensor<64xf32>, %n: tensor<i32>) -> tensor<64xf32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %r:2 = lathe.while carry(%i = %zero : tensor<i32>, %y = %x : tensor<64xf32>) {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %j = lathe.add %i, %one : tensor<i32>
    %z = lathe.neg %y : tensor<64xf32>
    lathe.yield carry(%j : tensor<i32>, %z : tensor<64xf32>)
  }
  return %r#1 : tensor<64xf32>
}
