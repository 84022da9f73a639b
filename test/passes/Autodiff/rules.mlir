// RUN: lathe-opt %s --lathe-import --lathe-lower-state --lathe-expand-derivatives --lathe-inline --canonicalize --cse --symbol-dce --split-input-file --verify-diagnostics | FileCheck %s

// The rule counts, not the body: a step whose derivative is said to be that of the identity.
// CHECK-LABEL: @slopes(
// CHECK: %[[Y:.*]] = lathe.floor %arg0
// CHECK: %[[G:.*]] = lathe.mul %arg1, %[[Y]]
// CHECK: return %[[Y]], %[[G]]
// CHECK-LABEL: @forward_slopes(
// CHECK: %[[F:.*]] = lathe.floor %arg0
// CHECK: %[[T:.*]] = lathe.mul %arg1, %[[F]]
// CHECK: return %[[T]]
// CHECK-NOT: func.func private
func.func private @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @step_tangent} {
  %0 = lathe.floor %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @step_tangent(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = func.call @step(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %t : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @step(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s = lathe.stop_gradient %0 : tensor<4xf32>
  %1 = lathe.mul %0, %s : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @slopes(%x: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = lathe.vjp @g(%x, %x) cotangents(%c) wrt [0] : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1 = func.call @step(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
}
func.func @forward_slopes(%x: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @g(%x, %x) tangents(%t) wrt [0] : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// Cotangents are cut to [-1, 1], which is not linear: reverse derivatives take it as it is, and a batch has the rule too.
// CHECK-LABEL: @clipped(
// CHECK: %[[C:.*]] = lathe.clamp
// CHECK: return %[[C]]
// CHECK-LABEL: @batch(
// CHECK: lathe.clamp {{.*}}, %arg1, {{.*}} : tensor<?x4xf32, #lathe.dims<N>>
func.func private @clip(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.gradient = [@clip_forward, @clip_backward]} {
  return %x : tensor<4xf32>
}
func.func private @clip_forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @clip_backward(%c: tensor<4xf32>) -> tensor<4xf32> {
  %low = lathe.constant dense<-1.0> : tensor<f32>
  %high = lathe.constant dense<1.0> : tensor<f32>
  %0 = lathe.clamp %low, %c, %high : tensor<f32>, tensor<4xf32>, tensor<f32>
  return %0 : tensor<4xf32>
}
func.func @clipped(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @clip(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
func.func private @each(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x4xf32> {
  %0 = lathe.vmap @clip(%x) in [0] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @batch(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x4xf32> {
  %0:2 = lathe.vjp @each(%x) cotangents(%c) wrt [0] : (tensor<?x4xf32>), (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %0#1 : tensor<?x4xf32>
}

// -----

func.func private @clip(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.gradient = [@clip_forward, @clip_backward]} {
  return %x : tensor<4xf32>
}
func.func private @clip_forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@clip_backward is part of a derivative rule, which must be linear}}
func.func private @clip_backward(%c: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.tanh' is not linear in the cotangents}}
  %0 = lathe.tanh %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @forward(%x: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @clip(%x) tangents(%t) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{'lathe.add' combines the tangents with operand 1, which does not depend on them and is not zero, so it is not linear in them}}
  %0 = lathe.add %t, %x : tensor<4xf32>
  return %x, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @f(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-error @+1 {{result 0 of @t depends on the tangents; the first 1 results must be those of the function}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %t, %t : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @f(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// A tangent that is not zero where no tangent is.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-error @+1 {{result 1 of @t does not depend on the tangents and is not zero, so it is not linear in them}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @f(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// A carry whose initial value is not a tangent.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{'lathe.scan' returns values that may or may not depend on the tangents; where they do not, they must be zero}}
  %0 = lathe.scan carry(%s = %x : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %1 = lathe.add %t, %t : tensor<4xf32>
    lathe.yield carry(%1 : tensor<4xf32>)
  }
  return %x, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @f(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// expected-note @+1 {{the function is called here}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @t} {
  return %x : tensor<f32>
}
func.func private @t(%x: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error @+1 {{'lathe.jvp' in the derivative rule @t differentiates a call of the function that the rule belongs to}}
  %0:2 = lathe.jvp @f(%x) tangents(%t) wrt [0] : (tensor<f32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
func.func @reverse(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

lathe.variable @w : tensor<4xf32> init #lathe.zeros
// expected-note @+1 {{@f is declared here}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  // expected-error @+1 {{'lathe.read' op is in @f, which is part of the derivative rule of @f; a rule may only use its arguments, so pass the variable's value as one}}
  %w = lathe.read @w : tensor<4xf32>
  %0 = lathe.mul %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %t : tensor<4xf32>, tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A rule's function gets the sizes of each call.
// CHECK-LABEL: @sized(
// CHECK: lathe.mul %{{.*}} : tensor<?xf32, #lathe.dims<N>>
// CHECK: lathe.mul %{{.*}} : tensor<?xf32, #lathe.dims<M>>
func.func private @twice(%x: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<?xf32> attributes {lathe.tangent = @twice_tangent} {
  %0 = lathe.add %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @twice_tangent(%x: tensor<?xf32> {lathe.dims = #lathe.dims<K>}, %t: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = func.call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = lathe.mul %x, %t : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @both(%x: tensor<?xf32> {lathe.dims = #lathe.dims<A>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<B>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = func.call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = func.call @twice(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func @sized(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:4 = lathe.jvp @both(%x, %y) tangents(%x, %y) wrt [0, 1] : (tensor<?xf32>, tensor<?xf32>), (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %0#2, %0#3 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A batch of the function is of all elements: its loop might not end for those that do not take the branch.
func.func private @root(%a: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @root_tangent} {
  %x = lathe.while carry(%x = %a : tensor<f32>) {
    %one = lathe.constant dense<1.0> : tensor<f32>
    %go = lathe.compare gt %x, %one : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %half = lathe.constant dense<0.5> : tensor<f32>
    %next = lathe.mul %x, %half : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %x : tensor<f32>
}
func.func private @root_tangent(%a: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  return %a, %t : tensor<f32>, tensor<f32>
}
func.func private @either(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %y = lathe.if %p -> tensor<f32> {
    // expected-error @+1 {{'func.call' is of a function with a derivative rule and a 'lathe.while', in a branch that only some elements of the batch take; call it before the branch}}
    %r = func.call @root(%a) : (tensor<f32>) -> tensor<f32>
    lathe.yield %r : tensor<f32>
  } else {
    lathe.yield %a : tensor<f32>
  }
  return %y : tensor<f32>
}
func.func @batch(%p: tensor<3xi1>, %a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-note @+1 {{a batch of 'either' is made here}}
  %0 = lathe.vmap @either(%p, %a) in [0, 0] : (tensor<3xi1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// So is one that calls such a function.
func.func private @inner(%a: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @identity} {
  %x = lathe.while carry(%x = %a : tensor<f32>) {
    %one = lathe.constant dense<1.0> : tensor<f32>
    %go = lathe.compare ne %x, %one : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %half = lathe.constant dense<0.5> : tensor<f32>
    %next = lathe.mul %x, %half : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %x : tensor<f32>
}
func.func private @identity(%a: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  return %a, %t : tensor<f32>, tensor<f32>
}
func.func private @outer(%a: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @identity} {
  %0 = func.call @inner(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @either(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %y = lathe.if %p -> tensor<f32> {
    // expected-error @+1 {{'func.call' is of a function with a derivative rule and a 'lathe.while', in a branch that only some elements of the batch take; call it before the branch}}
    %r = func.call @outer(%a) : (tensor<f32>) -> tensor<f32>
    lathe.yield %r : tensor<f32>
  } else {
    lathe.yield %a : tensor<f32>
  }
  return %y : tensor<f32>
}
func.func @batch(%p: tensor<3xi1>, %a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-note @+1 {{a batch of 'either' is made here}}
  %0 = lathe.vmap @either(%p, %a) in [0, 0] : (tensor<3xi1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// And one whose rule reports.
func.func private @root(%a: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @root_tangent} {
  %y = lathe.sqrt %a : tensor<f32>
  return %y : tensor<f32>
}
func.func private @root_tangent(%a: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %p = lathe.compare gt %a, %zero : tensor<f32>
  lathe.assert %p, "positive" : tensor<i1>
  %y = func.call @root(%a) : (tensor<f32>) -> tensor<f32>
  %d = lathe.div %t, %y : tensor<f32>
  return %y, %d : tensor<f32>, tensor<f32>
}
func.func private @either(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %y = lathe.if %p -> tensor<f32> {
    // expected-error @+1 {{'func.call' is of a function with a derivative rule and a 'lathe.assert', in a branch that only some elements of the batch take; call it before the branch}}
    %r = func.call @root(%a) : (tensor<f32>) -> tensor<f32>
    lathe.yield %r : tensor<f32>
  } else {
    lathe.yield %a : tensor<f32>
  }
  return %y : tensor<f32>
}
func.func @batch(%p: tensor<3xi1>, %a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-note @+1 {{a batch of 'either' is made here}}
  %0 = lathe.vmap @either(%p, %a) in [0, 0] : (tensor<3xi1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
