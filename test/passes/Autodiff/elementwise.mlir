// RUN: lathe-opt %s --lathe-expand-derivatives | FileCheck %s
// Slopes are built beside their use in the transposed part, from primal values.

func.func private @tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: @vjp_tanh(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = lathe.tanh %[[X]]
// CHECK-NEXT: %[[ONE:.*]] = lathe.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[YY:.*]] = lathe.mul %[[Y]], %[[Y]]
// CHECK-NEXT: %[[SLOPE:.*]] = lathe.sub %[[ONE]], %[[YY]]
// CHECK-NEXT: %[[DX:.*]] = lathe.mul %[[C]], %[[SLOPE]]
// CHECK-NEXT: return %[[Y]], %[[DX]]
func.func @vjp_tanh(%x: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = lathe.vjp @tanh(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

func.func private @div(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.div %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: @jvp_div(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>, %[[U:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = lathe.div %[[A]], %[[B]]
// CHECK-NEXT: %[[FIRST:.*]] = lathe.div %[[T]], %[[B]]
// CHECK-NEXT: %[[YB:.*]] = lathe.div %[[Y]], %[[B]]
// CHECK-NEXT: %[[NEG:.*]] = lathe.neg %[[YB]]
// CHECK-NEXT: %[[SECOND:.*]] = lathe.mul %[[U]], %[[NEG]]
// CHECK-NEXT: %[[DY:.*]] = lathe.add %[[FIRST]], %[[SECOND]]
// CHECK-NEXT: return %[[DY]]
func.func @jvp_div(%a: tensor<4xf32>, %b: tensor<4xf32>, %t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.jvp @div(%a, %b) tangents(%t, %u) wrt [0, 1] : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// A product that broadcasts: the broadcast becomes an op, and its transpose a sum.
func.func private @scale(%x: tensor<?x4xf32, #lathe.dims<N>>, %g: tensor<4xf32>) -> tensor<?x4xf32, #lathe.dims<N>> {
  %0 = lathe.mul %x, %g : tensor<?x4xf32, #lathe.dims<N>>, tensor<4xf32>
  return %0 : tensor<?x4xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_scale(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #lathe.dims<N>>, %[[G:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<?x4xf32, #lathe.dims<N>>
// CHECK-NEXT: %[[P:.*]] = lathe.mul %[[C]], %[[X]]
// CHECK-NEXT: %[[DG:.*]] = lathe.reduce sum %[[P]] dims [0]
// CHECK-NEXT: return %[[DG]]
func.func @vjp_scale(%x: tensor<?x4xf32, #lathe.dims<N>>, %g: tensor<4xf32>, %c: tensor<?x4xf32, #lathe.dims<N>>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @scale(%x, %g) cotangents(%c) wrt [1] : (tensor<?x4xf32, #lathe.dims<N>>, tensor<4xf32>), (tensor<?x4xf32, #lathe.dims<N>>) -> (tensor<?x4xf32, #lathe.dims<N>>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// A tie gives half to each side; the constant side takes none of it.
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = lathe.constant dense<0.0> : tensor<4xf32>
  %0 = lathe.max %x, %zero : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: @vjp_relu(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = lathe.max %[[X]], %[[ZERO:.*]] :
// CHECK: %[[EQ0:.*]] = lathe.compare eq %[[X]], %[[Y]]
// CHECK: %[[W0:.*]] = lathe.convert %[[EQ0]] to f32
// CHECK: %[[EQ1:.*]] = lathe.compare eq %[[ZERO]], %[[Y]]
// CHECK: %[[W1:.*]] = lathe.convert %[[EQ1]] to f32
// CHECK: %[[WINS:.*]] = lathe.add %[[W0]], %[[W1]]
// CHECK: %[[SHARE:.*]] = lathe.div %[[W0]], %[[WINS]]
// CHECK: lathe.mul %[[C]], %[[SHARE]]
func.func @vjp_relu(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @relu(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

func.func private @select(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = lathe.constant dense<0.0> : tensor<4xf32>
  %p = lathe.compare gt %x, %zero : tensor<4xf32>
  %0 = lathe.select %p, %x, %zero : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: @vjp_select(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK: %[[P:.*]] = lathe.compare gt %[[X]]
// CHECK: %[[DX:.*]] = lathe.select %[[P]], %[[C]], %{{.*}} :
// CHECK-NEXT: return %[[DX]]
func.func @vjp_select(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = lathe.vjp @select(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// An op without a derivative has a zero tangent, also of a named shape.
func.func private @stop(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.stop_gradient %x : tensor<?xf32, #lathe.dims<N>>
  %1 = lathe.floor %0 : tensor<?xf32, #lathe.dims<N>>
  return %1 : tensor<?xf32, #lathe.dims<N>>
}
// CHECK-LABEL: @vjp_stop(
// CHECK-NEXT: %[[S:.*]] = lathe.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[ZERO:.*]] = lathe.broadcast %[[S]] dims [] to [N]
// CHECK-NEXT: return %[[ZERO]]
func.func @vjp_stop(%x: tensor<?xf32, #lathe.dims<N>>, %c: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0:2 = lathe.vjp @stop(%x) cotangents(%c) wrt [0] : (tensor<?xf32, #lathe.dims<N>>), (tensor<?xf32, #lathe.dims<N>>) -> (tensor<?xf32, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<N>>)
  return %0#1 : tensor<?xf32, #lathe.dims<N>>
}

func.func private @least(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = lathe.constant dense<4.0> : tensor<3xf32>
  %0 = lathe.min %c, %x : tensor<3xf32>, tensor<3xf32>
  return %0 : tensor<3xf32>
}
// The tangent stays the second operand's, though a fold would make it the first.
// CHECK-LABEL: @jvp_least(
// CHECK: %[[C:.*]] = lathe.constant dense<4.000000e+00>
// CHECK: lathe.min %[[C]], %arg0
// CHECK: %[[MINE:.*]] = lathe.compare {{.*}}eq %arg0,
// CHECK: %[[WON:.*]] = lathe.convert %[[MINE]]
// CHECK: %[[SHARE:.*]] = lathe.div %[[WON]]
// CHECK: lathe.mul %arg1, %[[SHARE]]
func.func @jvp_least(%x: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<3xf32> {
  %0:2 = lathe.jvp @least(%x) tangents(%t) wrt [0] : (tensor<3xf32>), (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>
}
