// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// Like errors.mlir: decoding, differential equations and solvers.

func.func @std_c3_greedy_decode(%f: tensor<3x1xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: operand 0 'first' has rank 2; expected 1, a token for each row}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 6 end 0 max_length 5 : tensor<3x1xi32>
  return
}

// -----

func.func @std_c3_greedy_decode_length(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: 'max_length' is 0; expected 1 or more}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 6 end 0 max_length 0 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode(%f: tensor<3x1xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: operand 0 'first' has rank 2; expected 1, a token for each row}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 6 end 0 max_length 5 beams 2 : tensor<3x1xi32>
  return
}

// -----

func.func @std_c3_beam_decode_length(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'max_length' is 0; expected 1 or more}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 6 end 0 max_length 0 beams 2 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_beams(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'beams' is 0; expected 1 or more}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 6 end 0 max_length 5 beams 0 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_rk4_begin(%y: tensor<2xf32>, %t: tensor<f32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{lathe.std.rk4: operand 1 't0' has rank 1; expected a number}}
  %0:2 = lathe.std.rk4 %y, %v, %t function @slope steps 4 : tensor<2xf32>, tensor<1xf32>, tensor<f32>
  return
}

// -----

func.func @std_c3_rk4_end(%y: tensor<2xf32>, %t: tensor<f32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{lathe.std.rk4: operand 2 't1' has rank 1; expected a number}}
  %0:2 = lathe.std.rk4 %y, %t, %v function @slope steps 4 : tensor<2xf32>, tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @std_c3_rk4_steps(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rk4: 'steps' is 0; expected 1 or more}}
  %0:2 = lathe.std.rk4 %y, %t, %t function @slope steps 0 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_begin(%y: tensor<2xf32>, %t: tensor<f32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{lathe.std.dopri5: operand 1 't0' has rank 1; expected a number}}
  %0:2 = lathe.std.dopri5 %y, %v, %t function @slope steps 4 : tensor<2xf32>, tensor<1xf32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_end(%y: tensor<2xf32>, %t: tensor<f32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{lathe.std.dopri5: operand 2 't1' has rank 1; expected a number}}
  %0:2 = lathe.std.dopri5 %y, %t, %v function @slope steps 4 : tensor<2xf32>, tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @std_c3_dopri5_steps(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.dopri5: 'steps' is 0; expected 1 or more}}
  %0:2 = lathe.std.dopri5 %y, %t, %t function @slope steps 0 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_begin(%y: tensor<2xf32>, %t: tensor<f32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: operand 1 't0' has rank 1; expected a number}}
  %0:2 = lathe.std.dopri5_adaptive %y, %v, %t function @slope : tensor<2xf32>, tensor<1xf32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_end(%y: tensor<2xf32>, %t: tensor<f32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: operand 2 't1' has rank 1; expected a number}}
  %0:2 = lathe.std.dopri5_adaptive %y, %t, %v function @slope : tensor<2xf32>, tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_bound(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: 'bound' is 0; expected 1 or more}}
  %0:2 = lathe.std.dopri5_adaptive %y, %t, %t function @slope bound 0 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_inverse(%a: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.inverse: operand 0 'a' has rank 1; expected a matrix}}
  %0 = lathe.std.inverse %a : tensor<3xf32>
  return
}

// -----

func.func @std_c3_inverse_square(%a: tensor<3x2xf32>) {
  // expected-error @+1 {{lathe.std.inverse: operand 0 'a' is [3, 2]; expected a square matrix}}
  %0 = lathe.std.inverse %a : tensor<3x2xf32>
  return
}

// -----

func.func @std_c3_solve(%a: tensor<3x3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{lathe.std.solve: operand 1 'b' has rank 0; expected a vector, or a matrix of columns}}
  %0 = lathe.std.solve %a, %b : tensor<3x3xf32>, tensor<f32>
  return
}

// -----

func.func @std_c3_newton(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.newton: 'bound' is 0; expected 1 or more}}
  %0:2 = lathe.std.newton %x function @f bound 0 : tensor<3xf32>
  return
}

// -----

func.func @std_c3_fixed_point(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.fixed_point: 'bound' is 0; expected 1 or more}}
  %0:2 = lathe.std.fixed_point %x function @f bound 0 : tensor<3xf32>
  return
}

// -----

// std_c4: by a composite inside
func.func @std_c4_inside(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.newton: there is no function @f}}
  %0:2 = lathe.std.newton %x function @f : tensor<3xf32>
  return
}

// -----

func.func @std_c3_greedy_decode_long(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: 'max_length' is 2147483648; expected at most 2147483647, the largest i32}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 6 end 0 max_length 2147483648 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_greedy_decode_words(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: 'vocabulary' is 0; expected 1 or more}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 0 end 0 max_length 5 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_greedy_decode_many_words(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: 'vocabulary' is 2147483648; expected at most 2147483647, the largest i32}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 2147483648 end 0 max_length 5 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_greedy_decode_end(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: 'end' is -1; expected a token, 0 or more}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 6 end -1 max_length 5 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_greedy_decode_end_above(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.greedy_decode: 'end' is 2147483648; expected at most 2147483647, the largest i32}}
  %0:3 = lathe.std.greedy_decode %f function @step vocabulary 6 end 2147483648 max_length 5 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_long(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'max_length' is 2147483648; expected at most 2147483647, the largest i32}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 6 end 0 max_length 2147483648 beams 2 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_words(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'vocabulary' is 0; expected 1 or more}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 0 end 0 max_length 5 beams 2 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_many_words(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'vocabulary' is 2147483648; expected at most 2147483647, the largest i32}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 2147483648 end 0 max_length 5 beams 2 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_end(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'end' is -1; expected a token, 0 or more}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 6 end -1 max_length 5 beams 2 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_end_above(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'end' is 2147483648; expected at most 2147483647, the largest i32}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 6 end 2147483648 max_length 5 beams 2 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_beam_decode_products(%f: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.beam_decode: 'beams' is 32768; 32768 times the vocabulary of 65536 is more than 2147483647, the largest i32}}
  %0:3 = lathe.std.beam_decode %f function @step vocabulary 65536 end 0 max_length 5 beams 32768 : tensor<3xi32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_relative(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: 'relative' is -0.5; expected 0 or more}}
  %0:2 = lathe.std.dopri5_adaptive %y, %t, %t function @slope relative -0.5 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_absolute(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: 'absolute' is -0.5; expected 0 or more}}
  %0:2 = lathe.std.dopri5_adaptive %y, %t, %t function @slope absolute -0.5 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_exact(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: 'relative' and 'absolute' are 0; expected one of them to be more, the error that is allowed}}
  %0:2 = lathe.std.dopri5_adaptive %y, %t, %t function @slope relative 0.0 absolute 0.0 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_dopri5_adaptive_first(%y: tensor<2xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.dopri5_adaptive: 'first' is 0.0; expected more than 0}}
  %0:2 = lathe.std.dopri5_adaptive %y, %t, %t function @slope first 0.0 : tensor<2xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @std_c3_newton_tolerance(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.newton: 'tolerance' is 0.0; expected more than 0}}
  %0:2 = lathe.std.newton %x function @f tolerance 0.0 : tensor<3xf32>
  return
}

// -----

func.func @std_c3_fixed_point_tolerance(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.fixed_point: 'tolerance' is -0.5; expected more than 0}}
  %0:2 = lathe.std.fixed_point %x function @f tolerance -0.5 : tensor<3xf32>
  return
}

// -----

// Of halves in halves, through a composite inside.
// expected-note @+1 {{@f is declared here}}
func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @std_c4_halves_inside(%x: tensor<3xf16>) {
  // expected-error @+1 {{lathe.std.newton: @f is '(tensor<3xf32>) -> tensor<3xf32>', expected '(tensor<3xf16>) -> tensor<3xf16>'}}
  %0:2 = lathe.std.newton %x function @f : tensor<3xf16>
  return
}

// -----

func.func @std_c4_quoted(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.newton: there is no function @"my f"}}
  %0:2 = lathe.std.newton %x function @"my f" : tensor<3xf32>
  return
}

// -----

func.func @std_c2_generic_half(%x: tensor<3xf32>) {
  // expected-error @+2 {{lathe.std.newton: 'half' must be one of f16, bf16, got "f32"}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "lathe.std"(%x) {composite = "newton", given = [], options = {function = @f, half = "f32"}} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
  return
}

// -----

func.func @std_c2_generic_exact(%x: tensor<3xf32>) {
  // expected-error @+2 {{lathe.std.newton: 'exact' must be a list of integers, got 0 : i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "lathe.std"(%x) {composite = "newton", given = [], options = {exact = 0, function = @f}} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
  return
}
