// RUN: lathe-opt %s --lathe-layout | FileCheck %s
// Systems from the right become systems from the left.

// CHECK-LABEL: @right(
// CHECK: %[[B:.*]] = lathe.transpose %arg1 [0, 2, 1]
// CHECK: %[[X:.*]] = lathe.triangular_solve %arg0, %[[B]] upper transposed : tensor<?x4x4xf32, #lathe.dims<N>>, tensor<?x4x3xf32, #lathe.dims<N>>
// CHECK: lathe.transpose %[[X]] [0, 2, 1]
func.func @right(%a: tensor<?x4x4xf32, #lathe.dims<N>>, %b: tensor<?x3x4xf32, #lathe.dims<N>>) -> tensor<?x3x4xf32, #lathe.dims<N>> {
  %0 = lathe.triangular_solve %a, %b right upper : tensor<?x4x4xf32, #lathe.dims<N>>, tensor<?x3x4xf32, #lathe.dims<N>>
  return %0 : tensor<?x3x4xf32, #lathe.dims<N>>
}
