// RUN: lathe-opt %s --lathe-import --lathe-expand-derivatives --canonicalize --cse | FileCheck %s
// RUN: lathe-run %s slope --random --gradcheck
// RUN: lathe-run %s slopes --random --gradcheck
// The slopes of sine and cosine are what the branch, or the step, computes anyway: none is computed again from the residuals.

func.func private @turned(%x: tensor<4xf64>) -> tensor<4xf64> {
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %sum = lathe.reduce sum %x dims [0] : tensor<4xf64>
  %large = lathe.compare gt %sum, %zero : tensor<f64>
  %y = lathe.if %large -> tensor<4xf64> {
    %c = lathe.cos %x : tensor<4xf64>
    %s = lathe.sin %x : tensor<4xf64>
    %p = lathe.mul %c, %s : tensor<4xf64>
    lathe.yield %p : tensor<4xf64>
  } else {
    lathe.yield %x : tensor<4xf64>
  }
  return %y : tensor<4xf64>
}
// CHECK-LABEL: func.func @slope(
// CHECK-COUNT-1: lathe.cos
// CHECK-COUNT-1: lathe.sin
// CHECK-NOT: lathe.cos
// CHECK-NOT: lathe.sin
// CHECK: return
func.func @slope(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %y, %dx = lathe.vjp @turned(%x) cotangents(%t) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %dx : tensor<4xf64>
}

func.func private @turning(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = lathe.scan carry(%v = %x : tensor<4xf64>) trip 5 -> tensor<4xf64> {
    %c = lathe.cos %v : tensor<4xf64>
    %s = lathe.sin %v : tensor<4xf64>
    %p = lathe.mul %c, %s : tensor<4xf64>
    lathe.yield carry(%p : tensor<4xf64>)
  }
  return %y : tensor<4xf64>
}
// CHECK-LABEL: func.func @slopes(
// CHECK-COUNT-1: lathe.cos
// CHECK-COUNT-1: lathe.sin
// CHECK-NOT: lathe.cos
// CHECK-NOT: lathe.sin
// CHECK: return
func.func @slopes(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %y, %dx = lathe.vjp @turning(%x) cotangents(%t) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %dx : tensor<4xf64>
}
