// RUN: lathe-opt %s | lathe-opt | FileCheck %s

// CHECK-LABEL: @systems
func.func @systems(%a: tensor<?x4x4xf32, #lathe.dims<N>>, %b: tensor<?x4x3xf32, #lathe.dims<N>>, %c: tensor<?x2x4xf32, #lathe.dims<N>>) {
  // CHECK: lathe.cholesky %{{.*}} : tensor<?x4x4xf32, #lathe.dims<N>>
  %0 = lathe.cholesky %a : tensor<?x4x4xf32, #lathe.dims<N>>
  // CHECK: lathe.triangular_solve %{{.*}}, %{{.*}} : tensor<?x4x4xf32, #lathe.dims<N>>, tensor<?x4x3xf32, #lathe.dims<N>>
  %1 = lathe.triangular_solve %0, %b : tensor<?x4x4xf32, #lathe.dims<N>>, tensor<?x4x3xf32, #lathe.dims<N>>
  // CHECK: lathe.triangular_solve %{{.*}}, %{{.*}} right upper transposed unit : tensor<?x4x4xf32, #lathe.dims<N>>, tensor<?x2x4xf32, #lathe.dims<N>>
  %2 = lathe.triangular_solve %0, %c right upper transposed unit : tensor<?x4x4xf32, #lathe.dims<N>>, tensor<?x2x4xf32, #lathe.dims<N>>
  return
}
