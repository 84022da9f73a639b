// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of an op of linear algebra, as numbered in LinearAlgebraOps.td.

// triangular_solve_c1
func.func @triangular_solve_c1(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{lathe.triangular_solve: operand 'a' has element type 'f32', operand 'b' 'f64'}}
  %0 = lathe.triangular_solve %a, %b : tensor<3x3xf32>, tensor<3x2xf64>
  return
}

// -----

// triangular_solve_c2
func.func @triangular_solve_c2(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.triangular_solve: operands must be of one rank, at least 2, got 'tensor<3x3xf32>' and 'tensor<3xf32>'}}
  %0 = lathe.triangular_solve %a, %b : tensor<3x3xf32>, tensor<3xf32>
  return
}

// -----

// triangular_solve_c3
func.func @triangular_solve_c3(%a: tensor<?x3x3xf32, #lathe.dims<N>>, %b: tensor<?x3x2xf32, #lathe.dims<M>>) {
  // expected-error @+1 {{lathe.triangular_solve: batch dimension 0 of operand 'a' is N, of operand 'b' M}}
  %0 = lathe.triangular_solve %a, %b : tensor<?x3x3xf32, #lathe.dims<N>>, tensor<?x3x2xf32, #lathe.dims<M>>
  return
}

// -----

// triangular_solve_c4
func.func @triangular_solve_c4(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{lathe.triangular_solve: operand 'a' must be square in its last two dimensions, got 'tensor<3x2xf32>'}}
  %0 = lathe.triangular_solve %a, %b : tensor<3x2xf32>, tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c5
func.func @triangular_solve_c5(%a: tensor<3x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.triangular_solve: operand 'a' is 3 wide, operand 'b' has 2 rows}}
  %0 = lathe.triangular_solve %a, %b : tensor<3x3xf32>, tensor<2x3xf32>
  return
}

// -----

// triangular_solve_c5_right
func.func @triangular_solve_c5_right(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{lathe.triangular_solve: operand 'a' is 3 wide, operand 'b' has 2 columns}}
  %0 = lathe.triangular_solve %a, %b right : tensor<3x3xf32>, tensor<3x2xf32>
  return
}

// -----

// cholesky_c1
func.func @cholesky_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{lathe.cholesky: the operand must have rank 2 or more, got 'tensor<3xf32>'}}
  %0 = lathe.cholesky %a : tensor<3xf32>
  return
}

// -----

// cholesky_c2
func.func @cholesky_c2(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{lathe.cholesky: the operand must be square in its last two dimensions, got 'tensor<3x4xf32>'}}
  %0 = lathe.cholesky %a : tensor<3x4xf32>
  return
}
