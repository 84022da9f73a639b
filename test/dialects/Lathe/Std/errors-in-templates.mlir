// RUN: not lathe-opt %s --split-input-file 2>&1 | FileCheck %s
// A line of a template that does not take the operands (std_c3): the graph's line first, then the template's.

// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:8: error: lathe.std.linear: lathe.dot_general: dimension 1 of operand 'lhs' is 4, dimension 0 of operand 'rhs' is 5
// CHECK: std/layers.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %y = lathe.dot_general %x, %weights contract [${rank(%x) - 1}] x [0]
func.func @linear(%x: tensor<3x4xf32>, %w: tensor<5x2xf32>) {
  %0 = lathe.std.linear %x, %w : tensor<3x4xf32>, tensor<5x2xf32>
  return
}

// -----

// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:8: error: lathe.std.layer_norm: lathe.mul: operand 'lhs' has shape [3, 4], operand 'rhs' [3]; they do not broadcast
// CHECK: std/norms.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %y = lathe.mul %y, %scale
func.func @layer_norm(%x: tensor<3x4xf32>, %s: tensor<3xf32>) {
  %0 = lathe.std.layer_norm %x scale %s : tensor<3x4xf32>, tensor<3xf32>
  return
}

// -----

// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:8: error: lathe.std.mse: lathe.sub: operand 'lhs' has element type 'f32', operand 'rhs' 'f64'; convert one of them with lathe.convert
// CHECK: std/losses.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %difference = lathe.sub %prediction, %target
func.func @mse(%x: tensor<3xf32>, %t: tensor<3xf64>) {
  %0 = lathe.std.mse %x, %t : tensor<3xf32>, tensor<3xf64>
  return
}

// -----

// In a composite of a composite: the line of the outer one.
// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:8: error: lathe.std.segment_sum: lathe.std.row_ids: operand 1 'offsets' must have rank 1
// CHECK: std/shapes.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %rows = lathe.std.row_ids %values, %offsets
func.func @segment_sum(%x: tensor<3xf32>, %o: tensor<3x1xi32>) {
  %0 = lathe.std.segment_sum %x, %o : tensor<3xf32>, tensor<3x1xi32>
  return
}

// -----

// An expression without a value.
// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:8: error: lathe.std.group_norm: 3 is not a multiple of 2 in 'replaced(shape(%x), dim, [groups, extent(%x, dim) / groups])'
// CHECK: std/norms.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %grouped = lathe.reshape %x to
func.func @group_norm(%x: tensor<4x3xf32>) {
  %0 = lathe.std.group_norm %x groups 2 : tensor<4x3xf32>
  return
}

// -----

// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:8: error: lathe.std.attention: lathe.select: {{.*}} do not broadcast
// CHECK: std/layers.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %scores = lathe.select %mask, %scores, %never
func.func @attention(%x: tensor<3x4xf32>, %m: tensor<5x5xi1>) {
  %0 = lathe.std.attention %x, %x, %x mask %m : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<5x5xi1>
  return
}

// -----

// In a loop: the line of its body, and that of the loop where its values do not fit together.
// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:10: error: lathe.std.rnn: lathe.dot_general: dimension 1 of operand 'lhs' is 4, dimension 0 of operand 'rhs' is 5
// CHECK: std/recurrent.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %own = lathe.dot_general %h, %turned contract [1] x [0]
func.func @rnn(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>, %h: tensor<3x4xf32>) {
  %0:2 = lathe.std.rnn %x, %w, %r h0 %h : tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>, tensor<3x4xf32>
  return
}

// -----

// CHECK: errors-in-templates.mlir:[[#@LINE+3]]:10: error: lathe.std.rnn: 'lathe.yield' op value 0 is 'tensor<3x5xf32>', expected 'tensor<1x5xf32>' of carries and collected values of the lathe.scan
// CHECK: std/recurrent.lathe-template:{{[0-9]+}}:1: note: in this line of its template: %last, %ys = lathe.scan carry(%h = %h0)
func.func @carry(%x: tensor<4x3x2xf32>, %w: tensor<5x2xf32>, %r: tensor<5x5xf32>, %h: tensor<1x5xf32>) {
  %0:2 = lathe.std.rnn %x, %w, %r h0 %h : tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5x5xf32>, tensor<1x5xf32>
  return
}
