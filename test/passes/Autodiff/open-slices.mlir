// Derivatives of slices whose extents are quotients of named sizes: all ways to the same size must have one form. The first function's
// cotangent has an extent that is at least 0 because a third of a size is at most the size, also where the size is itself a formula; the
// second's slice has at most one element, which is a quotient of the half size, too.
// RUN: lathec %s --emit=mlir --emit-stage=autodiff -o - | FileCheck %s
// RUN: lathe-run %s part --random --dim N=7 --dim M=7 --check && lathe-run %s part --random --dim N=0 --dim M=1 --check
// RUN: lathe-run %s product --random --dim M=2 --check && lathe-run %s product --random --dim M=5 --check && lathe-run %s product --random --dim M=20 --check
// RUN: lathe-run %s loss --random --dim M=5 --gradcheck

// CHECK: func.func @part
// CHECK-SAME: -> (tensor<?x?xf64, #lathe.dims<ceil_div(broadcast(N, M) - 1 * floor_div(broadcast(N, M), 3), 3), N>>
func.func private @slice(%x: tensor<?x?xf64> {lathe.dims = #lathe.dims<broadcast(N, M), N>}, %m: tensor<?xi8> {lathe.dims = #lathe.dims<M>}) -> tensor<?x?xf64> {
  %y = lathe.slice %x from [floor_div(broadcast(N, M), 3), 0] to [broadcast(N, M), N] step [3, 1] : tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}
func.func private @slice_vjp(%x: tensor<?x?xf64> {lathe.dims = #lathe.dims<broadcast(N, M), N>}, %m: tensor<?xi8> {lathe.dims = #lathe.dims<M>}, %c: tensor<?x?xf64> {lathe.dims = #lathe.dims<ceil_div(broadcast(N, M) - 1 * floor_div(broadcast(N, M), 3), 3), N>}) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %y, %dx = lathe.vjp @slice(%x, %m) cotangents(%c) wrt [0] : (tensor<?x?xf64>, tensor<?xi8>), (tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>)
  return %y, %dx : tensor<?x?xf64>, tensor<?x?xf64>
}
func.func @part(%x: tensor<?x?xf64> {lathe.dims = #lathe.dims<broadcast(N, M), N>}, %m: tensor<?xi8> {lathe.dims = #lathe.dims<M>}, %c: tensor<?x?xf64> {lathe.dims = #lathe.dims<ceil_div(broadcast(N, M) - 1 * floor_div(broadcast(N, M), 3), 3), N>}, %b: tensor<?x?xf64> {lathe.dims = #lathe.dims<broadcast(N, M), N>}) -> tensor<?x?xf64> {
  %y, %dx, %dxx, %dc = lathe.vjp @slice_vjp(%x, %m, %c) cotangents(%c, %b) wrt [0, 2] : (tensor<?x?xf64>, tensor<?xi8>, tensor<?x?xf64>), (tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>)
  return %dc : tensor<?x?xf64>
}

func.func private @few(%x: tensor<?x?xf64> {lathe.dims = #lathe.dims<floor_div(M, 3), M>}) -> tensor<?xf64> {
  %y = lathe.slice %x from [0, 0] to [floor_div(M, 3) - 1 * max(floor_div(M, 3) - 2, 0), M] step [4, 1] : tensor<?x?xf64>
  %z = lathe.reduce product %y dims [0] : tensor<?x?xf64>
  return %z : tensor<?xf64>
}
// CHECK: func.func @product
func.func @product(%x: tensor<?x?xf64> {lathe.dims = #lathe.dims<floor_div(M, 3), M>}, %c: tensor<?xf64> {lathe.dims = #lathe.dims<M>}) -> (tensor<?xf64>, tensor<?x?xf64>) {
  %z, %dx = lathe.vjp @few(%x) cotangents(%c) wrt [0] : (tensor<?x?xf64>), (tensor<?xf64>) -> (tensor<?xf64>, tensor<?x?xf64>)
  return %z, %dx : tensor<?xf64>, tensor<?x?xf64>
}
func.func @loss(%x: tensor<?x?xf64> {lathe.dims = #lathe.dims<floor_div(M, 3), M>}) -> tensor<f64> {
  %z = func.call @few(%x) : (tensor<?x?xf64>) -> tensor<?xf64>
  %w = lathe.mul %z, %z : tensor<?xf64>
  %loss = lathe.reduce sum %w dims [0] : tensor<?xf64>
  return %loss : tensor<f64>
}
