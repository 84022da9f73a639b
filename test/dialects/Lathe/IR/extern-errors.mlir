// RUN: lathe-opt %s --split-input-file -verify-diagnostics

// extern_c1: a name of C
func.func @extern_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: @my-function is not a valid name for a C or C++ function}}
  %0 = lathe.extern @"my-function"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// extern_c1: no word of it
func.func @extern_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: @while is not a valid name for a C or C++ function}}
  %0 = lathe.extern @f(%x) batched @while : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// extern_c1: not taken
func.func @extern_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: @lathe_alloc is reserved for Lathe (lathe_...) or for the C library; wrap it in a function with another name}}
  %0 = lathe.extern @f(%x) gradient [@g, @lathe_alloc] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// extern_c1: not by the graph
// expected-note @+1 {{@f is declared here}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @extern_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: @f is a symbol of the graph; a function of the graph is called with func.call, a C function needs a name of its own}}
  %0 = lathe.extern @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// extern_c2: a result
func.func @extern_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: there are 1 operands and 0 results; expected at least one result, and at most 16 operands and results in total}}
  lathe.extern @f(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

// extern_c2: not too many
func.func @extern_c2(%x: tensor<f32>) {
  // expected-error @+1 {{lathe.extern: there are 16 operands and 1 results}}
  %0 = lathe.extern @f(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// extern_c3: a dimension that is said
func.func @extern_c3(%x: tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.extern: results have 1 '?' dimensions, but 'dims' lists 0; list one for each '?', in order: dims [N, 2 * M]}}
  %0 = lathe.extern @f(%x) : (tensor<?xf32, #lathe.dims<N>>) -> tensor<2x?xf32>
  return
}

// -----

// extern_c3: no more of them
func.func @extern_c3(%x: tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.extern: results have 1 '?' dimensions, but 'dims' lists 2}}
  %0 = lathe.extern @f(%x) dims [N, 2] : (tensor<?xf32, #lathe.dims<N>>) -> tensor<2x?xf32>
  return
}

// -----

// extern_c3: a tensor
func.func @extern_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: result 0 has type 'tensor<4xindex>'; expected a ranked tensor of f64}}
  %0 = lathe.extern @f(%x) : (tensor<4xf32>) -> tensor<4xindex>
  return
}

// -----

// extern_c4
func.func @extern_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: @f declares a derivative, but it has no float operand or no float result}}
  %0 = lathe.extern @f(%x) gradient [@g] : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

// extern_c5: in two calls
func.func @extern_c5(%x: tensor<4xf32>, %y: tensor<2x2xf32>) {
  // expected-note @+1 {{the other declaration is here}}
  %0 = lathe.extern @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{lathe.extern: @f is (f32 of rank 2) -> (f32 of rank 1) here, elsewhere (f32 of rank 1) -> (f32 of rank 1); a C function has one signature}}
  %1 = lathe.extern @f(%y) : (tensor<2x2xf32>) -> tensor<4xf32>
  return
}

// -----

// extern_c5: as the gradient of itself
func.func @extern_c5(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.extern: @f is (f32 of rank 1, f32 of rank 1, f32 of rank 1) -> (f32 of rank 1) here, elsewhere (f32 of rank 1) -> (f32 of rank 1)}}
  // expected-note @+1 {{the other declaration is here}}
  %0 = lathe.extern @f(%x) gradient [@f] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @extern_gradient_of_none(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.extern: 'gradient' is an empty list; list the gradient function}}
  %0 = lathe.extern @f(%x) gradient [] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// extern_tangent_c1
func.func @extern_tangent_c1(%x: tensor<4xf32>, %t: tensor<3xf32>) {
  // expected-error @+1 {{lathe.extern_tangent: expected a tangent of its type for each of the 1 float inputs, got 1}}
  %0 = lathe.extern_tangent @f(%x) gives (%x) along (%t) : (tensor<4xf32>), (tensor<4xf32>), (tensor<3xf32>)
  return
}
