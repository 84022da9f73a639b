// RUN: lathe-opt %s --lathe-import --lathe-expand-derivatives --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// One call pulls back to both float operands; what a result has no cotangent for counts as zero.
// CHECK-LABEL: @reverse(
// CHECK: %[[Z:.*]] = lathe.constant dense<0.0{{.*}}> : tensor<2xf32>
// CHECK: %[[Y:.*]]:3 = lathe.extern @f_(%arg0, %arg1, %arg2) gradient [@g, @h]
// CHECK: %[[G:.*]]:2 = lathe.extern @g(%arg0, %arg1, %arg2, %[[Y]]#0, %[[Y]]#1, %[[Y]]#2, %arg3, %[[Z]]) gradient [@h] : (tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>, tensor<3xi32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<f32>)
// CHECK: return %[[G]]#0, %[[G]]#1
func.func private @f(%x: tensor<4xf32>, %n: tensor<i32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0:3 = lathe.extern @f_(%x, %n, %s) gradient [@g, @h] : (tensor<4xf32>, tensor<i32>, tensor<f32>) -> (tensor<4xf32>, tensor<3xi32>, tensor<2xf32>)
  return %0#0 : tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>, %n: tensor<i32>, %s: tensor<f32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0:3 = lathe.vjp @f(%x, %n, %s) cotangents(%c) wrt [0, 2] : (tensor<4xf32>, tensor<i32>, tensor<f32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  return %0#1, %0#2 : tensor<4xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: @forward(
// CHECK: %[[Z:.*]] = lathe.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK: %[[Y:.*]] = lathe.extern @f(%arg0, %arg1) tangent @t
// CHECK: lathe.extern @t(%arg0, %arg1, %[[Y]], %arg2, %[[Z]]) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return
func.func private @inner(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.extern @f(%x, %y) tangent @t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @forward(%x: tensor<4xf32>, %y: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @inner(%x, %y) tangents(%t) wrt [0] : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// No derivative passes through it, so the function needs none.
// CHECK-LABEL: @beside(
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = lathe.stop_gradient %x : tensor<4xf32>
  %0 = lathe.extern @f(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lathe.mul %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @beside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @inner(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.extern' of @f has no derivative; declare one with `gradient [@function]` or `tangent @function`, or stop the gradient with lathe.stop_gradient}}
  %0 = lathe.extern @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @inner(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.extern' of @f has a gradient and no tangent; forward derivatives, lathe.jvp, need `tangent @function`}}
  %0 = lathe.extern @f(%x) gradient [@g] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @inner(%x) tangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.extern_tangent' of @f cannot be transposed: its lathe.extern has a tangent and no gradient; reverse derivatives need `gradient [@function]`}}
  %0 = lathe.extern @f(%x) tangent @t : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @inner(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// A second derivative needs the gradient of the gradient.
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.extern' of @g has no derivative; declare one with `gradient [@function]`}}
  %0 = lathe.extern @f(%x) gradient [@g] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @inner(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @slope(%x) cotangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
