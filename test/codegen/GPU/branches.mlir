// A branch on a device: kernels of both sides are launched and look at the predicate, so that the host need not, and the whole call
// can be recorded. Nested ones look at two.
// RUN: lathec %s --target=cuda:sm_90 --emit=ptx -o - | FileCheck %s
// RUN: %cuda lathe-run %s pick --random --input p=0 --input q=0 --dim N=40 --target=cuda:sm_90 --check --rtol 1e-5
// RUN: %cuda lathe-run %s pick --random --input p=0 --input q=1 --dim N=40 --target=cuda:sm_90 --check --rtol 1e-5
// RUN: %cuda lathe-run %s pick --random --input p=1 --input q=0 --dim N=40 --target=cuda:sm_90 --check --rtol 1e-5
// RUN: %cuda lathe-run %s steps --random --dim N=5 --target=cuda:sm_90 --check --rtol 1e-5
// RUN: %cuda lathe-run %s counted --random --dim N=5 --target=cuda:sm_90 --check --rtol 1e-5
// RUN: rm -f %t.log && env LATHE_STANDIN_LOG=%t.log %cuda lathe-run %s pick --random --dim N=4 --target=cuda:sm_90 --benchmark=0.01 > %t.times
// RUN: FileCheck --check-prefix=LOG %s < %t.log
// LOG: graph launch

// CHECK-LABEL: .visible .entry kernel_exp_
// CHECK: ld.global.{{.*}}8
// CHECK: setp.{{ne|eq}}
// CHECK: ld.global
// CHECK: ret;
func.func @pick(%x: tensor<?x12xf32> {lathe.dims = #lathe.dims<N>}, %p: tensor<i1>, %q: tensor<i1>) -> (tensor<?x12xf32>, tensor<f32>) {
  %y, %s = lathe.if %p -> (tensor<?x12xf32>, tensor<f32>) {
    %e = lathe.exp %x : tensor<?x12xf32>
    %t = lathe.reduce sum %e dims [0, 1] : tensor<?x12xf32>
    lathe.yield %e, %t : tensor<?x12xf32>, tensor<f32>
  } else {
    %a, %b = lathe.if %q -> (tensor<?x12xf32>, tensor<f32>) {
      %e = lathe.neg %x : tensor<?x12xf32>
      %t = lathe.reduce max %e dims [0, 1] : tensor<?x12xf32>
      lathe.yield %e, %t : tensor<?x12xf32>, tensor<f32>
    } else {
      %e = lathe.abs %x : tensor<?x12xf32>
      %t = lathe.reduce min %e dims [0, 1] : tensor<?x12xf32>
      lathe.yield %e, %t : tensor<?x12xf32>, tensor<f32>
    }
    lathe.yield %a, %b : tensor<?x12xf32>, tensor<f32>
  }
  return %y, %s : tensor<?x12xf32>, tensor<f32>
}

// A branch in each step of a loop, decided by what the step before made.
func.func @steps(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}, %start: tensor<8xf32>) -> tensor<8xf32> {
  %last = lathe.scan carry(%s = %start : tensor<8xf32>) over(%row = %x : tensor<?x8xf32>) -> tensor<8xf32> {
    %zero = lathe.constant dense<0.0> : tensor<f32>
    %sum = lathe.reduce sum %s dims [0] : tensor<8xf32>
    %positive = lathe.compare gt %sum, %zero : tensor<f32>
    %next = lathe.if %positive -> tensor<8xf32> {
      %d = lathe.sub %s, %row : tensor<8xf32>
      lathe.yield %d : tensor<8xf32>
    } else {
      %d = lathe.add %s, %row : tensor<8xf32>
      lathe.yield %d : tensor<8xf32>
    }
    lathe.yield carry(%next : tensor<8xf32>)
  }
  return %last : tensor<8xf32>
}

// A loop in a branch keeps the host: it reads the condition.
func.func @counted(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}, %p: tensor<i1>) -> tensor<?x8xf32> {
  %y = lathe.if %p -> tensor<?x8xf32> {
    %zero = lathe.constant dense<0> : tensor<i32>
    %z:2 = lathe.while carry(%c = %x : tensor<?x8xf32>, %i = %zero : tensor<i32>) bound 9 {
      %three = lathe.constant dense<3> : tensor<i32>
      %go = lathe.compare lt %i, %three : tensor<i32>
      lathe.condition %go : tensor<i1>
    } do {
      %one = lathe.constant dense<1> : tensor<i32>
      %d = lathe.add %c, %c : tensor<?x8xf32>
      %j = lathe.add %i, %one : tensor<i32>
      lathe.yield carry(%d : tensor<?x8xf32>, %j : tensor<i32>)
    }
    lathe.yield %z#0 : tensor<?x8xf32>
  } else {
    lathe.yield %x : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}
