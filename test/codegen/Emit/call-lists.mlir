// A version of many kernels is a list of calls of one function, which profiles a kernel and gives it to threads. The list is not
// optimised: it has no blocks, and computes addresses where it uses them.
// RUN: lathec %s --emit=llvm --name lists --target x86-64-v3 -o - | FileCheck %s
// RUN: lathec %s --emit=llvm --name lists --target x86-64-v3 --threads=off -o - | FileCheck %s --check-prefix ALONE
// RUN: lathe-run %s chain --random --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s chain --random --check --rtol 1e-4 --atol 1e-4 --threads 2

// CHECK: define internal i32 @lists_chain.general(ptr %0) [[LIST:#[0-9]+]]
// CHECK: body:
// CHECK-NOT: {{^[a-z0-9]+:}}
// CHECK-COUNT-18: call void @run_kernel(
// CHECK-NOT: {{^[a-z0-9]+:}}
// CHECK-NOT: call void
// CHECK: ret i32 0
// CHECK: define internal void @run_kernel(
// CHECK: attributes [[LIST]] = {{.*}} optnone

// Without threads there is nothing to decide.
// ALONE-NOT: run_kernel
// ALONE: define internal i32 @lists_chain.general(ptr %0) [[LIST:#[0-9]+]]
// ALONE-COUNT-18: call void @kernel_
// ALONE: attributes [[LIST]] = {{.*}} optnone
func.func @chain(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %w = lathe.constant dense<0.02> : tensor<40x40xf32>
  %p0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t0 = lathe.tanh %p0 : tensor<40x40xf32>
  %p1 = lathe.dot_general %t0, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t1 = lathe.tanh %p1 : tensor<40x40xf32>
  %p2 = lathe.dot_general %t1, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t2 = lathe.tanh %p2 : tensor<40x40xf32>
  %p3 = lathe.dot_general %t2, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t3 = lathe.tanh %p3 : tensor<40x40xf32>
  %p4 = lathe.dot_general %t3, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t4 = lathe.tanh %p4 : tensor<40x40xf32>
  %p5 = lathe.dot_general %t4, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t5 = lathe.tanh %p5 : tensor<40x40xf32>
  %p6 = lathe.dot_general %t5, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t6 = lathe.tanh %p6 : tensor<40x40xf32>
  %p7 = lathe.dot_general %t6, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t7 = lathe.tanh %p7 : tensor<40x40xf32>
  %p8 = lathe.dot_general %t7, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t8 = lathe.tanh %p8 : tensor<40x40xf32>
  %p9 = lathe.dot_general %t8, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t9 = lathe.tanh %p9 : tensor<40x40xf32>
  %p10 = lathe.dot_general %t9, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t10 = lathe.tanh %p10 : tensor<40x40xf32>
  %p11 = lathe.dot_general %t10, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t11 = lathe.tanh %p11 : tensor<40x40xf32>
  %p12 = lathe.dot_general %t11, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t12 = lathe.tanh %p12 : tensor<40x40xf32>
  %p13 = lathe.dot_general %t12, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t13 = lathe.tanh %p13 : tensor<40x40xf32>
  %p14 = lathe.dot_general %t13, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t14 = lathe.tanh %p14 : tensor<40x40xf32>
  %p15 = lathe.dot_general %t14, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t15 = lathe.tanh %p15 : tensor<40x40xf32>
  %p16 = lathe.dot_general %t15, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t16 = lathe.tanh %p16 : tensor<40x40xf32>
  %p17 = lathe.dot_general %t16, %w contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
  %t17 = lathe.tanh %p17 : tensor<40x40xf32>
  return %t17 : tensor<40x40xf32>
}
