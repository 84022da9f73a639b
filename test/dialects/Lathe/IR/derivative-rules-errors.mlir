// RUN: lathe-opt %s --split-input-file -verify-diagnostics

// expected-error @+1 {{'lathe.tangent': is on builtin.module, expected a function with one}}
module attributes {lathe.tangent = @t} {
}

// -----

// expected-error @+1 {{'lathe.tangent': is on func.func without a body, expected a function with one}}
func.func private @f(tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @f}

// -----

// expected-error @+1 {{'lathe.tangent': is "t", expected @function}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = "t"} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{'lathe.gradient': is [@f], expected [@forward, @backward]}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.gradient = [@f]} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{'lathe.gradient': @f has both lathe.tangent and lathe.gradient; keep one of them: the compiler derives reverse mode from a tangent and forward mode from a gradient}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.gradient = [@f, @f], lathe.tangent = @f} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{'lathe.tangent': @f has no float argument, so it cannot have a derivative rule}}
func.func @f(%x: tensor<i32>) -> tensor<f32> attributes {lathe.tangent = @f} {
  %0 = lathe.convert %x to f32 : tensor<i32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{'lathe.tangent': @f has no float result, so it cannot have a derivative rule}}
func.func @f(%x: tensor<f32>) -> tensor<i32> attributes {lathe.tangent = @f} {
  %0 = lathe.convert %x to i32 : tensor<f32>
  return %0 : tensor<i32>
}

// -----

// expected-error @+1 {{'lathe.tangent': there is no function @t}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @t} {
  return %x : tensor<f32>
}

// -----

func.func private @t(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
// expected-error @+1 {{'lathe.tangent': there is no function @t with a body}}
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {lathe.tangent = @t} {
  return %x : tensor<f32>
}

// -----

// expected-note @+1 {{@t is declared here}}
func.func private @t(%x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  return %x, %x : tensor<f32>, tensor<f32>
}
// expected-error @+1 {{'lathe.tangent': @t has 2 arguments, expected 3; the next is the tangent of argument 0, 'tensor<f32>'}}
func.func @f(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> attributes {lathe.tangent = @t} {
  return %x : tensor<f32>
}

// -----

// expected-note @+1 {{@t is declared here}}
func.func private @t(%x: tensor<f32>, %n: tensor<i32>, %t: tensor<f64>) -> (tensor<f32>, tensor<f32>) {
  return %x, %x : tensor<f32>, tensor<f32>
}
// expected-error @+1 {{'lathe.tangent': argument 2 of @t is 'tensor<f64>', expected 'tensor<f32>', the tangent of argument 0}}
func.func @f(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> attributes {lathe.tangent = @t} {
  return %x : tensor<f32>
}

// -----

// expected-note @+1 {{@t is declared here}}
func.func private @t(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  return %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expected-error @+1 {{'lathe.tangent': @t has 3 results, expected 2}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.tangent = @t} {
  return %x : tensor<4xf32>
}

// -----

// expected-note @+1 {{@forward is declared here}}
func.func private @forward(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<4xf32>
  return %0, %x : tensor<f32>, tensor<4xf32>
}
func.func private @backward(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  return %c : tensor<4xf32>
}
// expected-error @+1 {{'lathe.gradient': result 0 of @forward is 'tensor<f32>', expected 'tensor<4xf32>', result 0}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.gradient = [@forward, @backward]} {
  return %x : tensor<4xf32>
}

// -----

func.func private @forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<4xf32>
  return %x, %0 : tensor<4xf32>, tensor<f32>
}
// expected-note @+1 {{@backward is declared here}}
func.func private @backward(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  return %c : tensor<4xf32>
}
// expected-error @+1 {{'lathe.gradient': argument 0 of @backward is 'tensor<4xf32>', expected 'tensor<f32>', residual 0}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lathe.gradient = [@forward, @backward]} {
  return %x : tensor<4xf32>
}

// -----

func.func private @forward(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{@backward is declared here}}
func.func private @backward(%c: tensor<4xf32>) -> tensor<4xf32> {
  return %c : tensor<4xf32>
}
// expected-error @+1 {{'lathe.gradient': @backward has 1 results, expected 2; the next is the cotangent of argument 1, 'tensor<2xf32>'}}
func.func @f(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> attributes {lathe.gradient = [@forward, @backward]} {
  return %x : tensor<4xf32>
}
