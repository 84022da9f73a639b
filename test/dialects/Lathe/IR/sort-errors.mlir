// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of an op of order, as numbered in SortOps.td.

// sort_c1
func.func @sort_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.sort: 'dim' is 1, but the operand has rank 1}}
  %0 = lathe.sort %x dim 1 : tensor<4xf32>
  return
}

// -----

// argsort_c1
func.func @argsort_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.argsort: 'dim' is 1, but the operand has rank 1}}
  %0 = lathe.argsort %x dim 1 : tensor<4xf32>
  return
}

// -----

// top_k_c1
func.func @top_k_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.top_k: 'dim' is -1, but the operand has rank 1}}
  %0 = lathe.top_k %x dim -1 count 2 : tensor<4xf32>
  return
}

// -----

// top_k_c2
func.func @top_k_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.top_k: 'count' is -2}}
  %0 = lathe.top_k %x dim 0 count -2 : tensor<4xf32>
  return
}

// -----

// top_k_c3
func.func @top_k_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.top_k: 'count' is 5, dimension 0 has only 4 elements}}
  %0 = lathe.top_k %x dim 0 count 5 : tensor<4xf32>
  return
}
