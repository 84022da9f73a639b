// RUN: lathe-opt %s --lathe-expand-derivatives --split-input-file --verify-diagnostics

// expected-note @+1 {{which depends on argument 0 of 'f'}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{its derivative depends on 'lathe.exp' here}}
  %0 = lathe.exp %x : tensor<4xf32>
  // expected-error @+1 {{'lathe.kernel' has no derivative rule, and a derivative of 'f' passes through it}}
  %1 = lathe.kernel (%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) {
    lathe.yield %a : tensor<4xf32>
  }
  // expected-note @+1 {{its result is used by 'lathe.sin' here}}
  %2 = lathe.sin %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @f(%x) tangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// expected-note @+1 {{'f' is defined here}}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'lathe.value_and_grad' of 'f' is recursive; recursion cannot be differentiated}}
  %0:2 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0 : tensor<f32>
}

// -----

// expected-error @+1 {{'outside' must have a body of one block to be differentiated or batched}}
func.func private @outside(tensor<f32>) -> tensor<f32>
func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = lathe.value_and_grad @outside(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<300xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{'lathe.reduce_window' of kind product has no derivative over windows of more than 256 places}}
  %0 = lathe.reduce_window product %x window [300] : tensor<300xf32>
  return %0 : tensor<1xf32>
}
func.func @g(%x: tensor<300xf32>, %c: tensor<1xf32>) -> tensor<300xf32> {
  %0:2 = lathe.vjp @f(%x) cotangents(%c) wrt [0] : (tensor<300xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<300xf32>)
  return %0#1 : tensor<300xf32>
}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'lathe.polygamma' of the maximum order has no derivative}}
  %0 = lathe.polygamma %x order 32 : tensor<f32>
  return %0 : tensor<f32>
}
func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
