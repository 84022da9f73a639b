// Reverse derivatives of loops need to know how much they may have to keep.
// RUN: lathe-opt %s --split-input-file --lathe-expand-derivatives -verify-diagnostics -mlir-print-op-on-diagnostic=false

func.func private @f(%v0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'lathe.while' op has no bound, but reverse mode must know how many residuals to keep; declare an upper bound on its steps, `bound 1000`}}
  %v = lathe.while carry(%v = %v0 : tensor<f32>) {
    %limit = lathe.constant dense<100.0> : tensor<f32>
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %n = lathe.mul %v, %v : tensor<f32>
    lathe.yield carry(%n : tensor<f32>)
  }
  return %v : tensor<f32>
}
func.func @g(%v0: tensor<f32>) -> tensor<f32> {
  %e, %g = lathe.value_and_grad @f(%v0) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}

// -----

func.func private @f(%v0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'lathe.while' op has a 'checkpoint' and no bound: the number of segments is unknown; declare an upper bound on its steps, `bound 1000`}}
  %v = lathe.while carry(%v = %v0 : tensor<f32>) checkpoint sqrt {
    %limit = lathe.constant dense<100.0> : tensor<f32>
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %n = lathe.mul %v, %v : tensor<f32>
    lathe.yield carry(%n : tensor<f32>)
  }
  return %v : tensor<f32>
}
func.func @g(%v0: tensor<f32>) -> tensor<f32> {
  %e, %g = lathe.value_and_grad @f(%v0) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}

// -----

// The way of a derivative into a loop, and out of it.
// expected-note @+1 {{which depends on argument 0 of 'f'}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{its derivative depends on 'lathe.exp' here}}
  %e = lathe.exp %x : tensor<4xf32>
  // expected-note @+1 {{its result is used by 'lathe.scan' here}}
  %h = lathe.scan carry(%h = %e : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    // expected-error @+1 {{'lathe.kernel' has no derivative rule, and a derivative of 'f' passes through it}}
    %k = lathe.kernel (%a = %h : tensor<4xf32>) -> (tensor<4xf32>) {
      lathe.yield %a : tensor<4xf32>
    }
    lathe.yield carry(%k : tensor<4xf32>)
  }
  return %h : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @f(%x) tangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
