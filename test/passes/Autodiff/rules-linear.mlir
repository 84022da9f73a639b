// RUN: lathe-opt %s --lathe-import --lathe-lower-state --lathe-expand-derivatives --split-input-file --verify-diagnostics
// Ops of several kinds are linear as one of them only; a rule with another would be taken for that one.

// The largest tangent is not a linear function of them.
func.func private @f(%x: tensor<4xf32>) -> tensor<f32> attributes {lathe.tangent = @t} {
  %y = lathe.reduce max %x dims [0] : tensor<4xf32>
  return %y : tensor<f32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<f32>
  // expected-error @+1 {{'lathe.reduce' is not linear in the tangents}}
  %d = lathe.reduce max %t dims [0] : tensor<4xf32>
  return %y, %d : tensor<f32>, tensor<f32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %g = lathe.value_and_grad @f(%x) wrt [0] : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'lathe.cumulative' is not linear in the tangents}}
  %d = lathe.cumulative product %t dim 0 : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %g = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'lathe.reduce_window' is not linear in the tangents}}
  %d = lathe.reduce_window max %t window [1] : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %g = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %i = lathe.constant dense<[0, 1, 1, 3]> : tensor<4xi32>
  // expected-error @+1 {{'lathe.scatter' is not linear in the tangents}}
  %d = lathe.scatter mul %t, %i, %t axis 0 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %g = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

// Nor are whole numbers.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@t is part of a derivative rule, which must be linear}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'lathe.convert' is not linear in the tangents}}
  %n = lathe.convert %t to i32 : tensor<4xf32>
  %d = lathe.convert %n to f32 : tensor<4xi32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %g = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

// A scatter that multiplies is linear in what it multiplies, whatever the factors are.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %i = lathe.constant dense<[0, 1, 1, 3]> : tensor<4xi32>
  %d = lathe.scatter mul %t, %i, %x axis 0 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
  return %x, %d : tensor<4xf32>, tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v, %g = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}
