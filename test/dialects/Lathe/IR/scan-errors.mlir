// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of a running result, as numbered in ScanOps.td.

// cumulative_c1
func.func @cumulative_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.cumulative: 'dim' is 1, but the operand has rank 1}}
  %0 = lathe.cumulative sum %x dim 1 : tensor<4xf32>
  return
}

// -----

// cumulative_c2
func.func @cumulative_c2(%x: tensor<4xi32>) {
  // expected-error @+1 {{lathe.cumulative: logsumexp takes floats, got 'tensor<4xi32>'}}
  %0 = lathe.cumulative logsumexp %x dim 0 : tensor<4xi32>
  return
}

// -----

// linear_recurrence_c1
func.func @linear_recurrence_c1(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{lathe.linear_recurrence: operand 'factor' is 'tensor<4xf32>', operand 'term' 'tensor<5xf32>'; both must have one type}}
  %0 = lathe.linear_recurrence %a, %b dim 0 : tensor<4xf32>, tensor<5xf32>
  return
}

// -----

// linear_recurrence_c2
func.func @linear_recurrence_c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{lathe.linear_recurrence: 'dim' is -1, but the operand has rank 1}}
  %0 = lathe.linear_recurrence %a, %a dim -1 : tensor<4xf32>
  return
}
