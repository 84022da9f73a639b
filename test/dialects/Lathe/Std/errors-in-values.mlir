// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// Like errors.mlir: refusals by `fail` lines in composites without loops.

// std_c3
func.func @std_c3_part(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{lathe.std.part: dimension 0 is x_0 long; parts are taken of static extents}}
  %0 = lathe.std.part %x dim 0 index 0 of 2 : tensor<?x2xf32>
  return
}

// -----

func.func @std_c3_part_above(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{lathe.std.part: 'index' is 2; expected 0 to 1}}
  %0 = lathe.std.part %x index 2 of 2 : tensor<4x2xf32>
  return
}

// -----

func.func @std_c3_part_below(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{lathe.std.part: 'index' is -1; expected 0 to 1}}
  %0 = lathe.std.part %x index -1 of 2 : tensor<4x2xf32>
  return
}

// -----

func.func @std_c3_part_of_none(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{lathe.std.part: 'of' is 0; expected 1 or more}}
  %0 = lathe.std.part %x index 0 of 0 : tensor<4x2xf32>
  return
}

// -----

func.func @std_c3_row_ids(%x: tensor<3x4xf32>, %o: tensor<3x1xi32>) {
  // expected-error @+1 {{lathe.std.row_ids: operand 1 'offsets' must have rank 1: where each row begins, and the end; got rank 2}}
  %0 = lathe.std.row_ids %x, %o : tensor<3x4xf32>, tensor<3x1xi32>
  return
}

// -----

func.func @std_c3_group_norm(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.group_norm: operand 0 'x' must have a batch and a channel dimension, got rank 1}}
  %0 = lathe.std.group_norm %x groups 1 : tensor<3xf32>
  return
}

// -----

func.func @std_c3_group_norm_batch(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{lathe.std.group_norm: 'dim' is 0, which is the batch; expected the channels}}
  %0 = lathe.std.group_norm %x groups 1 dim -2 : tensor<4x3xf32>
  return
}

// -----

func.func @std_c3_group_norm_none(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{lathe.std.group_norm: 'groups' is -3; expected 1 or more}}
  %0 = lathe.std.group_norm %x groups -3 : tensor<4x3xf32>
  return
}

// -----

func.func @std_c3_instance_norm(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{lathe.std.instance_norm: operand 0 'x' must have batch, channel and other dimensions, got rank 2}}
  %0 = lathe.std.instance_norm %x : tensor<4x3xf32>
  return
}

// -----

func.func @std_c3_instance_norm_batch(%x: tensor<4x3x2xf32>) {
  // expected-error @+1 {{lathe.std.instance_norm: 'dim' is 0, which is the batch; expected the channels}}
  %0 = lathe.std.instance_norm %x dim 0 : tensor<4x3x2xf32>
  return
}

// -----

func.func @std_c3_attention(%x: tensor<3xf32>) {
  // expected-error @+1 {{lathe.std.attention: operand 0 'q' must be [..., S, D], got rank 1}}
  %0 = lathe.std.attention %x, %x, %x : tensor<3xf32>
  return
}

// -----

func.func @std_c3_attention_keys(%x: tensor<3x4xf32>, %k: tensor<1x3x4xf32>) {
  // expected-error @+1 {{lathe.std.attention: operand 1 'k' has rank 3, operand 0 'q' 2}}
  %0 = lathe.std.attention %x, %k, %x : tensor<3x4xf32>, tensor<1x3x4xf32>, tensor<3x4xf32>
  return
}

// -----

func.func @std_c3_attention_values(%x: tensor<3x4xf32>, %v: tensor<1x3x4xf32>) {
  // expected-error @+1 {{lathe.std.attention: operand 2 'v' has rank 3, operand 0 'q' 2}}
  %0 = lathe.std.attention %x, %x, %v : tensor<3x4xf32>, tensor<3x4xf32>, tensor<1x3x4xf32>
  return
}

// -----

func.func @std_c3_max_pool(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{lathe.std.max_pool: operand 0 'x' must be [batch, ..., channels], got rank 2}}
  %0 = lathe.std.max_pool %x window [2] stride [1] : tensor<3x4xf32>
  return
}

// -----

func.func @std_c3_average_pool(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{lathe.std.average_pool: operand 0 'x' must be [batch, ..., channels], got rank 2}}
  %0 = lathe.std.average_pool %x window [2] stride [1] : tensor<3x4xf32>
  return
}

// -----

func.func @std_c3_adam(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.adam: 'beta1' is 1.0; expected less than 1}}
  %0:3 = lathe.std.adam %p, %p, %r, %r, %p, %p beta1 1.0 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_adam_below(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.adam: 'beta2' is -0.5; expected 0 or more}}
  %0:3 = lathe.std.adam %p, %p, %r, %r, %p, %p beta2 -0.5 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_clip_factor(%t: tensor<f32>) {
  // expected-error @+1 {{lathe.std.clip_factor: 'limit' is -1.0; expected more than 0}}
  %0 = lathe.std.clip_factor %t limit -1.0 : tensor<f32>
  return
}

// -----

func.func @std_c3_attention_mask(%x: tensor<3x4xf32>, %m: tensor<2x3x3xi1>) {
  // expected-error @+1 {{lathe.std.attention: operand 'mask' has rank 3; it is broadcast to [..., S, T] of rank 2}}
  %0 = lathe.std.attention %x, %x, %x mask %m : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x3x3xi1>
  return
}

// -----

func.func @std_c3_attention_bias(%x: tensor<3x4xf32>, %b: tensor<2x3x3xf32>) {
  // expected-error @+1 {{lathe.std.attention: operand 'bias' has rank 3; it is broadcast to [..., S, T] of rank 2}}
  %0 = lathe.std.attention %x, %x, %x bias %b : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x3x3xf32>
  return
}

// -----

// A column of labels would broadcast against the rows.
func.func @std_c3_cross_entropy(%x: tensor<4x3xf32>, %l: tensor<4x1xi32>) {
  // expected-error @+1 {{lathe.std.cross_entropy: operand 1 'labels' has rank 2; expected 1, a label for each row of operand 0 'logits'}}
  %0 = lathe.std.cross_entropy %x, %l : tensor<4x3xf32>, tensor<4x1xi32>
  return
}

// -----

func.func @std_c3_cross_entropy_classes(%x: tensor<f32>, %l: tensor<i32>) {
  // expected-error @+1 {{lathe.std.cross_entropy: operand 0 'logits' must be [..., classes], got rank 0}}
  %0 = lathe.std.cross_entropy %x, %l : tensor<f32>, tensor<i32>
  return
}

// -----

func.func @std_c3_momentum_momentum(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.momentum: 'momentum' is 1.0; expected less than 1}}
  %0:2 = lathe.std.momentum %p, %p, %r, %p momentum 1.0 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_momentum_momentum(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.momentum: 'momentum' is -0.9; expected 0 or more}}
  %0:2 = lathe.std.momentum %p, %p, %r, %p momentum -0.9 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_rmsprop_decay(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rmsprop: 'decay' is 1.0; expected less than 1}}
  %0:2 = lathe.std.rmsprop %p, %p, %r, %p decay 1.0 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_rmsprop_decay(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.rmsprop: 'decay' is -0.9; expected 0 or more}}
  %0:2 = lathe.std.rmsprop %p, %p, %r, %p decay -0.9 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_lion_beta1(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.lion: 'beta1' is 1.0; expected less than 1}}
  %0:2 = lathe.std.lion %p, %p, %r, %p beta1 1.0 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_lion_beta1(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.lion: 'beta1' is -0.9; expected 0 or more}}
  %0:2 = lathe.std.lion %p, %p, %r, %p beta1 -0.9 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_lion_beta2(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.lion: 'beta2' is 1.5; expected less than 1}}
  %0:2 = lathe.std.lion %p, %p, %r, %p beta2 1.5 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_lion_beta2(%p: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{lathe.std.lion: 'beta2' is -0.9; expected 0 or more}}
  %0:2 = lathe.std.lion %p, %p, %r, %p beta2 -0.9 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @std_c3_cross_entropy_smoothing(%x: tensor<3x4xf32>, %l: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.cross_entropy: 'smoothing' is -0.1; expected 0 or more}}
  %0 = lathe.std.cross_entropy %x, %l smoothing -0.1 : tensor<3x4xf32>, tensor<3xi32>
  return
}

// -----

func.func @std_c3_cross_entropy_smoothing(%x: tensor<3x4xf32>, %l: tensor<3xi32>) {
  // expected-error @+1 {{lathe.std.cross_entropy: 'smoothing' is 1.5; expected 1 or less}}
  %0 = lathe.std.cross_entropy %x, %l smoothing 1.5 : tensor<3x4xf32>, tensor<3xi32>
  return
}
