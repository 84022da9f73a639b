// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of a reduction or contraction, as numbered in ReductionOps.td.

// reduce_c1
func.func @reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.reduce: 'dims' must be ascending dimensions of the operand, which has rank 2, got [1, 0]}}
  %0 = lathe.reduce sum %x dims [1, 0] : tensor<2x3xf32>
  return
}

// -----

// reduce_c1_twice
func.func @reduce_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.reduce: 'dims' must be ascending dimensions of the operand, which has rank 2, got [1, 1]}}
  %0 = lathe.reduce sum %x dims [1, 1] : tensor<2x3xf32>
  return
}

// -----

// reduce_c1_range
func.func @reduce_c1_range(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.reduce: 'dims' must be ascending dimensions of the operand, which has rank 2, got [2]}}
  %0 = lathe.reduce max %x dims [2] : tensor<2x3xf32>
  return
}

// -----

// argmax_c1
func.func @argmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.argmax: 'dim' is 2, but the operand has rank 2}}
  %0 = lathe.argmax %x dim 2 : tensor<2x3xf32>
  return
}

// -----

// dot_general_c1
func.func @dot_general_c1(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) {
  // expected-error @+1 {{lathe.dot_general: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'}}
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf64>
  return
}

// -----

// dot_general_c2
func.func @dot_general_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.dot_general: lists must pair up: contract [1] x [0, 1], batch [] x []}}
  %0 = lathe.dot_general %x, %x contract [1] x [0, 1] : tensor<2x3xf32>
  return
}

// -----

// dot_general_c3
func.func @dot_general_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.dot_general: dimension 0 of operand 'lhs' is named twice}}
  %0 = lathe.dot_general %x, %x contract [0] x [0] batch [0] x [1] : tensor<2x3xf32>
  return
}

// -----

// dot_general_c3_range
func.func @dot_general_c3_range(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.dot_general: dimension 2 of operand 'rhs' does not exist: the operand has rank 2}}
  %0 = lathe.dot_general %x, %x contract [0] x [2] : tensor<2x3xf32>
  return
}

// -----

// dot_general_c4
func.func @dot_general_c4(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.dot_general: dimension 1 of operand 'lhs' is 3, dimension 0 of operand 'rhs' is 2}}
  %0 = lathe.dot_general %x, %x contract [1] x [0] : tensor<2x3xf32>
  return
}

// -----

// dot_general_c4_named
func.func @dot_general_c4_named(%x: tensor<?x3xf32, #lathe.dims<N>>, %y: tensor<?x4xf32, #lathe.dims<M>>) {
  // expected-error @+1 {{lathe.dot_general: dimension 0 of operand 'lhs' is N, dimension 0 of operand 'rhs' is M}}
  %0 = lathe.dot_general %x, %y contract [0] x [0] : tensor<?x3xf32, #lathe.dims<N>>, tensor<?x4xf32, #lathe.dims<M>>
  return
}

// -----

// reduce_c2
func.func @reduce_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.reduce: xor takes i1 and integers, got 'tensor<4xf32>'}}
  %0 = lathe.reduce xor %x dims [0] : tensor<4xf32>
  return
}

// -----

// reduce_c2_numbers
func.func @reduce_c2_numbers(%x: tensor<4xi1>) {
  // expected-error @+1 {{lathe.reduce: max takes numbers; 'and' is all and 'or' is any of i1, got 'tensor<4xi1>'}}
  %0 = lathe.reduce max %x dims [0] : tensor<4xi1>
  return
}

// -----

// argmin_c1
func.func @argmin_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.argmin: 'dim' is 1, but the operand has rank 1}}
  %0 = lathe.argmin %x dim 1 : tensor<4xf32>
  return
}

