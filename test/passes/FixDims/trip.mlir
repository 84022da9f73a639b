// A number of steps that turns out to be below 0 when its name gets a size.
// RUN: not lathec %s --dim=N=2 --emit=none 2>&1 | FileCheck %s
// RUN: lathec %s --dim=N=5 --emit=none
// CHECK: trip.mlir:[[#@LINE+2]]:8: error: 'lathe.scan' op 'trip' is -3, expected 0 or more steps
func.func @f(%xs: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %h0: tensor<3xf32>) -> (tensor<3xf32>, tensor<?xf32> {lathe.name = "same"}) {
  %h = lathe.scan carry(%h = %h0 : tensor<3xf32>) trip N - 5 -> tensor<3xf32> {
    %n = lathe.mul %h, %h : tensor<3xf32>
    lathe.yield carry(%n : tensor<3xf32>)
  }
  return %h, %xs : tensor<3xf32>, tensor<?xf32>
}
