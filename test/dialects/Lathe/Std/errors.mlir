// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// Errors about faulty uses of composites, at the graph's line; sections are named after the
// constraints of lathe.std in StdOps.td. errors-in-values.mlir, errors-in-loops.mlir and errors-in-solvers.mlir have what `fail`
// lines refuse, errors-in-templates.mlir the notes that name a template's line.

// std_c1
func.func @std_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{there is no lathe.std.sotfmax; did you mean softmax?}}
  %0 = lathe.std.sotfmax %x : tensor<4xf32>
  return
}

// -----

// std_c1_far
func.func @std_c1_far(%x: tensor<4xf32>) {
  // expected-error @+1 {{there is no lathe.std.blancmange; docs/std.md lists the library}}
  %0 = lathe.std.blancmange %x : tensor<4xf32>
  return
}

// -----

// std_c1_none
func.func @std_c1_none(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the name of a composite after lathe.std, as in lathe.std.softmax}}
  %0 = lathe.std %x : tensor<4xf32>
  return
}

// -----

// std_c2: options
func.func @std_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.cosine_similarity takes dim, epsilon after its operands, got 'dims'}}
  %0 = lathe.std.cosine_similarity %x, %x dims [0] : tensor<4xf32>
  return
}

// -----

// std_c2_nothing
func.func @std_c2_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.relu takes nothing after its operands, got 'dim'}}
  %0 = lathe.std.relu %x dim 0 : tensor<4xf32>
  return
}

// -----

// std_c2_operand: one that must be given has no name in the text.
func.func @std_c2_operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.rms_norm takes scale, dims, epsilon after its operands, got 'x'}}
  %0 = lathe.std.rms_norm %x x %x : tensor<4xf32>
  return
}

// -----

// std_c2_twice
func.func @std_c2_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.softmax: 'dim' occurs twice}}
  %0 = lathe.std.softmax %x dim 0 dim 0 : tensor<4xf32>
  return
}

// -----

func.func @std_c2_twice_flag(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.sum: 'keep' occurs twice}}
  %0 = lathe.std.sum %x keep keep : tensor<4xf32>
  return
}

// -----

func.func @std_c2_twice_operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.layer_norm: 'scale' occurs twice}}
  %0 = lathe.std.layer_norm %x scale %x epsilon 1.0 scale %x : tensor<4xf32>
  return
}

// -----

// std_c2_missing
func.func @std_c2_missing(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.part: needs 'of', an integer}}
  %0 = lathe.std.part %x index 0 : tensor<4xf32>
  return
}

// -----

func.func @std_c2_missing_real(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.clip_by_norm: needs 'limit', a number}}
  %0 = lathe.std.clip_by_norm %x : tensor<4xf32>
  return
}

// -----

func.func @std_c2_missing_ints(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.max_pool: needs 'stride', a list of integers}}
  %0 = lathe.std.max_pool %x window [2] : tensor<4xf32>
  return
}

// -----

// std_c2_count
func.func @std_c2_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.mse: takes 2 operands, got 1}}
  %0 = lathe.std.mse %x : tensor<4xf32>
  return
}

// -----

func.func @std_c2_count_named(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.linear: takes 2 operands before the named ones, got 1}}
  %0 = lathe.std.linear %x bias %x : tensor<4xf32>
  return
}

// -----

func.func @std_c2_count_none(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.mse: takes 2 operands, got 0}}
  %0 = lathe.std.mse : tensor<4xf32>
  return
}

// -----

// std_c2_types
func.func @std_c2_types(%x: tensor<3x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{expected 3 types, one for each operand, got 2}}
  %0 = lathe.std.layer_norm %x scale %s bias %s : tensor<3x4xf32>, tensor<4xf32>
  return
}

// -----

// std_c2_kind: of operands, by their elements
func.func @std_c2_kind(%x: tensor<4xi32>) {
  // expected-error @+1 {{lathe.std.softmax: operand 0 'x' must be a float tensor, got 'tensor<4xi32>'}}
  %0 = lathe.std.softmax %x : tensor<4xi32>
  return
}

// -----

func.func @std_c2_kind_number(%x: tensor<4xi1>) {
  // expected-error @+1 {{lathe.std.sum: operand 0 'x' must be a tensor of integers or floats, got 'tensor<4xi1>'}}
  %0 = lathe.std.sum %x : tensor<4xi1>
  return
}

// -----

func.func @std_c2_kind_index(%x: tensor<4x2xf32>, %l: tensor<4xui32>) {
  // expected-error @+1 {{lathe.std.cross_entropy: operand 1 'labels' must be a tensor of i32 or i64, got 'tensor<4xui32>'}}
  %0 = lathe.std.cross_entropy %x, %l : tensor<4x2xf32>, tensor<4xui32>
  return
}

// -----

func.func @std_c2_kind_bool(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{lathe.std.attention: operand 3 'mask' must be an i1 tensor, got 'tensor<4x2xf32>'}}
  %0 = lathe.std.attention %x, %x, %x mask %x : tensor<4x2xf32>
  return
}

// -----

// std_c2_dim
func.func @std_c2_dim(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.std.softmax: 'dim' is 1, operand 0 'x' has rank 1}}
  %0 = lathe.std.softmax %x dim 1 : tensor<4xf32>
  return
}

// -----

func.func @std_c2_dim_negative(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{lathe.std.sum: 'dims' is -3, operand 0 'x' has rank 2}}
  %0 = lathe.std.sum %x dims [0, -3] : tensor<4x2xf32>
  return
}

// -----

func.func @std_c2_dim_default(%x: tensor<f32>) {
  // expected-error @+1 {{lathe.std.softmax: 'dim' is -1, operand 0 'x' has rank 0}}
  %0 = lathe.std.softmax %x : tensor<f32>
  return
}

// -----

func.func @std_c2_dim_twice(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{lathe.std.sum: 'dims' names dimension 1 twice}}
  %0 = lathe.std.sum %x dims [1, -1] : tensor<4x2xf32>
  return
}

// -----

// std_c2_value: text that is not a value of the option's kind
func.func @std_c2_value_choice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'approximation' must be one of none, tanh, got tan}}
  %0 = lathe.std.gelu %x approximation tan : tensor<4xf32>
  return
}

// -----

func.func @std_c2_value_dim(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected integer value}}
  %0 = lathe.std.softmax %x dim [0] : tensor<4xf32>
  return
}

// -----

func.func @std_c2_value_dims(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '['}}
  %0 = lathe.std.sum %x dims 0 : tensor<4xf32>
  return
}

// -----

func.func @std_c2_value_real(%x: tensor<4xf32>) {
  // expected-error @+2 {{unexpected decimal integer literal for a floating point value}}
  // expected-note @+1 {{add a trailing dot to make the literal a float}}
  %0 = lathe.std.leaky_relu %x slope 1 : tensor<4xf32>
  return
}

// -----

// std_c2_generic: what only the generic form can say
func.func @std_c2_generic_name(%x: tensor<4xf32>) {
  // expected-error @+2 {{there is no lathe.std.sofmax; did you mean softmax?}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "sofmax", given = [], options = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @std_c2_generic_option(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.softmax: has no option 'dims'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "softmax", given = [], options = {dims = 0}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @std_c2_generic_dim(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.softmax: 'dim' must be a dimension, got "0"}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "softmax", given = [], options = {dim = "0"}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @std_c2_generic_dims(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.sum: 'dims' must be a list of dimensions, got 0 : i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "sum", given = [], options = {dims = 0}} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @std_c2_generic_flag(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.sum: 'keep' must be a flag without a value, got true}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "sum", given = [], options = {keep = true}} : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @std_c2_generic_real(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.elu: 'alpha' must be a number, got 1 : i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "elu", given = [], options = {alpha = 1}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @std_c2_generic_int(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.part: 'index' must be an integer, got 1.000000e+00 : f64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "part", given = [], options = {index = 1.0, of = 2}} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @std_c2_generic_ints(%x: tensor<1x4x1xf32>) {
  // expected-error @+2 {{lathe.std.max_pool: 'window' must be a list of integers, got [1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "max_pool", given = [], options = {window = [1], stride = array<i64: 1>}} : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

func.func @std_c2_generic_choice(%x: tensor<4xf32>) {
  // expected-error @+2 {{lathe.std.gelu: 'approximation' must be one of none, tanh, got "tan"}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "gelu", given = [], options = {approximation = "tan"}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @std_c2_generic_results(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.std"(%x) {composite = "relu", given = [], options = {}} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
