// RUN: lathe-opt %s --lathe-lower-state --split-input-file --verify-diagnostics

lathe.variable @w : tensor<f32> init #lathe.zeros
lathe.variable @other : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.read @w : tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{cannot minimize by @other: the loss @loss does not read it}}
  %0 = lathe.minimize @loss(%x) with sgd<momentum = 0.5> wrt [@other] : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @step(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{has no variable to update: the loss @loss reads no float variable that it does not write}}
  %0 = lathe.minimize @loss(%x) with sgd<momentum = 0.5> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

lathe.variable @w : tensor<f32> init #lathe.zeros
// expected-note @+1 {{@w.momentum is declared here}}
lathe.variable @w.momentum : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.read @w : tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{needs the name @w.momentum for a slot of its optimiser}}
  %0 = lathe.minimize @loss(%x) with sgd<momentum = 0.5> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

lathe.variable @w : tensor<f32> init #lathe.zeros
// expected-note @+1 {{@f is declared here}}
func.func @f() -> tensor<f32> {
  // expected-error @+1 {{@f calls itself through this op; recursion is not supported; repeat with lathe.scan or lathe.while}}
  %0 = call @f() : () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// With a derivative rule it stays a function of its own; there is no state.
// expected-note @+1 {{@f is declared here}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @f_t} {
  // expected-error @+1 {{@f calls itself through this op; recursion is not supported; repeat with lathe.scan or lathe.while}}
  %y = call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @f_t(%x: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  return %x, %t : tensor<f32>, tensor<f32>
}

// -----

lathe.variable @count : tensor<i64> init #lathe.zeros
// expected-note @+1 {{'counted' is defined here}}
func.func private @counted(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.read @count : tensor<i64>
  lathe.write @count, %0 : tensor<i64>
  return %x : tensor<f32>
}
func.func @each(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'lathe.vmap' of 'counted', which writes variables: each element of the batch would; let it return the new value and write what its caller makes of all}}
  %0 = lathe.vmap @counted(%x) in [0] : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

lathe.variable @w : tensor<f32> init #lathe.zeros
func.func @inside(%x: tensor<f32>) {
  %r = lathe.scan carry(%h = %x : tensor<f32>) trip 3 -> tensor<f32> {
    // expected-error @+1 {{must be in the body of its function, not in a region; yield the new value from the region, and write the result}}
    lathe.write @w, %h : tensor<f32>
    lathe.yield carry(%h : tensor<f32>)
  }
  return
}

// -----

lathe.variable @w : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  %0 = lathe.read @w : tensor<f32>
  %1 = lathe.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}
func.func @steps(%x: tensor<f32>) -> tensor<f32> {
  %l = lathe.scan carry(%c = %x : tensor<f32>) trip 5 -> tensor<f32> {
    // expected-error @+1 {{lathe.minimize must be in the body of its function, not in a region: it writes variables}}
    %0 = lathe.minimize @loss(%c) with sgd<learning_rate = 0.1> : (tensor<f32>) -> tensor<f32>
    lathe.yield carry(%0 : tensor<f32>)
  }
  return %l : tensor<f32>
}

// -----

// Two steps of a variable keep its slots in one type.
lathe.variable @w : tensor<f32> init #lathe.zeros
func.func private @loss() -> tensor<f32> {
  %0 = lathe.read @w : tensor<f32>
  return %0 : tensor<f32>
}
func.func @steps() -> tensor<f32> {
  // expected-note @+1 {{the other one is here}}
  %0 = lathe.minimize @loss() with adam<> : () -> tensor<f32>
  // expected-error @+1 {{keeps the slot @w.mean as 'tensor<bf16>', but another lathe.minimize keeps it as 'tensor<f32>'; give both the same 'slots'}}
  %1 = lathe.minimize @loss() with adam<slots = bf16> : () -> tensor<f32>
  return %1 : tensor<f32>
}
