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

// A schedule's parameters are integers, truth values, words and lists; each target has its own.
// CHECK-LABEL: @schedules
// CHECK: schedules = [#lathe.schedule<"x86-64-v3" loops {lanes = 8, method = radix, sizes = [1, -2], unrolls = true}>, #lathe.schedule<"sm_80" tiles>]
func.func @schedules(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.kernel(%a = %x : tensor<4xf32>) -> tensor<4xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {unrolls = true, lanes = 8, method = radix, sizes = [1, -2]}>, #lathe.schedule<"sm_80" tiles>]} {
    lathe.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{parameter 'lanes' occurs twice}}
module attributes {lathe.s = #lathe.schedule<"a" loops {lanes = 1, lanes = 2}>} {}

// -----

// expected-error @+1 {{a schedule names its target and its form}}
module attributes {lathe.s = #lathe.schedule<"" loops>} {}

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

// -----

// kernel_c3
func.func @kernel_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has two schedules for the target 'a'}}
  %0 = lathe.kernel(%a = %x : tensor<4xf32>) -> tensor<4xf32> attributes {schedules = [#lathe.schedule<"a" loops>, #lathe.schedule<"a" sort>]} {
    lathe.yield %a : tensor<4xf32>
  }
  return
}
