// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of a shape op, as numbered in ShapeOps.td.

// broadcast_c1
func.func @broadcast_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.broadcast: 'dims' has 1 entries, but the operand has rank 2}}
  %0 = lathe.broadcast %x dims [0] to [2, 3] : tensor<2x3xf32>
  return
}

// -----

// broadcast_c2
func.func @broadcast_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.broadcast: 'dims' must ascend within the result's rank 3, got [1, 0]}}
  %0 = lathe.broadcast %x dims [1, 0] to [3, 2, 4] : tensor<2x3xf32>
  return
}

// -----

// broadcast_c2_range
func.func @broadcast_c2_range(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.broadcast: 'dims' must ascend within the result's rank 2, got [0, 2]}}
  %0 = lathe.broadcast %x dims [0, 2] to [2, 3] : tensor<2x3xf32>
  return
}

// -----

// broadcast_c3
func.func @broadcast_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.broadcast: operand dimension 1 is 3, result dimension 2 is 4; only a static 1 can be broadcast}}
  %0 = lathe.broadcast %x dims [0, 2] to [2, 5, 4] : tensor<2x3xf32>
  return
}

// -----

// broadcast_c3_named
func.func @broadcast_c3_named(%x: tensor<?x3xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.broadcast: operand dimension 0 is N, result dimension 0 is M; only a static 1 can be broadcast}}
  %0 = lathe.broadcast %x dims [0, 1] to [M, 3] : tensor<?x3xf32, #lathe.dims<N>>
  return
}

// -----

// reshape_c1
func.func @reshape_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.reshape: operand [2, 3] has 6 elements, result [4] has 4}}
  %0 = lathe.reshape %x to [4] : tensor<2x3xf32>
  return
}

// -----

// reshape_c1_named
func.func @reshape_c1_named(%x: tensor<?x3xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reshape: operand [N, 3] has 3 * N elements, result [3, M] has 3 * M}}
  %0 = lathe.reshape %x to [3, M] : tensor<?x3xf32, #lathe.dims<N>>
  return
}

// -----

// reshape_c1_overflow
func.func @reshape_c1_overflow(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{lathe.reshape: the number of elements overflows 63 bits}}
  %0 = lathe.reshape %x to [1] : tensor<4294967296x4294967296xf32>
  return
}

// -----

// transpose_c1
func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.transpose: 'permutation' names dimension 1 twice}}
  %0 = lathe.transpose %x [1, 1] : tensor<2x3xf32>
  return
}

// -----

// transpose_c1_rank
func.func @transpose_c1_rank(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.transpose: 'permutation' has 1 entries, but the operand has rank 2}}
  %0 = lathe.transpose %x [0] : tensor<2x3xf32>
  return
}

// -----

// transpose_c1_range
func.func @transpose_c1_range(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.transpose: 'permutation' names dimension 2, but the operand has rank 2}}
  %0 = lathe.transpose %x [0, 2] : tensor<2x3xf32>
  return
}

// -----

// reverse_c1
func.func @reverse_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.reverse: 'dims' names dimension 0 twice}}
  %0 = lathe.reverse %x dims [0, 0] : tensor<2x3xf32>
  return
}

// -----

// slice_c1
func.func @slice_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.slice: 'starts' has 1 entries, but the operand has rank 2}}
  %0 = lathe.slice %x from [0] to [2, 3] : tensor<2x3xf32>
  return
}

// -----

// slice_c1_limits
func.func @slice_c1_limits(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.slice: 'limits' has 1 entries, but the operand has rank 2}}
  %0 = lathe.slice %x from [0, 0] to [2] : tensor<2x3xf32>
  return
}

// -----

// slice_c2
func.func @slice_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.slice: dimension 1 goes from 0 to 4, but the operand's extent is 3}}
  %0 = lathe.slice %x from [0, 0] to [2, 4] : tensor<2x3xf32>
  return
}

// -----

// slice_c2_order
func.func @slice_c2_order(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.slice: dimension 1 goes from 2 to 1, but the operand's extent is 3}}
  %0 = lathe.slice %x from [0, 2] to [2, 1] : tensor<2x3xf32>
  return
}

// -----

// slice_c2_named
func.func @slice_c2_named(%x: tensor<?x3xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.slice: dimension 0 goes from 0 to N + 1, but the operand's extent is N}}
  %0 = lathe.slice %x from [0, 0] to [N + 1, 3] : tensor<?x3xf32, #lathe.dims<N>>
  return
}

// -----

// slice_c3
func.func @slice_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.slice: step 0 of dimension 0 is not positive}}
  %0 = lathe.slice %x from [0, 0] to [2, 3] step [0, 1] : tensor<2x3xf32>
  return
}

// -----

// pad_c1
func.func @pad_c1(%x: tensor<2x3xf32>, %v: tensor<f64>) {
  // expected-error @+1 {{lathe.pad: operand 1 'value' must be a tensor<'f32'>, got 'tensor<f64>'}}
  %0 = lathe.pad %x, %v low [0, 0] high [0, 0] : tensor<2x3xf32>, tensor<f64>
  return
}

// -----

// pad_c2
func.func @pad_c2(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{lathe.pad: 'high' has 1 entries, but the operand has rank 2}}
  %0 = lathe.pad %x, %v low [0, 0] high [0] : tensor<2x3xf32>, tensor<f32>
  return
}

// -----

// pad_c3
func.func @pad_c3(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{lathe.pad: interior padding -1 of dimension 0 is negative}}
  %0 = lathe.pad %x, %v low [0, 0] high [0, 0] interior [-1, 0] : tensor<2x3xf32>, tensor<f32>
  return
}

// -----

// pad_c4
func.func @pad_c4(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{lathe.pad: dimension 1 of extent 3 padded by -2 and -2 becomes negative}}
  %0 = lathe.pad %x, %v low [0, -2] high [0, -2] : tensor<2x3xf32>, tensor<f32>
  return
}

// -----

// concatenate_c2
func.func @concatenate_c2(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error @+1 {{lathe.concatenate: operand 1 is 'tensor<2x3xf64>', operand 0 'tensor<2x3xf32>'}}
  %0 = lathe.concatenate %x, %y dim 0 : tensor<2x3xf32>, tensor<2x3xf64>
  return
}

// -----

// concatenate_c3
func.func @concatenate_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.concatenate: 'dim' is 2, but operand 0 has rank 2}}
  %0 = lathe.concatenate %x, %x dim 2 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// concatenate_c4
func.func @concatenate_c4(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{lathe.concatenate: dimension 1 of operand 1 is 4, of operand 0 3}}
  %0 = lathe.concatenate %x, %y dim 0 : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

// iota_c1
func.func @iota_c1() {
  // expected-error @+1 {{lathe.iota: 'dim' is 1, but the shape has rank 1}}
  %0 = lathe.iota dim 1 to [4] : i32
  return
}

// -----

// iota_c2
func.func @iota_c2() {
  // expected-error @+1 {{lathe.iota: the element type must be a number, got 'i1'; expected f64, f32, f16, bf16, i8 to i64 or ui8 to ui64}}
  %0 = lathe.iota dim 0 to [4] : i1
  return
}

// -----

// dim_size_c1
func.func @dim_size_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{lathe.dim_size: 'dim' is 2, but the operand has rank 2}}
  %0 = lathe.dim_size %x dim 2 : tensor<2x3xf32>
  return
}

// -----

// concatenate_c1
func.func @concatenate_c1() {
  // expected-error @+2 {{lathe.concatenate: expected at least one operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lathe.concatenate"() {dim = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

// constant_c1
func.func @constant_c1() {
  // expected-error @+1 {{lathe.constant: a constant needs a static tensor type, got 'vector<2xf32>'}}
  %0 = lathe.constant dense<1.0> : vector<2xf32>
  return
}

// -----

// constant_c2
func.func @constant_c2() {
  // expected-error @+1 {{'lathe.constant' op must have its elements as dense<...> or dense_resource<...>}}
  %0 = lathe.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  return
}

// -----

// constant_c2_missing
func.func @constant_c2_missing() {
  // expected-error @+1 {{'lathe.constant' op refers to the resource 'weights', which the file does not have}}
  %0 = lathe.constant dense_resource<weights> : tensor<4xf32>
  return
}

// -----

// reshape_negative: two of them would even have the right product
func.func @reshape_negative(%x: tensor<6xf32>) {
  // expected-error @+1 {{lathe.reshape: dimension 0 of the result is -2; expected 0 or more}}
  %0 = lathe.reshape %x to [-2, -3] : tensor<6xf32>
  return
}

// -----

func.func @broadcast_negative(%x: tensor<f32>) {
  // expected-error @+1 {{lathe.broadcast: dimension 1 of the result is -1; expected 0 or more}}
  %0 = lathe.broadcast %x dims [] to [2, -1] : tensor<f32>
  return
}

// -----

func.func @iota_negative() {
  // expected-error @+1 {{lathe.iota: dimension 0 of the result is -4; expected 0 or more}}
  %0 = lathe.iota dim 0 to [-4] : i32
  return
}

// -----

func.func @pad_overflow(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{lathe.pad: dimension 0 of extent 4 padded by 9223372036854775807 and 9223372036854775807, 0 between elements, overflows 63 bits}}
  %0 = lathe.pad %x, %v low [9223372036854775807] high [9223372036854775807] : tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @concatenate_overflow(%x: tensor<9223372036854775807x0xf32>) {
  // expected-error @+1 {{lathe.concatenate: dimension 0 overflows 63 bits: 9223372036854775807 + 9223372036854775807}}
  %0 = lathe.concatenate %x, %x dim 0 : tensor<9223372036854775807x0xf32>, tensor<9223372036854775807x0xf32>
  return
}

// -----

// reshape_c1_open
func.func @reshape_c1_open(%x: tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reshape: operand [N] has N elements, result [floor_div(N, 2), 2] has 2 * floor_div(N, 2); write 'checked' before 'to' to check the sizes at run time}}
  %0 = lathe.reshape %x to [floor_div(N, 2), 2] : tensor<?xf32, #lathe.dims<N>>
  return
}

// -----

// reshape_c1_checked
func.func @reshape_c1_checked(%x: tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{the sizes [N] and [N + 1] must be equal}}
  %0 = lathe.reshape %x checked to [N + 1] : tensor<?xf32, #lathe.dims<N>>
  return
}

// -----

// reshape_c2
func.func @reshape_c2(%x: tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reshape: 'each' needs 'checked' and equal ranks, operand [N], result [floor_div(N, 2), 2]}}
  %0 = lathe.reshape %x checked each to [floor_div(N, 2), 2] : tensor<?xf32, #lathe.dims<N>>
  return
}
