// RUN: lathe-opt %s --split-input-file -verify-diagnostics | lathe-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @kernel
// CHECK: lathe.kernel(%arg2 = %arg0 : tensor<?xf32, #lathe.dims<N>>, %arg3 = %arg1 : tensor<f32>) -> tensor<?xf32, #lathe.dims<N>> {
// CHECK: lathe.yield %{{.*}} : tensor<?xf32, #lathe.dims<N>>
func.func @kernel(%x: tensor<?xf32, #lathe.dims<N>>, %y: tensor<f32>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.kernel(%a = %x : tensor<?xf32, #lathe.dims<N>>, %b = %y : tensor<f32>) -> tensor<?xf32, #lathe.dims<N>> {
    %1 = lathe.mul %a, %b : tensor<?xf32, #lathe.dims<N>>, tensor<f32>
    lathe.yield %1 : tensor<?xf32, #lathe.dims<N>>
  }
  return %0 : tensor<?xf32, #lathe.dims<N>>
}

// -----

// kernel_c1
func.func @kernel_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{block arguments must have the operands' types}}
  %0 = "lathe.kernel"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    lathe.yield %a : tensor<5xf32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// kernel_c2
func.func @kernel_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{must yield values of its result types}}
  %0 = lathe.kernel(%a = %x : tensor<4xf32>) -> tensor<5xf32> {
    lathe.yield %a : tensor<4xf32>
  }
  return
}
