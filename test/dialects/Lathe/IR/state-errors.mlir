// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of an op of state or derivatives, as numbered in StateOps.td.

// variable_c1
// expected-error @+1 {{'w' needs a static tensor type, got 'tensor<?xf32>'}}
lathe.variable @w : tensor<?xf32> init #lathe.zeros

// -----

// variable_c2
// expected-error @+1 {{has an unknown kind of initialiser: 3 : i64; expected #lathe.zeros, fill, normal, uniform, he_normal, glorot_uniform or dense<...>}}
lathe.variable @w : tensor<4xf32> init 3 : i64

// -----

// variable_c2_dense
// expected-error @+1 {{initialiser has type 'tensor<5xf32>', but the variable has 'tensor<4xf32>'}}
lathe.variable @w : tensor<4xf32> init dense<1.0> : tensor<5xf32>

// -----

// variable_c3
// expected-error @+1 {{random initialiser needs a float type, got 'tensor<4x4xi32>'}}
lathe.variable @w : tensor<4x4xi32> init #lathe.he_normal

// -----

// variable_c3_rank
// expected-error @+1 {{a fan-based initialiser needs rank 2 or more, got 'tensor<4xf32>'}}
lathe.variable @w : tensor<4xf32> init #lathe.glorot_uniform

// -----

// dim_c1
// expected-error @+1 {{'N' needs 0 <= minimum <= maximum, got 5 to 4}}
lathe.dim @N, 5 to 4

// -----

// dim_c1_negative
// expected-error @+1 {{'N' needs 0 <= minimum <= maximum, got -1 to 4}}
lathe.dim @N, -1 to 4

// -----

// dim_c2
// expected-error @+1 {{'N' must be a multiple of a positive number, got 0}}
lathe.dim @N, 1 to 4, multiple of 0

// -----

// dim_c3
// expected-error @+1 {{'N' cannot have any size: there is no multiple of 4 from 1 to 3}}
lathe.dim @N, 1 to 3, multiple of 4

// -----

// dim_c3_zero: 0 is a multiple
lathe.dim @N, 0 to 3, multiple of 4

// -----

// read_c1
func.func @read_c1() {
  // expected-error @+1 {{there is no variable @w}}
  %0 = lathe.read @w : tensor<4xf32>
  return
}

// -----

// read_c2
// expected-note @+1 {{@w is declared here}}
lathe.variable @w : tensor<4xf32> init #lathe.zeros
func.func @read_c2() {
  // expected-error @+1 {{has type 'tensor<5xf32>', variable @w 'tensor<4xf32>'}}
  %0 = lathe.read @w : tensor<5xf32>
  return
}

// -----

// write_c1
func.func @write_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{there is no variable @w}}
  lathe.write @w, %x : tensor<4xf32>
  return
}

// -----

// write_c2
// expected-note @+1 {{@w is declared here}}
lathe.variable @w : tensor<5xf32> init #lathe.zeros
func.func @write_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{has type 'tensor<4xf32>', variable @w 'tensor<5xf32>'}}
  lathe.write @w, %x : tensor<4xf32>
  return
}

// -----

// minimize_c1
func.func private @loss(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @minimize_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{the loss @loss must have one rank 0 float result}}
  %0 = lathe.minimize @loss(%x) with sgd<> : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// minimize_c1_operands
// expected-note @+1 {{@loss is declared here}}
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c1_operands(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand 0 is 'tensor<4xf32>', @loss takes 'tensor<f32>'}}
  %0 = lathe.minimize @loss(%x) with sgd<> : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// minimize_c2
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2(%x: tensor<f32>) {
  // expected-error @+1 {{there is no optimiser 'tiger'; expected one of sgd, momentum, adam, adamw, rmsprop, adagrad, lion}}
  %0 = lathe.minimize @loss(%x) with tiger<> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c2_composite
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_composite(%x: tensor<f32>) {
  // expected-error @+1 {{there is no optimiser "relu"; docs/std.md lists those of the library}}
  %0 = "lathe.minimize"(%x) <{loss = @loss, operandSegmentSizes = array<i32: 1, 0>, optimizer = #lathe.optimizer<"relu", {}>}> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c2_flag
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_flag(%x: tensor<f32>) {
  // expected-error @+1 {{'nesterov' of momentum is a flag; write it without a value}}
  %0 = lathe.minimize @loss(%x) with momentum<nesterov = true> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c2_option
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_option(%x: tensor<f32>) {
  // expected-error @+1 {{adam has no option 'momentum'; expected one of learning_rate, clip_norm, slots, beta1, beta2, epsilon}}
  %0 = lathe.minimize @loss(%x) with adam<momentum = 0.9> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c2_twice
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_twice(%x: tensor<f32>) {
  // expected-error @+1 {{momentum has 'nesterov' twice}}
  %0 = lathe.minimize @loss(%x) with momentum<nesterov, nesterov> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c3
lathe.variable @n : tensor<i32> init #lathe.zeros
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c3(%x: tensor<f32>) {
  // expected-error @+1 {{variable @n is 'tensor<i32>'; only floats have derivatives}}
  %0 = lathe.minimize @loss(%x) with sgd<> wrt [@n] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c4
func.func private @loss(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  return %z : tensor<f32>
}
func.func @minimize_c4(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{operand 0 has 2 micro-batches, but operand 1 has 3}}
  %0 = lathe.minimize @loss(%x, %y, %z) with sgd<> micro_batches [0, 1] : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c4_empty
func.func private @loss(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  return %z : tensor<f32>
}
func.func @minimize_c4_empty(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'micro_batches' is empty; name the operands whose first dimension is the number of micro-batches}}
  %0 = lathe.minimize @loss(%x, %y, %z) with sgd<> micro_batches [] : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c4_range
func.func private @loss(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  return %z : tensor<f32>
}
func.func @minimize_c4_range(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'micro_batches' names operand 3; there are 3}}
  %0 = lathe.minimize @loss(%x, %y, %z) with sgd<> micro_batches [0, 3] : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c4_twice
func.func private @loss(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  return %z : tensor<f32>
}
func.func @minimize_c4_twice(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'micro_batches' names operand 1 twice}}
  %0 = lathe.minimize @loss(%x, %y, %z) with sgd<> micro_batches [1, 1] : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c4_rank
func.func private @loss(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  return %z : tensor<f32>
}
func.func @minimize_c4_rank(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{operand 2 of 'micro_batches' has rank 0; expected a first dimension, the number of micro-batches}}
  %0 = lathe.minimize @loss(%x, %y, %z) with sgd<> micro_batches [2] : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// value_and_grad_c1
func.func @value_and_grad_c1(%x: tensor<f32>) {
  // expected-error @+1 {{there is no function @f}}
  %0:2 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// value_and_grad_c1_count
// expected-note @+1 {{@f is declared here}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @value_and_grad_c1_count(%x: tensor<f32>) {
  // expected-error @+1 {{gives 2 operands, @f takes 1}}
  %0:2 = lathe.value_and_grad @f(%x, %x) wrt [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// value_and_grad_c2
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @value_and_grad_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{the first result of @f must be a rank 0 float, the value whose gradient is taken}}
  %0:2 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// value_and_grad_c3
func.func private @f(%x: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @value_and_grad_c3(%x: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{argument 1 of f is 'tensor<i32>'; only floats have derivatives}}
  %0:2 = lathe.value_and_grad @f(%x, %i) wrt [1] : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// value_and_grad_c3_twice
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @value_and_grad_c3_twice(%x: tensor<f32>) {
  // expected-error @+1 {{'wrt' names argument 0 twice}}
  %0:3 = lathe.value_and_grad @f(%x) wrt [0, 0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return
}

// -----

// value_and_grad_c3_range
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @value_and_grad_c3_range(%x: tensor<f32>) {
  // expected-error @+1 {{'wrt' names argument 1, f has 1}}
  %0:2 = lathe.value_and_grad @f(%x) wrt [1] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// value_and_grad_c4
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @value_and_grad_c4(%x: tensor<f32>) {
  // expected-error @+1 {{has 1 results, expected 2}}
  %0 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>)
  return
}

// -----

// jvp_c2
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @jvp_c2(%x: tensor<4xf32>, %t: tensor<3xf32>) {
  // expected-error @+1 {{tangents 0: has type 'tensor<3xf32>', expected 'tensor<4xf32>'}}
  %0:2 = lathe.jvp @f(%x) tangents(%t) wrt [0] : (tensor<4xf32>), (tensor<3xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// jvp_c1
func.func @jvp_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{there is no function @f}}
  %0:2 = lathe.jvp @f(%x) tangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// jvp_c3
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @jvp_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 results, expected 2}}
  %0 = lathe.jvp @f(%x) tangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// -----

// vjp_c1
func.func @vjp_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{there is no function @f}}
  %0:2 = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// vjp_c2
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vjp_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 cotangents, expected 1}}
  %0:2 = lathe.vjp @f(%x) cotangents(%x, %x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// vjp_c3
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vjp_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{'wrt' names argument 2, f has 1}}
  %0:2 = lathe.vjp @f(%x) cotangents(%x) wrt [2] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// vjp_c4
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vjp_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{results 1: has type 'tensor<5xf32>', expected 'tensor<4xf32>'}}
  %0:2 = lathe.vjp @f(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

// minimize_c1_no_tensor: what a function gives need not be a tensor
func.func private @count(%x: tensor<f32>) -> i32
func.func @minimize_c1_no_tensor(%x: tensor<f32>) {
  // expected-error @+1 {{'lathe.minimize' op the loss @count must have one rank 0 float result}}
  %0 = lathe.minimize @count(%x) with sgd<> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// expected-error @+1 {{result 0: 'lathe.name' must be a string}}
func.func @result_name(%x: tensor<f32>) -> (tensor<f32> {lathe.name = 3 : i32}) {
  return %x : tensor<f32>
}

// -----

// vmap_c1
// expected-note @+1 {{@f is declared here}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vmap_c1(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{operand 0 is 'tensor<3xf32>', @f takes 'tensor<4xf32>'}}
  %0 = lathe.vmap @f(%x) in [0] : (tensor<4x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

// vmap_c2
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vmap_c2(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{'in' has 2 entries, but there are 1 operands}}
  %0 = lathe.vmap @f(%x) in [0, none] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

// vmap_c2_dimension
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vmap_c2(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{'in' names dimension 2 of operand 0, which is 'tensor<3x4xf32>'; expected one below its rank, or none}}
  %0 = lathe.vmap @f(%x) in [2] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

// vmap_c3
func.func private @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vmap_c3(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{the batch is 3 long, dimension 1 of operand 1 is 5}}
  %0 = lathe.vmap @f(%x, %y) in [0, 1] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>
  return
}

// -----

// vmap_c3_none
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vmap_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has no batched operand; expected a dimension in 'in' that is not none}}
  %0 = lathe.vmap @f(%x) in [none] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// vmap_c4
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @vmap_c4(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{results 0: has type 'tensor<4x3xf32>', expected 'tensor<3x4xf32>'}}
  %0 = lathe.vmap @f(%x) in [1] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// minimize_c2_nesterov
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_nesterov(%x: tensor<f32>) {
  // expected-error @+1 {{sgd: 'nesterov' needs a momentum, as in sgd<momentum = 0.9, nesterov>}}
  %0 = lathe.minimize @loss(%x) with sgd<nesterov> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c2_nesterov: a momentum of 0
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_nesterov(%x: tensor<f32>) {
  // expected-error @+1 {{sgd: 'nesterov' needs a momentum, as in sgd<momentum = 0.9, nesterov>}}
  %0 = lathe.minimize @loss(%x) with sgd<momentum = 0.0, nesterov> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// minimize_c2_no_real
func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @minimize_c2_no_real(%x: tensor<f32>) {
  // expected-error @+2 {{unexpected decimal integer literal for a floating point value}}
  // expected-note @+1 {{add a trailing dot}}
  %0 = lathe.minimize @loss(%x) with adam<beta1 = 1> : (tensor<f32>) -> tensor<f32>
  return
}
