// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// Attributes of named dimensions, and argument attributes.

// expected-error @+1 {{lathe.dims names 2 dimensions of a type with 1 dynamic ones}}
func.func private @too_many(tensor<?x4xf32, #lathe.dims<N, M>>)

// -----

// expected-error @+1 {{lathe.dims names 1 dimensions of a type with 0 dynamic ones}}
func.func private @static(tensor<4xf32, #lathe.dims<N>>)

// -----

// expected-error @+1 {{argument 0: 'lathe.dims' names 1 dimensions, but the type 'tensor<?x?xf32>' has 2 dynamic ones}}
func.func @argument(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N>}) {
  return
}

// -----

// expected-error @+1 {{argument 0: 'lathe.dims' must be a #lathe.dims attribute of a tensor argument}}
func.func @kind(%x: tensor<?xf32> {lathe.dims = "N"}) {
  return
}

// -----

// expected-error @+1 {{argument 0: 'lathe.name' must be a string}}
func.func @name(%x: tensor<4xf32> {lathe.name = 3 : i64}) {
  return
}

// -----

// expected-error @+1 {{argument 0: 'lathe.state' must name a variable}}
func.func @state(%x: tensor<4xf32> {lathe.state = "w"}) {
  return
}

// -----

func.func @overflow(%x: tensor<4xf32>) {
  // expected-error @+1 {{the coefficients of this dimension overflow 64 bits}}
  %0 = lathe.reshape %x to [9223372036854775807 * 2 * N] : tensor<4xf32>
  return
}

// -----

func.func @missing_operator(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '+', '-' or '*' between dimensions}}
  %0 = lathe.reshape %x to [2 3] : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{the divisor of a dimension must be a positive number, got 0}}
module attributes {lathe.a = #lathe.dim<ceil_div(N, 0)>} {}

// -----

// expected-error @+1 {{expected ')'}}
module attributes {lathe.a = #lathe.dim<ceil_sqrt(N, 2)>} {}

// -----

// expected-error @+1 {{the divisor of a dimension must be a positive number, got -2}}
module attributes {lathe.a = #lathe.dim<floor_div(N, -2)>} {}

// -----

// expected-error @+1 {{expected ','}}
module attributes {lathe.a = #lathe.dim<max(N)>} {}

// -----

// expected-error @+1 {{expected a dimension name or a number, got 'true'}}
func.func @truth(%x: tensor<?xf32> {lathe.dims = #lathe.dims<true>}) { return }
