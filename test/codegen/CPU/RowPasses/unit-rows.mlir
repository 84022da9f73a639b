// A sum over rows whose last extent is 1 has the order of its kernel, in a kernel over rows too: the version for known sizes has the
// bits of the general one. Where the graph names that extent, it has those of any other extent.
// RUN: lathe-run %s columns --dim N=250 --random --save %t.0 | FileCheck %s
// RUN: lathec %s --entry columns --specialize N=250 --explain -o %t.o 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: lathe-run %s columns --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy --output r0=@%t.1.npy
// RUN: lathe-run %s columns --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy --specialize N=250 --expect r0=@%t.1.npy --rtol 0 --atol 0
// RUN: lathe-run %s columns --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy -O 0 --expect r0=@%t.1.npy --rtol 0 --atol 0
// RUN: lathe-run %s named --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy --output r0=@%t.2.npy
// RUN: lathe-run %s named --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy --specialize N=250 --expect r0=@%t.2.npy --rtol 0 --atol 0
// RUN: lathe-run %s named --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy --specialize N=250 --specialize M=1 --expect r0=@%t.2.npy --rtol 0 --atol 0
// RUN: lathe-run %s named --input x=@%t.0/in-x.npy --input y=@%t.0/in-y.npy --specialize M=1 --expect r0=@%t.2.npy --rtol 0 --atol 0
// CHECK: r0 = {{[1-9]}}
// FUSED: one kernel over rows

func.func private @column(%x: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %positive = lathe.exp %y : tensor<?x1xf32>
  %size = lathe.abs %x : tensor<?x1xf32>
  %quotient = lathe.div %size, %positive : tensor<?x1xf32>, tensor<?x1xf32>
  %sum = lathe.reduce sum %quotient dims [0, 1] : tensor<?x1xf32>
  return %sum : tensor<f32>
}
func.func @columns(%x: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32>, tensor<?x1xf32>, tensor<?x1xf32>) {
  %r0, %r1, %r2 = lathe.value_and_grad @column(%x, %y) wrt [0, 1] : (tensor<?x1xf32>, tensor<?x1xf32>) -> (tensor<f32>, tensor<?x1xf32>, tensor<?x1xf32>)
  return %r0, %r1, %r2 : tensor<f32>, tensor<?x1xf32>, tensor<?x1xf32>
}

func.func private @both(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}, %y: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> tensor<f32> {
  %positive = lathe.exp %y : tensor<?x?xf32>
  %size = lathe.abs %x : tensor<?x?xf32>
  %quotient = lathe.div %size, %positive : tensor<?x?xf32>, tensor<?x?xf32>
  %sum = lathe.reduce sum %quotient dims [0, 1] : tensor<?x?xf32>
  return %sum : tensor<f32>
}
func.func @named(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}, %y: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> (tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %r0, %r1, %r2 = lathe.value_and_grad @both(%x, %y) wrt [0, 1] : (tensor<?x?xf32>, tensor<?x?xf32>) -> (tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>)
  return %r0, %r1, %r2 : tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>
}
