// RUN: lathe-opt %s --canonicalize | FileCheck %s
// Only what holds for every operand, NaN, infinities and signed zeros included.

// CHECK-LABEL: @identities(
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @identities(%x: tensor<4xf32>, %p: tensor<4xi1>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<4xf32>
  %minus = lathe.constant dense<-0.0> : tensor<4xf32>
  %one = lathe.constant dense<1.0> : tensor<4xf32>
  %n = lathe.neg %x : tensor<4xf32>
  %0 = lathe.neg %n : tensor<4xf32>
  %1 = lathe.add %x, %minus : tensor<4xf32>
  %2 = lathe.sub %x, %zero : tensor<4xf32>
  %3 = lathe.mul %one, %x : tensor<4xf32>
  %4 = lathe.div %x, %one : tensor<4xf32>
  %5 = lathe.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  %6 = lathe.convert %x to f32 : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -0.0 + 0.0 is 0.0; x * 0 may be NaN; -0.0 taken away from -0.0 is 0.0; and a stretched operand is not the result.
// CHECK-LABEL: @keep(
// CHECK: lathe.add
// CHECK: lathe.mul
// CHECK: lathe.sub
// CHECK: lathe.add
func.func @keep(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<4xf32>
  %minus = lathe.constant dense<-0.0> : tensor<4xf32>
  %0 = lathe.add %x, %zero : tensor<4xf32>
  %1 = lathe.mul %x, %zero : tensor<4xf32>
  %2 = lathe.sub %x, %minus : tensor<4xf32>
  %3 = lathe.add %y, %minus : tensor<f32>, tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @integers(
// CHECK-NEXT: return %arg0, %arg0
func.func @integers(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %zero = lathe.constant dense<0> : tensor<4xi32>
  %one = lathe.constant dense<1> : tensor<4xi32>
  %0 = lathe.add %x, %zero : tensor<4xi32>
  %1 = lathe.mul %x, %one : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @bitcasts(
// CHECK-NEXT: return %arg0, %arg0
func.func @bitcasts(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = lathe.bitcast %x to i32 : tensor<4xi32>
  %1 = lathe.bitcast %x to f32 : tensor<4xi32>
  %2 = lathe.bitcast %1 to i32 : tensor<4xf32>
  return %0, %2 : tensor<4xi32>, tensor<4xi32>
}

// Folded, these would get a derivative.
// CHECK-LABEL: @bitcasts_of_floats(
// CHECK-COUNT-3: lathe.bitcast
func.func @bitcasts_of_floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = lathe.bitcast %x to f32 : tensor<4xf32>
  %1 = lathe.bitcast %x to i32 : tensor<4xf32>
  %2 = lathe.bitcast %1 to f32 : tensor<4xi32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
