// RUN: lathe-opt %s --split-input-file -verify-diagnostics | lathe-opt --split-input-file | FileCheck %s

#here = affine_map<(d0, d1) -> (d0, d1)>
#always = affine_set<(d0, d1) : (0 == 0)>
// CHECK-LABEL: @rows
// CHECK: lathe.nest {{ ?}}sum [N, 4](%arg0) accesses [#lathe.access<#{{.*}} where #{{.*}} else 0.000000e+00 : f32>] symbols []
func.func @rows(%x: tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.nest sum [N, 4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    lathe.yield %a : f32
  } : (tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>>
  return %0 : tensor<?xf32, #lathe.dims<N>>
}

// -----

// nest_c1: an access an input
func.func @no_access(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has 0 accesses for 1 inputs}}
  %0 = lathe.nest sum [2, 4] (%x) accesses [] symbols [] {
  ^bb0(%a: f32):
    lathe.yield %a : f32
  } : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// nest_c1: an index for each dimension of the input
#diagonal = affine_map<(d0, d1) -> (d0)>
#always = affine_set<(d0, d1) : (0 == 0)>
func.func @short_access(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{access 0 must map 2 dimensions and 0 symbols to 2 indices}}
  %0 = lathe.nest sum [2, 4] (%x) accesses [#lathe.access<#diagonal where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    lathe.yield %a : f32
  } : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// nest_c2
#here = affine_map<(d0, d1) -> (d0, d1)>
#always = affine_set<(d0, d1) : (0 == 0)>
func.func @wrong_shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{the result's shape [3] must be the leading extents of [2, 4]}}
  %0 = lathe.nest sum [2, 4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    lathe.yield %a : f32
  } : (tensor<2x4xf32>) -> tensor<3xf32>
  return
}

// -----

// nest_c3: dimensions to reduce, and no reduction
#here = affine_map<(d0, d1) -> (d0, d1)>
#always = affine_set<(d0, d1) : (0 == 0)>
func.func @no_reduction(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has 1 reduction dimensions with reduction none}}
  %0 = lathe.nest none [2, 4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    lathe.yield %a : f32
  } : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// apply_c1: a function of that name
#here = affine_map<(d0) -> (d0)>
#always = affine_set<(d0) : (0 == 0)>
func.func @no_function(%x: tensor<4xf32>) {
  %0 = lathe.nest none [4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    // expected-error @+1 {{has an unknown elementary function 'abs'}}
    %f = lathe.apply "abs"(%a) : f32
    lathe.yield %f : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// apply_c1: of as many operands
#here = affine_map<(d0) -> (d0)>
#always = affine_set<(d0) : (0 == 0)>
func.func @one_operand(%x: tensor<4xf32>) {
  %0 = lathe.nest none [4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    // expected-error @+1 {{'pow' takes 2 operands, got 1}}
    %f = lathe.apply "pow"(%a) : f32
    lathe.yield %f : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// apply_c2
#here = affine_map<(d0) -> (d0)>
#always = affine_set<(d0) : (0 == 0)>
func.func @sine_of_integers(%x: tensor<4xi32>) {
  %0 = lathe.nest none [4] (%x) accesses [#lathe.access<#here where #always else 0 : i32>] symbols [] {
  ^bb0(%a: i32):
    // expected-error @+1 {{'sin' is not a function of 'i32'}}
    %f = lathe.apply "sin"(%a) : i32
    lathe.yield %f : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// apply_c3: polygamma needs its order
#here = affine_map<(d0) -> (d0)>
#always = affine_set<(d0) : (0 == 0)>
func.func @order(%x: tensor<4xf32>) {
  %0 = lathe.nest none [4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    // expected-error @+1 {{'polygamma' needs an order}}
    %f = lathe.apply "polygamma"(%a) : f32
    lathe.yield %f : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// apply_c3: no other one has one
#here = affine_map<(d0) -> (d0)>
#always = affine_set<(d0) : (0 == 0)>
func.func @order(%x: tensor<4xf32>) {
  %0 = lathe.nest none [4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    // expected-error @+1 {{'digamma' has no order}}
    %f = lathe.apply "digamma"(%a) order 1 : f32
    lathe.yield %f : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
