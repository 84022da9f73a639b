// Every op that is wrong for itself is named, not just the first.
// RUN: not lathec %s --emit=none 2>&1 | FileCheck %s

// CHECK: graph-errors.mlir:[[# @LINE + 2]]:8: error: 'arith.addf' is not allowed in a Lathe graph; expected lathe.*, func.func, func.call or func.return
func.func @other_dialect(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK: graph-errors.mlir:[[# @LINE + 2]]:23: error: an argument of type 'tensor<4294967296x4294967296xf32>' has more than 2^63 - 1 bytes
// CHECK: graph-errors.mlir:[[# @LINE + 2]]:8: error: a result of type 'tensor<4294967296x4294967296xf32>' has more than 2^63 - 1 bytes
func.func @large_type(%x: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  %y = lathe.neg %x : tensor<4294967296x4294967296xf32>
  return %y : tensor<4294967296x4294967296xf32>
}

// CHECK: graph-errors.mlir:[[# @LINE + 2]]:8: error: a result of type 'tensor<9223372036854775807xf32>' has more than 2^63 - 1 bytes
func.func @large_splat() -> tensor<9223372036854775807xf32> {
  %y = lathe.constant dense<1.0> : tensor<9223372036854775807xf32>
  return %y : tensor<9223372036854775807xf32>
}

// CHECK: graph-errors.mlir:[[# @LINE + 1]]:1: error: a variable of type 'tensor<4294967296x4294967296xf32>' has more than 2^63 - 1 bytes
lathe.variable @v : tensor<4294967296x4294967296xf32> init #lathe.zeros

// CHECK: graph-errors.mlir:[[# @LINE + 1]]:1: error: argument 0 of @no_tensor has type 'index'; expected a ranked tensor of f64, f32, f16, bf16, i8 to i64, ui8 to ui64 or i1
func.func private @no_tensor(%x: index)

// CHECK: graph-errors.mlir:[[# @LINE + 2]]:1: error: result 0 of @element has type 'tensor<4xi4>'; expected a ranked tensor
// CHECK: graph-errors.mlir:[[# @LINE + 1]]:20: error: argument 0 of @element has type 'tensor<4xi4>'; expected a ranked tensor
func.func @element(%x: tensor<4xi4>) -> tensor<4xi4> {
  return %x : tensor<4xi4>
}

// CHECK: graph-errors.mlir:[[# @LINE + 1]]:1: error: @blocks has several blocks; a graph is one list of ops
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^after:
  return %x : tensor<4xf32>
}

// CHECK: graph-errors.mlir:[[# @LINE + 2]]:8: error: 'output' is for passes only; in a graph, 'pad' determines the extents of lathe.conv
func.func @output(%x: tensor<1x8x3xf32>, %w: tensor<3x3x5xf32>) -> tensor<1x8x5xf32> {
  %y = lathe.conv %x, %w output [8] stride [1] pad [[1, 0]] : tensor<1x8x3xf32>, tensor<3x3x5xf32>
  return %y : tensor<1x8x5xf32>
}
