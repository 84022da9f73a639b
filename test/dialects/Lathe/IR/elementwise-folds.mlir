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

// CHECK-LABEL: @of_itself(
// CHECK-NEXT: %[[A:.*]] = lathe.abs %arg0
// CHECK-NEXT: %[[F:.*]] = lathe.floor %arg0
// CHECK-NEXT: %[[C:.*]] = lathe.ceil %arg0
// CHECK-NEXT: %[[T:.*]] = lathe.trunc %arg0
// CHECK-NEXT: %[[R:.*]] = lathe.round %arg0
// CHECK-NEXT: %[[H:.*]] = lathe.round_half_away %arg0
// CHECK-NEXT: %[[S:.*]] = lathe.stop_gradient %arg0
// CHECK-NEXT: return %[[A]], %[[F]], %[[C]], %[[T]], %[[R]], %[[H]], %[[S]]
func.func @of_itself(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = lathe.abs %x : tensor<4xf32>
  %b = lathe.abs %a : tensor<4xf32>
  %f = lathe.floor %x : tensor<4xf32>
  %g = lathe.floor %f : tensor<4xf32>
  %c = lathe.ceil %x : tensor<4xf32>
  %d = lathe.ceil %c : tensor<4xf32>
  %t = lathe.trunc %x : tensor<4xf32>
  %u = lathe.trunc %t : tensor<4xf32>
  %r = lathe.round %x : tensor<4xf32>
  %q = lathe.round %r : tensor<4xf32>
  %h = lathe.round_half_away %x : tensor<4xf32>
  %i = lathe.round_half_away %h : tensor<4xf32>
  %s = lathe.stop_gradient %x : tensor<4xf32>
  %z = lathe.stop_gradient %s : tensor<4xf32>
  return %b, %g, %d, %u, %q, %i, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @of_equals(
// CHECK-NEXT: return %arg0, %arg0, %arg1, %arg1, %arg1
func.func @of_equals(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = lathe.max %x, %x : tensor<4xf32>
  %1 = lathe.min %x, %x : tensor<4xf32>
  %2 = lathe.and %n, %n : tensor<4xi32>
  %3 = lathe.or %n, %n : tensor<4xi32>
  %4 = lathe.not %n : tensor<4xi32>
  %5 = lathe.not %4 : tensor<4xi32>
  return %0, %1, %2, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
