// RUN: lathe-opt %s --lathe-sink-transposes --split-input-file | FileCheck %s
// RUN: %python %S/Inputs/same.py lathe-run lathe-opt %s
// Transposes go behind what gives the same in another order, and cancel there.

// Between two convolutions of channels-first images nothing is turned: a rectifier, a residual, a mean of windows.
// CHECK-LABEL: func.func @between
// CHECK-NOT: lathe.transpose
// CHECK: lathe.compare le %arg0
// CHECK: lathe.select
// CHECK: lathe.reduce_window sum %{{.*}} window [1, 2, 2, 1] stride [1, 2, 2, 1] pad {{\[\[}}0, 0], [0, 1], [1, 0], [0, 0]] : tensor<2x4x4x3xf32>
// CHECK-NOT: lathe.transpose
// CHECK: return
func.func @between(%x: tensor<2x4x4x3xf32>, %y: tensor<2x4x4x3xf32>) -> tensor<2x2x2x3xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %a = lathe.transpose %x [0, 3, 1, 2] : tensor<2x4x4x3xf32>
  %b = lathe.transpose %y [0, 3, 1, 2] : tensor<2x4x4x3xf32>
  %z = lathe.broadcast %zero dims [] to [2, 3, 4, 4] : tensor<f32> -> tensor<2x3x4x4xf32>
  %c = lathe.compare le %a, %z : tensor<2x3x4x4xf32>
  %r = lathe.select %c, %z, %a : tensor<2x3x4x4xi1>, tensor<2x3x4x4xf32>
  %s = lathe.add %r, %b : tensor<2x3x4x4xf32>
  %w = lathe.reduce_window sum %s window [1, 1, 2, 2] stride [1, 1, 2, 2] pad [[0, 0], [0, 0], [0, 1], [1, 0]] : tensor<2x3x4x4xf32>
  %t = lathe.transpose %w [0, 2, 3, 1] : tensor<2x3x2x2xf32>
  return %t : tensor<2x2x2x3xf32>
}

// -----

// A vector of channels takes its place; what is broadcast in another order is turned before it grows.
// CHECK-LABEL: func.func @vectors
// CHECK: lathe.broadcast %arg1 dims [2] to [4, 5, 3]
// CHECK: %[[turned:.*]] = lathe.transpose %arg2 [1, 0] : tensor<3x4xf32>
// CHECK: lathe.broadcast %[[turned]] dims [0, 2] to [4, 5, 3]
// CHECK: %[[sum:.*]] = lathe.add %{{.*}}, %{{.*}} : tensor<4x5x3xf32>
// CHECK: lathe.transpose %[[sum]] [2, 0, 1]
func.func @vectors(%x: tensor<4x5x3xf32>, %v: tensor<3xf32>, %m: tensor<3x4xf32>) -> tensor<3x4x5xf32> {
  %t = lathe.transpose %x [2, 0, 1] : tensor<4x5x3xf32>
  %b = lathe.broadcast %v dims [0] to [3, 4, 5] : tensor<3xf32> -> tensor<3x4x5xf32>
  %p = lathe.mul %t, %b : tensor<3x4x5xf32>
  %c = lathe.broadcast %m dims [0, 1] to [3, 4, 5] : tensor<3x4xf32> -> tensor<3x4x5xf32>
  %s = lathe.add %p, %c : tensor<3x4x5xf32>
  return %s : tensor<3x4x5xf32>
}

// -----

// Reductions: what is left in the same order needs no transpose, else a smaller one.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[mean:.*]] = lathe.reduce sum %arg0 dims [0, 1] : tensor<4x5x3xf32>
// CHECK: %[[max:.*]] = lathe.reduce max %arg0 dims [1] : tensor<4x5x3xf32>
// CHECK: %[[turned:.*]] = lathe.transpose %[[max]] [1, 0] : tensor<4x3xf32>
// CHECK: return %[[mean]], %[[turned]]
func.func @reductions(%x: tensor<4x5x3xf32>) -> (tensor<3xf32>, tensor<3x4xf32>) {
  %t = lathe.transpose %x [2, 0, 1] : tensor<4x5x3xf32>
  %a = lathe.reduce sum %t dims [1, 2] : tensor<3x4x5xf32>
  %b = lathe.reduce max %t dims [2] : tensor<3x4x5xf32>
  return %a, %b : tensor<3xf32>, tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @joined
// CHECK: lathe.pad %arg0, %{{.*}} low [0, 2, 1] high [1, 0, 0] : tensor<4x5x3xf32>
// CHECK: lathe.concatenate %{{.*}}, %{{.*}} dim 0
// CHECK: lathe.transpose %{{.*}} [2, 0, 1]
func.func @joined(%x: tensor<4x5x3xf32>, %y: tensor<6x7x4xf32>) -> tensor<4x11x7xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %t = lathe.transpose %x [2, 0, 1] : tensor<4x5x3xf32>
  %u = lathe.transpose %y [2, 0, 1] : tensor<6x7x4xf32>
  %p = lathe.pad %t, %zero low [1, 0, 2] high [0, 1, 0] : tensor<3x4x5xf32>, tensor<f32>
  %j = lathe.concatenate %p, %u dim 1 : tensor<4x5x7xf32>, tensor<4x6x7xf32>
  return %j : tensor<4x11x7xf32>
}

// -----

// An op whose operands have two orders, or come from an argument, stays.
// CHECK-LABEL: func.func @different
// CHECK: lathe.transpose
// CHECK: lathe.transpose
// CHECK: lathe.add
// CHECK: lathe.add %{{.*}}, %arg2
// CHECK-NEXT: return
func.func @different(%x: tensor<3x3x3xf32>, %y: tensor<3x3x3xf32>, %z: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  %t = lathe.transpose %x [2, 0, 1] : tensor<3x3x3xf32>
  %u = lathe.transpose %y [1, 0, 2] : tensor<3x3x3xf32>
  %s = lathe.add %t, %u : tensor<3x3x3xf32>
  %r = lathe.add %s, %z : tensor<3x3x3xf32>
  return %r : tensor<3x3x3xf32>
}

// -----

// Slices along another dimension than the last one are as contiguous before the transpose.
// CHECK-LABEL: func.func @slices
// CHECK: %[[rows:.*]] = lathe.gather %arg0, %arg1 axis 0 : tensor<7x5x3xf32>, tensor<4x2xi32>
// CHECK: lathe.transpose %[[rows]] [2, 0, 1, 3] : tensor<4x2x5x3xf32>
func.func @slices(%x: tensor<7x5x3xf32>, %i: tensor<4x2xi32>) -> tensor<5x4x2x3xf32> {
  %t = lathe.transpose %x [1, 0, 2] : tensor<7x5x3xf32>
  %g = lathe.gather %t, %i axis 1 : tensor<5x7x3xf32>, tensor<4x2xi32>
  return %g : tensor<5x4x2x3xf32>
}

// -----

// Single elements, or slices of scattered elements, would not be.
// CHECK-LABEL: func.func @elements
// CHECK: lathe.transpose %arg0 [1, 0, 2]
// CHECK: lathe.gather %{{.*}} axis 2
// CHECK: lathe.transpose %arg0 [2, 1, 0]
// CHECK: lathe.gather %{{.*}} axis 0
func.func @elements(%x: tensor<7x5x3xf32>, %i: tensor<4xi32>) -> (tensor<5x7x4xf32>, tensor<4x5x7xf32>) {
  %t = lathe.transpose %x [1, 0, 2] : tensor<7x5x3xf32>
  %g = lathe.gather %t, %i axis 2 : tensor<5x7x3xf32>, tensor<4xi32>
  %r = lathe.transpose %x [2, 1, 0] : tensor<7x5x3xf32>
  %h = lathe.gather %r, %i axis 0 : tensor<3x5x7xf32>, tensor<4xi32>
  return %g, %h : tensor<5x7x4xf32>, tensor<4x5x7xf32>
}

// -----

// An image whose channels are last is enlarged there, column by column and row by row: each slice has all channels. The sum and the
// transpose back follow.
// CHECK-LABEL: func.func @nearest
// CHECK-NEXT: %[[rows:.*]] = lathe.gather %arg0, %arg2 axis 1 : tensor<2x3x4x8xf32>, tensor<6xi32>
// CHECK-NEXT: %[[all:.*]] = lathe.gather %[[rows]], %arg3 axis 2 : tensor<2x6x4x8xf32>, tensor<7xi32>
// CHECK-NEXT: %[[sum:.*]] = lathe.add %arg1, %[[all]]
// CHECK-NEXT: return %[[sum]]
func.func @nearest(%x: tensor<2x3x4x8xf32>, %y: tensor<2x6x7x8xf32>, %h: tensor<6xi32>, %w: tensor<7xi32>)
    -> tensor<2x6x7x8xf32> {
  %t = lathe.transpose %x [0, 3, 1, 2] : tensor<2x3x4x8xf32>
  %u = lathe.transpose %y [0, 3, 1, 2] : tensor<2x6x7x8xf32>
  %g = lathe.gather %t, %h axis 2 : tensor<2x8x3x4xf32>, tensor<6xi32>
  %k = lathe.gather %g, %w axis 3 : tensor<2x8x6x4xf32>, tensor<7xi32>
  %s = lathe.add %u, %k : tensor<2x8x6x7xf32>
  %b = lathe.transpose %s [0, 2, 3, 1] : tensor<2x8x6x7xf32>
  return %b : tensor<2x6x7x8xf32>
}

// -----

// A product that reads each element a few times reads it where it is; its free dimensions keep the order that they have there.
// CHECK-LABEL: func.func @small_product
// CHECK: %[[a:.*]] = lathe.dot_general %arg0, %arg1 contract [1] x [1] batch [0] x [0] : tensor<9x3xf32>, tensor<9x3x6x2xf32>
// CHECK: %[[b:.*]] = lathe.dot_general %arg2, %arg0 contract [2] x [1] batch [1] x [0] : tensor<6x9x3x2xf32>, tensor<9x3xf32>
// CHECK: return %[[a]], %[[b]]
func.func @small_product(%w: tensor<9x3xf32>, %x: tensor<9x3x6x2xf32>, %y: tensor<6x9x3x2xf32>) -> (tensor<9x6x2xf32>, tensor<9x6x2xf32>) {
  %t = lathe.transpose %x [2, 0, 1, 3] : tensor<9x3x6x2xf32>
  %a = lathe.dot_general %w, %t contract [1] x [2] batch [0] x [1] : tensor<9x3xf32>, tensor<6x9x3x2xf32>
  %u = lathe.transpose %y [1, 0, 2, 3] : tensor<6x9x3x2xf32>
  %b = lathe.dot_general %u, %w contract [2] x [1] batch [0] x [0] : tensor<9x6x3x2xf32>, tensor<9x3xf32>
  return %a, %b : tensor<9x6x2xf32>, tensor<9x6x2xf32>
}

// -----

// Free dimensions in another order: the result is turned instead. One that reads each element often has a copy to read.
// CHECK-LABEL: func.func @other_products
// CHECK: %[[copy:.*]] = lathe.transpose %arg1
// CHECK: %[[a:.*]] = lathe.dot_general %arg0, %arg1 contract [0] x [2] : tensor<3xf32>, tensor<4x5x3x2xf32>
// CHECK: lathe.transpose %[[a]] [1, 0, 2] : tensor<4x5x2xf32>
// CHECK: lathe.dot_general %arg2, %[[copy]]
func.func @other_products(%w: tensor<3xf32>, %x: tensor<4x5x3x2xf32>, %m: tensor<9x3xf32>) -> (tensor<5x4x2xf32>, tensor<9x5x4x2xf32>) {
  %t = lathe.transpose %x [1, 0, 2, 3] : tensor<4x5x3x2xf32>
  %a = lathe.dot_general %w, %t contract [0] x [2] : tensor<3xf32>, tensor<5x4x3x2xf32>
  %b = lathe.dot_general %m, %t contract [1] x [2] : tensor<9x3xf32>, tensor<5x4x3x2xf32>
  return %a, %b : tensor<5x4x2xf32>, tensor<9x5x4x2xf32>
}
