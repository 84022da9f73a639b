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

// -----

// CHECK-LABEL: @strips
// CHECK: lathe.strips(%arg{{[0-9]*}} = %arg{{[0-9]*}} : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> attributes {extents = #lathe.shape<[2, 9]>, height = 4 : i64, places = [array<i64: 0, 1>], rows = "r"} {
// CHECK: lathe.kernel(%{{.*}} : tensor<?x4xf32, #lathe.dims<r>>) -> tensor<?x4xf32, #lathe.dims<r>>
func.func @strips(%x: tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
  %0 = lathe.kernel(%a = %x : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
    %1 = lathe.strips(%b = %a : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> attributes {extents = #lathe.shape<[2, 9]>, height = 4 : i64, places = [array<i64: 0, 1>], rows = "r"} {
      %2 = lathe.kernel(%c = %b : tensor<?x4xf32, #lathe.dims<r>>) -> tensor<?x4xf32, #lathe.dims<r>> {
        %3 = lathe.neg %c : tensor<?x4xf32, #lathe.dims<r>>
        lathe.yield %3 : tensor<?x4xf32, #lathe.dims<r>>
      }
      lathe.yield %2 : tensor<?x4xf32, #lathe.dims<r>>
    }
    lathe.yield %1 : tensor<2x9x4xf32>
  }
  return %0 : tensor<2x9x4xf32>
}

// -----

// strips_c1
func.func @strips_c1(%x: tensor<2x9x4xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
    // expected-error @+1 {{input 0 has the type 'tensor<2x9x4xf32>', which does not fit its places}}
    %1 = "lathe.strips"(%a) <{extents = #lathe.shape<[2, 9]>, height = 4 : i64, places = [array<i64: 1, 0>], rows = "r"}> ({
    ^bb0(%b: tensor<?x4xf32, #lathe.dims<r>>):
      lathe.yield %b : tensor<?x4xf32, #lathe.dims<r>>
    }) : (tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
    lathe.yield %1 : tensor<2x9x4xf32>
  }
  return
}

// -----

// strips_c2
func.func @strips_c2(%x: tensor<2x9x4xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
    // expected-error @+1 {{input 0 has the type 'tensor<2x9x4xf32>', which does not fit its places}}
    %1 = "lathe.strips"(%a) <{extents = #lathe.shape<[2, 9]>, height = 4 : i64, places = [array<i64: 0, 1>], rows = "r"}> ({
    ^bb0(%b: tensor<?x5xf32, #lathe.dims<r>>):
      lathe.yield %b : tensor<?x5xf32, #lathe.dims<r>>
    }) : (tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
    lathe.yield %1 : tensor<2x9x4xf32>
  }
  return
}

// -----

// strips_c3
func.func @strips_c3(%x: tensor<2x9x4xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<2x9x4xf32>) -> tensor<2x9x5xf32> {
    // expected-error @+1 {{yields 'tensor<?x4xf32, #lathe.dims<r>>' for a result of the type 'tensor<2x9x5xf32>'}}
    %1 = "lathe.strips"(%a) <{extents = #lathe.shape<[2, 9]>, height = 4 : i64, places = [array<i64: 0, 1>], rows = "r"}> ({
    ^bb0(%b: tensor<?x4xf32, #lathe.dims<r>>):
      lathe.yield %b : tensor<?x4xf32, #lathe.dims<r>>
    }) : (tensor<2x9x4xf32>) -> tensor<2x9x5xf32>
    lathe.yield %1 : tensor<2x9x5xf32>
  }
  return
}

// -----

// strips_c4
func.func @strips_c4(%x: tensor<2x9x4xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
    // expected-error @+1 {{consists of kernels, got lathe.neg}}
    %1 = "lathe.strips"(%a) <{extents = #lathe.shape<[2, 9]>, height = 4 : i64, places = [array<i64: 0, 1>], rows = "r"}> ({
    ^bb0(%b: tensor<?x4xf32, #lathe.dims<r>>):
      %c = lathe.neg %b : tensor<?x4xf32, #lathe.dims<r>>
      lathe.yield %c : tensor<?x4xf32, #lathe.dims<r>>
    }) : (tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
    lathe.yield %1 : tensor<2x9x4xf32>
  }
  return
}

// -----

// strips_c5
func.func @strips_c5(%x: tensor<2x9x4xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
    // expected-error @+1 {{needs a positive height, got 0}}
    %1 = "lathe.strips"(%a) <{extents = #lathe.shape<[2, 9]>, height = 0 : i64, places = [array<i64: 0, 1>], rows = "r"}> ({
    ^bb0(%b: tensor<?x4xf32, #lathe.dims<r>>):
      lathe.yield %b : tensor<?x4xf32, #lathe.dims<r>>
    }) : (tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
    lathe.yield %1 : tensor<2x9x4xf32>
  }
  return
}

// -----

// kernel_skips: roles
func.func @kernel_skips_role(%x: tensor<4xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{has lathe.skips = "batches"; expected 'columns', 'depth', 'elements', 'rows'}}
  %0 = lathe.kernel(%a = %x : tensor<4xf32>, %b = %n : tensor<i32>) -> tensor<4xf32> attributes {lathe.skips = "batches"} {
    lathe.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel_skips: the number of keys
func.func @kernel_skips_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{has lathe.skips; expected a tensor<i32> as its last input, the number of keys}}
  %0 = lathe.kernel(%a = %x : tensor<4xf32>) -> tensor<4xf32> attributes {lathe.skips = "columns"} {
    lathe.yield %a : tensor<4xf32>
  }
  return
}
