// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of an indexing op, as numbered in IndexingOps.td.

// gather_c1
func.func @gather_c1(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<4xi32>) {
  // expected-error @+1 {{lathe.gather: expected batch <= axis < rank of 'table', got batch 0, axis 3, rank 3}}
  %0 = lathe.gather %t, %i axis 3 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>
  return
}

// -----

// gather_c1_batch
func.func @gather_c1_batch(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<4xi32>) {
  // expected-error @+1 {{lathe.gather: expected batch <= axis < rank of 'table', got batch 1, axis 0, rank 3}}
  %0 = lathe.gather %t, %i axis 0 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>
  return
}

// -----

// gather_c2
func.func @gather_c2(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.gather: batch is 1, but operand 'indices' has rank 0}}
  %0 = lathe.gather %t, %i axis 1 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<i32>
  return
}

// -----

// gather_c3
func.func @gather_c3(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<4xi32>) {
  // expected-error @+1 {{lathe.gather: batch dimension 0 of operand 'table' is N, of operand 'indices' 4}}
  %0 = lathe.gather %t, %i axis 1 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>
  return
}

// -----

// scatter_c1
func.func @scatter_c1(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{lathe.scatter: expected batch <= axis < rank of 'into', got batch 0, axis -1, rank 3}}
  %0 = lathe.scatter add %t, %i, %u axis -1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>, tensor<4xf32>
  return
}

// -----

// scatter_c2
func.func @scatter_c2(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<i32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{lathe.scatter: batch is 1, but operand 'indices' has rank 0}}
  %0 = lathe.scatter add %t, %i, %u axis 1 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<i32>, tensor<4xf32>
  return
}

// -----

// scatter_c3
func.func @scatter_c3(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{lathe.scatter: batch dimension 0 of operand 'into' is N, of operand 'indices' 4}}
  %0 = lathe.scatter add %t, %i, %u axis 1 batch 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>, tensor<4xf32>
  return
}

// -----

// scatter_c4
func.func @scatter_c4(%t: tensor<?x5x3xf32, #lathe.dims<N>>, %i: tensor<4xi32>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{lathe.scatter: operand 'updates' is 'tensor<4x3xf32>', expected 'tensor<?x4x3xf32, #lathe.dims<N>>', the type that gather would give}}
  %0 = lathe.scatter add %t, %i, %u axis 1 : tensor<?x5x3xf32, #lathe.dims<N>>, tensor<4xi32>, tensor<4x3xf32>
  return
}

// -----

// random_bits_c1
func.func @random_bits_c1(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_bits: element type must be i32 or i64, got 'i16'}}
  %0 = lathe.random_bits %s stream 0 to [4] : i16
  return
}

// -----

// random_bits_c2
func.func @random_bits_c2(%s: tensor<i64>) {
  // expected-error @+1 {{lathe.random_bits: stream 4294967296 does not fit 32 bits}}
  %0 = lathe.random_bits %s stream 4294967296 to [4] : i32
  return
}

// -----

// scatter_c5
func.func @scatter_c5(%t: tensor<5xi1>, %i: tensor<4xi32>, %u: tensor<4xi1>) {
  // expected-error @+1 {{lathe.scatter: i1 elements can only be set, got max}}
  %0 = lathe.scatter max %t, %i, %u axis 0 : tensor<5xi1>, tensor<4xi32>, tensor<4xi1>
  return
}

// -----

// dynamic_slice_c1
func.func @dynamic_slice_c1(%x: tensor<5x3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.dynamic_slice: expected 2 starts, one for each dimension of the operand, got 1}}
  %0 = lathe.dynamic_slice %x [%i] size [2, 3] : tensor<5x3xf32>, (tensor<i32>)
  return
}

// -----

// dynamic_slice_c2
func.func @dynamic_slice_c2(%x: tensor<5x3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.dynamic_slice: 'size' has 1 dimensions, but the operand has rank 2}}
  %0 = lathe.dynamic_slice %x [%i, %i] size [2] : tensor<5x3xf32>, (tensor<i32>, tensor<i32>)
  return
}

// -----

// dynamic_slice_c3
func.func @dynamic_slice_c3(%x: tensor<?x3xf32, #lathe.dims<N>>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.dynamic_slice: 'size' is N + 1 long in dimension 0, the operand only N}}
  %0 = lathe.dynamic_slice %x [%i, %i] size [N + 1, 3] : tensor<?x3xf32, #lathe.dims<N>>, (tensor<i32>, tensor<i32>)
  return
}

// -----

// dynamic_update_slice_c1
func.func @dynamic_update_slice_c1(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.dynamic_update_slice: expected 2 starts, one for each dimension of the operand, got 3}}
  %0 = lathe.dynamic_update_slice %x, %u [%i, %i, %i] : tensor<5x3xf32>, tensor<2x3xf32>, (tensor<i32>, tensor<i32>, tensor<i32>)
  return
}

// -----

// dynamic_update_slice_c2
func.func @dynamic_update_slice_c2(%x: tensor<5x3xf32>, %u: tensor<2x3xf64>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.dynamic_update_slice: operand 'update' must have elements of 'f32' and rank 2, as the first operand, got 'tensor<2x3xf64>'}}
  %0 = lathe.dynamic_update_slice %x, %u [%i, %i] : tensor<5x3xf32>, tensor<2x3xf64>, (tensor<i32>, tensor<i32>)
  return
}

// -----

// dynamic_update_slice_c3
func.func @dynamic_update_slice_c3(%x: tensor<5x3xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{lathe.dynamic_update_slice: operand 'update' is 4 long in dimension 1, the operand only 3}}
  %0 = lathe.dynamic_update_slice %x, %u [%i, %i] : tensor<5x3xf32>, tensor<2x4xf32>, (tensor<i32>, tensor<i32>)
  return
}
