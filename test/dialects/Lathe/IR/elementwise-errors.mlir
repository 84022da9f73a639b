// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// C1: one element type; C2: the shapes broadcast. The same check for every op of two operands.

// add_c1
func.func @add_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.add: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.add %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// add_c2
func.func @add_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.add: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.add %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// sub_c1
func.func @sub_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.sub: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.sub %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// sub_c2
func.func @sub_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.sub: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.sub %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// mul_c1
func.func @mul_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.mul: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.mul %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// mul_c2
func.func @mul_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.mul: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.mul %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// div_c1
func.func @div_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.div: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.div %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// div_c2
func.func @div_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.div: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.div %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// rem_c1
func.func @rem_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.rem: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.rem %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// rem_c2
func.func @rem_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.rem: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.rem %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// max_c1
func.func @max_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.max: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.max %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// max_c2
func.func @max_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.max: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.max %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// min_c1
func.func @min_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.min: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.min %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// min_c2
func.func @min_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.min: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.min %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// pow_c1
func.func @pow_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.pow: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.pow %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// pow_c2
func.func @pow_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.pow: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.pow %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// and_c1
func.func @and_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{lathe.and: operand 'lhs' has element type 'i32', operand 'rhs' 'i64'; convert one of them with lathe.convert}}
  %0 = lathe.and %a, %b : tensor<4xi32>, tensor<4xi64>
  return
}

// -----

// and_c2
func.func @and_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{lathe.and: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.and %a, %b : tensor<2x4xi32>, tensor<3xi32>
  return
}

// -----

// or_c1
func.func @or_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{lathe.or: operand 'lhs' has element type 'i32', operand 'rhs' 'i64'; convert one of them with lathe.convert}}
  %0 = lathe.or %a, %b : tensor<4xi32>, tensor<4xi64>
  return
}

// -----

// or_c2
func.func @or_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{lathe.or: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.or %a, %b : tensor<2x4xi32>, tensor<3xi32>
  return
}

// -----

// xor_c1
func.func @xor_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{lathe.xor: operand 'lhs' has element type 'i32', operand 'rhs' 'i64'; convert one of them with lathe.convert}}
  %0 = lathe.xor %a, %b : tensor<4xi32>, tensor<4xi64>
  return
}

// -----

// xor_c2
func.func @xor_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{lathe.xor: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.xor %a, %b : tensor<2x4xi32>, tensor<3xi32>
  return
}

// -----

// shift_left_c1
func.func @shift_left_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{lathe.shift_left: operand 'lhs' has element type 'i32', operand 'rhs' 'i64'; convert one of them with lathe.convert}}
  %0 = lathe.shift_left %a, %b : tensor<4xi32>, tensor<4xi64>
  return
}

// -----

// shift_left_c2
func.func @shift_left_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{lathe.shift_left: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.shift_left %a, %b : tensor<2x4xi32>, tensor<3xi32>
  return
}

// -----

// shift_right_c1
func.func @shift_right_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{lathe.shift_right: operand 'lhs' has element type 'i32', operand 'rhs' 'i64'; convert one of them with lathe.convert}}
  %0 = lathe.shift_right %a, %b : tensor<4xi32>, tensor<4xi64>
  return
}

// -----

// shift_right_c2
func.func @shift_right_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{lathe.shift_right: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.shift_right %a, %b : tensor<2x4xi32>, tensor<3xi32>
  return
}

// -----

// compare_c1
func.func @compare_c1(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{lathe.compare: operand 'lhs' has element type 'f32', operand 'rhs' 'i32'}}
  %0 = lathe.compare gt %a, %b : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

// compare_c2
func.func @compare_c2(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{lathe.compare: operand 'lhs' has shape [4], operand 'rhs' [5]}}
  %0 = lathe.compare gt %a, %b : tensor<4xf32>, tensor<5xf32>
  return
}

// -----

// select_c1
func.func @select_c1(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{lathe.select: operand 'on_true' has element type 'f32', operand 'on_false' 'i32'}}
  %0 = lathe.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xi32>
  return
}

// -----

// select_c2
func.func @select_c2(%p: tensor<3xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{lathe.select: operand 'predicate' has shape [3], operand 'on_true' [4]}}
  %0 = lathe.select %p, %a, %b : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

// convert_element
func.func @convert_element(%a: tensor<4xf32>) {
  // expected-error @+1 {{lathe.convert: cannot convert to 'i4'; expected f64, f32, f16, bf16, i8 to i64, ui8 to ui64 or i1}}
  %0 = lathe.convert %a to i4 : tensor<4xf32>
  return
}

// -----

// named_dims_do_not_broadcast
func.func @named_dims_do_not_broadcast(%a: tensor<?xf32, #lathe.dims<N>>, %b: tensor<?xf32, #lathe.dims<M>>) {
  // expected-error @+1 {{lathe.add: operand 'lhs' has shape [N], operand 'rhs' [M]}}
  %0 = lathe.add %a, %b : tensor<?xf32, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<M>>
  return
}

// -----

// operand_type
func.func @operand_type(%a: tensor<4xi32>) {
  // expected-error @+1 {{'lathe.exp' op operand #0 must be ranked tensor of}}
  %0 = lathe.exp %a : tensor<4xi32>
  return
}

// -----

// floor_div_c1
func.func @floor_div_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.floor_div: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.floor_div %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// floor_div_c2
func.func @floor_div_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.floor_div: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.floor_div %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// floor_mod_c1
func.func @floor_mod_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.floor_mod: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.floor_mod %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// floor_mod_c2
func.func @floor_mod_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.floor_mod: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.floor_mod %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// atan2_c1
func.func @atan2_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.atan2: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.atan2 %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// atan2_c2
func.func @atan2_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.atan2: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.atan2 %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// hypot_c1
func.func @hypot_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.hypot: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.hypot %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// hypot_c2
func.func @hypot_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.hypot: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.hypot %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// copysign_c1
func.func @copysign_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.copysign: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.copysign %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// copysign_c2
func.func @copysign_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.copysign: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.copysign %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// nextafter_c1
func.func @nextafter_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.nextafter: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.nextafter %a, %b : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// nextafter_c2
func.func @nextafter_c2(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.nextafter: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.nextafter %a, %b : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// shift_right_arithmetic_c1
func.func @shift_right_arithmetic_c1(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{lathe.shift_right_arithmetic: operand 'lhs' has element type 'i32', operand 'rhs' 'i64'; convert one of them with lathe.convert}}
  %0 = lathe.shift_right_arithmetic %a, %b : tensor<4xi32>, tensor<4xi64>
  return
}

// -----

// shift_right_arithmetic_c2
func.func @shift_right_arithmetic_c2(%a: tensor<2x4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{lathe.shift_right_arithmetic: operand 'lhs' has shape [2, 4], operand 'rhs' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.shift_right_arithmetic %a, %b : tensor<2x4xi32>, tensor<3xi32>
  return
}

// -----

// ldexp_c1
func.func @ldexp_c1(%a: tensor<2x4xf32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{lathe.ldexp: operand 'operand' has shape [2, 4], operand 'exponent' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.ldexp %a, %n : tensor<2x4xf32>, tensor<3xi32>
  return
}

// -----

// fma_c1
func.func @fma_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.fma: operand 'lhs' has element type 'f32', operand 'addend' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.fma %a, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// fma_c2
func.func @fma_c2(%s: tensor<f32>, %a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.fma: operand 'rhs' has shape [2, 4], operand 'addend' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.fma %s, %a, %b : tensor<f32>, tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// clamp_c1
func.func @clamp_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{lathe.clamp: operand 'low' has element type 'f32', operand 'high' 'f64'; convert one of them with lathe.convert}}
  %0 = lathe.clamp %a, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// clamp_c2
func.func @clamp_c2(%s: tensor<f32>, %a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{lathe.clamp: operand 'operand' has shape [2, 4], operand 'high' [3]; they do not broadcast: aligned at the last dimension, each pair must be equal or have a static 1}}
  %0 = lathe.clamp %s, %a, %b : tensor<f32>, tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// bitcast_c1
func.func @bitcast_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{lathe.bitcast: cannot take the bits of 'f32' as 'i64'; expected an element type of 32 bits; lathe.convert changes the width}}
  %0 = lathe.bitcast %a to i64 : tensor<4xf32>
  return
}

// -----

// polygamma_c1: not below 1
func.func @polygamma_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{lathe.polygamma: order must be from 1 to 32, got 0; order 0 is lathe.digamma}}
  %0 = lathe.polygamma %a order 0 : tensor<4xf32>
  return
}

// -----

// polygamma_c1: not above 32
func.func @polygamma_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{lathe.polygamma: order must be from 1 to 32, got 33; order 0 is lathe.digamma}}
  %0 = lathe.polygamma %a order 33 : tensor<4xf32>
  return
}
