// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s
// Derivatives of functions that contain derivatives and calls, innermost first whatever the order in the file.

// CHECK-LABEL: @second(
// CHECK-SAME: %[[X:.*]]: tensor<f64>
// CHECK-NOT: lathe.jvp
// CHECK-NOT: call
// CHECK: %[[SIN:.*]] = lathe.sin %[[X]]
// CHECK: %[[D:.*]] = lathe.neg %[[SIN]]
// CHECK: return %[[D]]
func.func @second(%x: tensor<f64>) -> tensor<f64> {
  %one = lathe.constant dense<1.0> : tensor<f64>
  %0:2 = lathe.jvp @first(%x) tangents(%one) wrt [0] : (tensor<f64>), (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// CHECK-LABEL: func.func private @first(
// CHECK-NOT: lathe.value_and_grad
// CHECK: %[[C:.*]] = lathe.cos
// CHECK: return %[[C]]
func.func private @first(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @sine(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func private @sine(%x: tensor<f64>) -> tensor<f64> {
  %0 = lathe.sin %x : tensor<f64>
  return %0 : tensor<f64>
}

// A result that does not depend on the differentiated argument, and one that is an argument.
// CHECK-LABEL: @through(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %[[C:.*]]: tensor<2xf32>
// CHECK-NEXT: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[X]], %[[C]], %[[ZERO]]
func.func private @same(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @through(%x: tensor<2xf32>, %y: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0:3 = lathe.vjp @same(%x, %y) cotangents(%c) wrt [0, 1] : (tensor<2xf32>, tensor<2xf32>), (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1, %0#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Cotangents add up in reversed program order: the last use first.
// CHECK-LABEL: @order(
// CHECK: %[[E:.*]] = lathe.exp
// CHECK: %[[COS:.*]] = lathe.cos
// CHECK: %[[LAST:.*]] = lathe.mul %{{.*}}, %[[COS]]
// CHECK: %[[FIRST:.*]] = lathe.mul %{{.*}}, %[[E]]
// CHECK: lathe.add %[[LAST]], %[[FIRST]]
func.func private @uses(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = lathe.exp %x : tensor<2xf32>
  %1 = lathe.sin %x : tensor<2xf32>
  %2 = lathe.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func @order(%x: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = lathe.vjp @uses(%x) cotangents(%c) wrt [0] : (tensor<2xf32>), (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
