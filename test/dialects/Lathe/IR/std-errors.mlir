// RUN: lathe-opt %s --split-input-file --verify-diagnostics=only-expected

// std_c1
func.func @std_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{there is no lathe.std.sofmax; did you mean softmax?}}
  %0 = lathe.std.sofmax %x : tensor<4xf32>
  return
}

// -----

// std_c1_generic
func.func @std_c1_generic(%x: tensor<4xf32>) {
  // expected-error @+2 {{there is no lathe.std.unheard_of; docs/std.md lists what there is}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) <{composite = "unheard_of", given = [], options = {}}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// std_c2
func.func @std_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.softmax: 'dim' is 1, operand 0 'x' has rank 1}}
  %0 = lathe.std.softmax %x dim 1 : tensor<4xf32>
  return
}

// -----

// std_c3
func.func @std_c3(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.mse: lathe.sub: operand 'lhs' has shape [4], operand 'rhs' [3]; they do not broadcast}}
  %0 = lathe.std.mse %x, %y : tensor<4xf32>, tensor<3xf32>
  return
}
