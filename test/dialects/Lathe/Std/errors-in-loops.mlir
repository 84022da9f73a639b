// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// Like errors.mlir: composites with loops, lists of operands, and functions that options name.

// std_c2: lists, functions and checkpoints
func.func private @slope(%y: tensor<2xf32>, %t: tensor<f32>) -> tensor<2xf32>
func.func @std_c2_function(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rk4: needs 'function', a function's name, as in @f}}
  %0:2 = lathe.std.rk4 %y, %t, %t steps 4 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c2_function_name(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{expected valid '@'-identifier for symbol name}}
  %0:2 = lathe.std.rk4 %y, %t, %t steps 4 function slope : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c2_list_twice(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rk4: 'with' occurs twice}}
  %0:2 = lathe.std.rk4 %y, %t, %t with %t, %t steps 4 with %t : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c2_one(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ':'}}
  %0 = lathe.std.layer_norm %x scale %x, %x : tensor<4xf32>
  return
}

// -----

func.func @std_c2_checkpoint(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>) {
  // expected-error @+1 {{expected 'sqrt' or 'every' with a number}}
  %0:2 = lathe.std.rnn %x, %w, %r checkpoint all : tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>
  return
}

// -----

func.func @std_c2_checkpoint_steps(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>) {
  // expected-error @+1 {{'checkpoint every' is 0, expected a positive number of steps}}
  %0:2 = lathe.std.rnn %x, %w, %r checkpoint every 0 : tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>
  return
}

// -----

func.func @std_c2_generic_checkpoint(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>) {
  // expected-error @+2 {{lathe.std.rnn: 'checkpoint' must be 'sqrt' or 'every' with a number of steps, got "every 0"}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "lathe.std"(%x, %w, %r) {composite = "rnn", given = [], options = {checkpoint = "every 0"}} : (tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>) -> (tensor<4x3x5xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @std_c2_generic_function(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+2 {{lathe.std.rk4: 'function' must be a function's name, as in @f, got "slope"}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "lathe.std"(%y, %t, %t) {composite = "rk4", given = [], options = {function = "slope", steps = 4}} : (tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<4x2xf32>)
  return
}

// -----

// std_c4
func.func @std_c4(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rk4: there is no function @slope}}
  %0:2 = lathe.std.rk4 %y, %t, %t function @slope steps 4 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

// expected-note @+1 {{@slope is declared here}}
func.func private @slope(%t: tensor<f32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  return %y : tensor<2xf32>
}
func.func @std_c4_types(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rk4: @slope is '(tensor<f32>, tensor<2xf32>) -> tensor<2xf32>', expected '(tensor<2xf32>, tensor<f32>) -> tensor<2xf32>'}}
  %0:2 = lathe.std.rk4 %y, %t, %t function @slope steps 4 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

// Of halves in halves.
// expected-note @+1 {{@slope is declared here}}
func.func private @slope(%y: tensor<2xf32>, %t: tensor<f32>) -> tensor<2xf32> {
  return %y : tensor<2xf32>
}
func.func @std_c4_halves(%y: tensor<2xbf16>, %t: tensor<bf16>) {
  // expected-error @+1 {{lathe.std.rk4: @slope is '(tensor<2xf32>, tensor<f32>) -> tensor<2xf32>', expected '(tensor<2xbf16>, tensor<bf16>) -> tensor<2xbf16>'}}
  %0:2 = lathe.std.rk4 %y, %t, %t function @slope steps 4 : tensor<2xbf16>, tensor<bf16>, tensor<bf16>
  return
}

// -----

func.func @std_c3_rnn_rank(%x: tensor<4x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>) {
  // expected-error @+1 {{lathe.std.rnn: operand 0 'x' has rank 2; expected 3, steps, rows and features}}
  %0:2 = lathe.std.rnn %x, %w, %r : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>
  return
}

// -----

func.func @std_c3_rnn_time(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>) {
  // expected-error @+1 {{lathe.std.rnn: 'time' is 2, the features; expected 0 or 1}}
  %0:2 = lathe.std.rnn %x, %w, %r time -1 : tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>
  return
}

// -----

func.func @std_c3_rnn_recurrent(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5xf32>) {
  // expected-error @+1 {{lathe.std.rnn: operand 2 'recurrent' has rank 1; expected [H, H]}}
  %0:2 = lathe.std.rnn %x, %w, %r : tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5xf32>
  return
}

// -----

func.func @std_c3_lstm_rank(%x: tensor<4x2xf32>, %w: tensor<20x2xf32>, %r: tensor<20x5xf32>) {
  // expected-error @+1 {{lathe.std.lstm: operand 0 'x' has rank 2; expected 3, steps, rows and features}}
  %0:3 = lathe.std.lstm %x, %w, %r : tensor<4x2xf32>, tensor<20x2xf32>, tensor<20x5xf32>
  return
}

// -----

func.func @std_c3_lstm_time(%x: tensor<4x3x2xf32>, %w: tensor<20x2xf32>, %r: tensor<20x5xf32>) {
  // expected-error @+1 {{lathe.std.lstm: 'time' is 2, the features; expected 0 or 1}}
  %0:3 = lathe.std.lstm %x, %w, %r time -1 : tensor<4x3x2xf32>, tensor<20x2xf32>, tensor<20x5xf32>
  return
}

// -----

func.func @std_c3_lstm_recurrent(%x: tensor<4x3x2xf32>, %w: tensor<20x2xf32>, %r: tensor<20xf32>) {
  // expected-error @+1 {{lathe.std.lstm: operand 2 'recurrent' has rank 1; expected [4 H, H]}}
  %0:3 = lathe.std.lstm %x, %w, %r : tensor<4x3x2xf32>, tensor<20x2xf32>, tensor<20xf32>
  return
}

// -----

func.func @std_c3_lstm_blocks(%x: tensor<4x3x2xf32>, %w: tensor<20x2xf32>, %r: tensor<20x4xf32>) {
  // expected-error @+1 {{lathe.std.lstm: operand 2 'recurrent' is [20, 4]; expected [4 H, H]}}
  %0:3 = lathe.std.lstm %x, %w, %r : tensor<4x3x2xf32>, tensor<20x2xf32>, tensor<20x4xf32>
  return
}

// -----

func.func @std_c3_gru_rank(%x: tensor<4x2xf32>, %w: tensor<15x2xf32>, %r: tensor<15x5xf32>) {
  // expected-error @+1 {{lathe.std.gru: operand 0 'x' has rank 2; expected 3, steps, rows and features}}
  %0:2 = lathe.std.gru %x, %w, %r : tensor<4x2xf32>, tensor<15x2xf32>, tensor<15x5xf32>
  return
}

// -----

func.func @std_c3_gru_time(%x: tensor<4x3x2xf32>, %w: tensor<15x2xf32>, %r: tensor<15x5xf32>) {
  // expected-error @+1 {{lathe.std.gru: 'time' is 2, the features; expected 0 or 1}}
  %0:2 = lathe.std.gru %x, %w, %r time -1 : tensor<4x3x2xf32>, tensor<15x2xf32>, tensor<15x5xf32>
  return
}

// -----

func.func @std_c3_gru_recurrent(%x: tensor<4x3x2xf32>, %w: tensor<15x2xf32>, %r: tensor<15xf32>) {
  // expected-error @+1 {{lathe.std.gru: operand 2 'recurrent' has rank 1; expected [3 H, H]}}
  %0:2 = lathe.std.gru %x, %w, %r : tensor<4x3x2xf32>, tensor<15x2xf32>, tensor<15xf32>
  return
}

// -----

func.func @std_c3_gru_blocks(%x: tensor<4x3x2xf32>, %w: tensor<15x2xf32>, %r: tensor<15x4xf32>) {
  // expected-error @+1 {{lathe.std.gru: operand 2 'recurrent' is [15, 4]; expected [3 H, H]}}
  %0:2 = lathe.std.gru %x, %w, %r : tensor<4x3x2xf32>, tensor<15x2xf32>, tensor<15x4xf32>
  return
}

// -----

func.func @std_c3_within(%x: tensor<4x3x2xf32>, %l: tensor<3x1xi32>) {
  // expected-error @+1 {{lathe.std.within: operand 1 'lengths' has rank 2; expected 1, a number of steps for each row}}
  %0 = lathe.std.within %x, %l : tensor<4x3x2xf32>, tensor<3x1xi32>
  return
}

// -----

func.func @std_c3_within_dim(%x: tensor<4x3x2xf32>, %l: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.within: 'dim' is 2; expected 0 or 1}}
  %0 = lathe.std.within %x, %l dim 2 : tensor<4x3x2xf32>, tensor<3xi32>
  return
}

// -----

func.func @std_c3_ctc_loss(%p: tensor<5x4xf32>, %t: tensor<3x2xi32>) {
  // expected-error @+1 {{lathe.std.ctc_loss: operand 0 'log_probabilities' has rank 2; expected 3, steps, rows and classes}}
  %0 = lathe.std.ctc_loss %p, %t : tensor<5x4xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @std_c3_ctc_loss_targets(%p: tensor<5x3x4xf32>, %t: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.ctc_loss: operand 1 'targets' has rank 1; expected 2, rows and their classes}}
  %0 = lathe.std.ctc_loss %p, %t : tensor<5x3x4xf32>, tensor<3xi32>
  return
}

// -----

func.func @std_c3_ctc_loss_lengths(%p: tensor<5x3x4xf32>, %t: tensor<3x2xi32>) {
  // expected-error @+1 {{lathe.std.ctc_loss: operand 'target_lengths' has rank 2; expected 1, a number of classes for each row}}
  %0 = lathe.std.ctc_loss %p, %t target_lengths %t : tensor<5x3x4xf32>, tensor<3x2xi32>, tensor<3x2xi32>
  return
}
