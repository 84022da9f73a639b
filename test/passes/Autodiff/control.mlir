// Derivatives of branches and loops: what is kept between the two directions, and what is not.
// RUN: lathe-opt %s --lathe-expand-derivatives --canonicalize --cse | FileCheck %s

!v = tensor<3xf32>
func.func private @recurrent(%xs: tensor<100x3xf32>, %h0: !v, %w: !v) -> !v {
  %h = lathe.scan carry(%h = %h0 : !v) over(%x = %xs : tensor<100x3xf32>) -> !v {
    %c = lathe.cos %w : !v
    %0 = lathe.mul %h, %c : !v
    %1 = lathe.add %0, %x : !v
    %next = lathe.tanh %1 : !v
    lathe.yield carry(%next : !v)
  }
  return %h : !v
}

// Two stacks: the carry, and the result of tanh, of which its slope is made again. The slope of cos is one for all steps.
// CHECK-LABEL: @vjp_recurrent(
// CHECK-SAME: %[[XS:.*]]: tensor<100x3xf32>, %[[H0:.*]]: tensor<3xf32>, %[[W:.*]]: tensor<3xf32>, %[[CT:.*]]: tensor<3xf32>)
// CHECK: %[[COS:.*]] = lathe.cos %[[W]]
// CHECK: %[[KEPT:.*]]:3 = lathe.scan carry(%[[H:.*]] = %[[H0]] : tensor<3xf32>) over(%{{.*}} = %[[XS]] : tensor<100x3xf32>)
// CHECK:   %[[NEXT:.*]] = lathe.tanh
// CHECK:   lathe.yield carry(%[[NEXT]] : tensor<3xf32>) collect(%[[H]] : tensor<3xf32>, %[[NEXT]] : tensor<3xf32>)
// CHECK: %[[BACK:.*]]:2 = lathe.scan carry(%[[DW:.*]] = %{{.*}}, %[[DH:.*]] = %[[CT]] : tensor<3xf32>) over(%{{.*}} = %[[KEPT]]#1 : tensor<100x3xf32>, %{{.*}} = %[[KEPT]]#2 : tensor<100x3xf32>) trip 100 reverse
// CHECK-NOT: lathe.tanh
// CHECK:   %[[SLOPE:.*]] = lathe.sub
// CHECK:   %[[G:.*]] = lathe.mul %[[DH]], %[[SLOPE]]
// CHECK:   lathe.mul %[[G]], %[[COS]]
// CHECK:   lathe.add %[[DW]],
// CHECK: return %[[BACK]]#1
func.func @vjp_recurrent(%xs: tensor<100x3xf32>, %h0: !v, %w: !v, %c: !v) -> (!v, !v) {
  %r:3 = lathe.vjp @recurrent(%xs, %h0, %w) cotangents(%c) wrt [1, 2] : (tensor<100x3xf32>, !v, !v), (!v) -> (!v, !v, !v)
  return %r#1, %r#2 : !v, !v
}

func.func private @spread(%xs: tensor<100x3xf32>, %h0: tensor<f32>) -> tensor<f32> {
  %h = lathe.scan carry(%h = %h0 : tensor<f32>) over(%x = %xs : tensor<100x3xf32>) -> tensor<f32> {
    %all = lathe.broadcast %h dims [] to [3] : tensor<f32>
    %0 = lathe.mul %x, %all : !v
    %next = lathe.reduce sum %0 dims [0] : !v
    lathe.yield carry(%next : tensor<f32>)
  }
  return %h : tensor<f32>
}

// The stack is of what is repeated, not of what it is repeated to.
// CHECK-LABEL: @vjp_spread(
// CHECK: %[[KEPT:.*]]:2 = lathe.scan carry(%[[H:.*]] = %{{.*}} : tensor<f32>) {{.*}} -> (tensor<f32>, tensor<100xf32>)
// CHECK:   collect(%[[H]] : tensor<f32>)
// CHECK: lathe.scan {{.*}} = %[[KEPT]]#1 : tensor<100xf32>{{.*}} reverse
// CHECK:   lathe.broadcast
func.func @vjp_spread(%xs: tensor<100x3xf32>, %h0: tensor<f32>, %c: tensor<f32>) -> (tensor<100x3xf32>, tensor<f32>) {
  %r:3 = lathe.vjp @spread(%xs, %h0) cotangents(%c) wrt [0, 1]
      : (tensor<100x3xf32>, tensor<f32>), (tensor<f32>) -> (tensor<f32>, tensor<100x3xf32>, tensor<f32>)
  return %r#1, %r#2 : tensor<100x3xf32>, tensor<f32>
}

// Forward, a tangent beside the carry and nothing kept; of a loop with an operand that has no tangent, none for it.
// CHECK-LABEL: @jvp_recurrent(
// CHECK: lathe.scan carry(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}} : tensor<3xf32>) over(%{{.*}} = %{{.*}} : tensor<100x3xf32>) trip 100 -> (tensor<3xf32>, tensor<3xf32>)
func.func @jvp_recurrent(%xs: tensor<100x3xf32>, %h0: !v, %w: !v, %t: !v) -> !v {
  %r:2 = lathe.jvp @recurrent(%xs, %h0, %w) tangents(%t) wrt [1] : (tensor<100x3xf32>, !v, !v), (!v) -> (!v, !v)
  return %r#1 : !v
}

func.func private @segments(%xs: tensor<100x3xf32>, %h0: !v) -> !v {
  %h = lathe.scan carry(%h = %h0 : !v) over(%x = %xs : tensor<100x3xf32>) checkpoint every 20 -> !v {
    %1 = lathe.add %h, %x : !v
    %next = lathe.tanh %1 : !v
    lathe.yield carry(%next : !v)
  }
  return %h : !v
}

// Five segments of twenty: carries between segments are kept, and in a segment the steps are run again.
// CHECK-LABEL: @vjp_segments(
// CHECK: %[[PARTS:.*]] = lathe.reshape %{{.*}} to [5, 20, 3]
// CHECK: lathe.scan carry(%[[H:[^ ]*]] = {{.*}} trip 5 -> (tensor<3xf32>, tensor<5x3xf32>)
// CHECK:   lathe.checkpoint
// CHECK:     lathe.scan {{.*}} trip 20 -> tensor<3xf32>
// CHECK:   collect(%[[H]] : tensor<3xf32>)
// CHECK: lathe.scan {{.*}} trip 5 reverse -> tensor<3xf32>
// CHECK:   lathe.checkpoint
// CHECK:     lathe.scan {{.*}} trip 20 -> (tensor<3xf32>, tensor<20x3xf32>)
// CHECK:     lathe.scan {{.*}} trip 20 reverse -> tensor<3xf32>
func.func @vjp_segments(%xs: tensor<100x3xf32>, %h0: !v, %c: !v) -> !v {
  %r:2 = lathe.vjp @segments(%xs, %h0) cotangents(%c) wrt [1] : (tensor<100x3xf32>, !v), (!v) -> (!v, !v)
  return %r#1 : !v
}

func.func private @any_segments(%xs: tensor<?x3xf32, #lathe.dims<T>>, %h0: !v) -> !v {
  %h = lathe.scan carry(%h = %h0 : !v) over(%x = %xs : tensor<?x3xf32, #lathe.dims<T>>) checkpoint every 20 -> !v {
    %1 = lathe.add %h, %x : !v
    %next = lathe.tanh %1 : !v
    lathe.yield carry(%next : !v)
  }
  return %h : !v
}

// Also with a named number of steps: the last segment is padded, and runs the remaining steps.
// CHECK-LABEL: @vjp_any_segments(
// CHECK: lathe.concatenate %{{.*}} dim 0 : tensor<?x3xf32, #lathe.dims<T>>, tensor<?x3xf32, #lathe.dims<-1 * T + 20 * ceil_div(T, 20)>>
// CHECK: lathe.reshape %{{.*}} to [ceil_div(T, 20), 20, 3]
// CHECK: lathe.scan {{.*}} trip ceil_div(T, 20) -> (tensor<3xf32>, tensor<i64>, tensor<?x3xf32, #lathe.dims<ceil_div(T, 20)>>
// CHECK:   %[[LEFT:.*]] = lathe.sub %{{.*}} : tensor<i64>
// CHECK:   %[[POSITIVE:.*]] = lathe.max %[[LEFT]], %{{.*}} : tensor<i64>
// CHECK:   %[[STEPS:.*]] = lathe.min %[[POSITIVE]], %{{.*}} : tensor<i64>
// CHECK:   lathe.checkpoint
// CHECK:     lathe.scan {{.*}} trip 20 length %[[STEPS]]
func.func @vjp_any_segments(%xs: tensor<?x3xf32, #lathe.dims<T>>, %h0: !v, %c: !v) -> !v {
  %r:2 = lathe.vjp @any_segments(%xs, %h0) cotangents(%c) wrt [1] : (tensor<?x3xf32, #lathe.dims<T>>, !v), (!v) -> (!v, !v)
  return %r#1 : !v
}

func.func private @either(%p: tensor<i1>, %x: !v) -> !v {
  %y = lathe.if %p -> !v {
    %e = lathe.exp %x : !v
    lathe.yield %e : !v
  } else {
    %s = lathe.tanh %x : !v
    lathe.yield %s : !v
  }
  return %y : !v
}

// Residuals of both branches share a slot, here that of the result.
// CHECK-LABEL: @vjp_either(
// CHECK-SAME: %[[P:.*]]: tensor<i1>, %{{.*}}: tensor<3xf32>, %[[CT:.*]]: tensor<3xf32>)
// CHECK: %[[KEPT:.*]]{{(:2)?}} = lathe.if %[[P]] ->
// CHECK: lathe.if %[[P]] -> tensor<3xf32> {
// CHECK-NEXT: %[[D:.*]] = lathe.mul %[[CT]], %[[KEPT]]
// CHECK-NEXT: lathe.yield %[[D]]
// CHECK-NEXT: } else {
// CHECK-NOT: lathe.tanh
// CHECK: }
func.func @vjp_either(%p: tensor<i1>, %x: !v, %c: !v) -> !v {
  %r:2 = lathe.vjp @either(%p, %x) cotangents(%c) wrt [1] : (tensor<i1>, !v), (!v) -> (!v, !v)
  return %r#1 : !v
}

func.func private @until(%v0: !v, %n: tensor<i32>) -> !v {
  %zero = lathe.constant dense<0> : tensor<i32>
  %i, %v = lathe.while carry(%i = %zero : tensor<i32>, %v = %v0 : !v) bound 50 {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.add %i, %one : tensor<i32>
    %s = lathe.sin %v : !v
    lathe.yield carry(%next : tensor<i32>, %s : !v)
  }
  return %v : !v
}

// The loop counts its steps and keeps as many slots as its bound says; backwards it is a scan of so many steps.
// CHECK-LABEL: @vjp_until(
// CHECK: %[[LOOP:.*]]:4 = lathe.while carry({{.*}}tensor<50x3xf32>) bound 50
// CHECK:   lathe.dynamic_update_slice
// CHECK: lathe.scan {{.*}} over(%{{.*}} = %[[LOOP]]#3 : tensor<50x3xf32>) trip 50 reverse length %[[LOOP]]#2
func.func @vjp_until(%v0: !v, %n: tensor<i32>, %c: !v) -> !v {
  %r:2 = lathe.vjp @until(%v0, %n) cotangents(%c) wrt [0] : (!v, tensor<i32>), (!v) -> (!v, !v)
  return %r#1 : !v
}

// A derivative reports the bound of a loop that it needs. Of one whose values it does not need nothing is left.
func.func private @bounded(%x: !v, %limit: tensor<f32>) -> !v {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %n = lathe.while carry(%i = %zero : tensor<f32>) bound 10 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.add %i, %one : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  %y = lathe.mul %x, %x : !v
  %z = lathe.add %y, %n : !v, tensor<f32>
  return %z : !v
}
// CHECK-LABEL: func.func @slope_of_bounded(
// CHECK-NOT: lathe.while
// CHECK: return
func.func @slope_of_bounded(%x: !v, %t: !v, %limit: tensor<f32>) -> !v {
  %y, %d = lathe.jvp @bounded(%x, %limit) tangents(%t) wrt [0] : (!v, tensor<f32>), (!v) -> (!v, !v)
  return %d : !v
}
// CHECK-LABEL: func.func @value_of_bounded(
// CHECK: lathe.while {{.*}} bound 10
// CHECK: return
func.func @value_of_bounded(%x: !v, %t: !v, %limit: tensor<f32>) -> (!v, !v) {
  %y, %d = lathe.jvp @bounded(%x, %limit) tangents(%t) wrt [0] : (!v, tensor<f32>), (!v) -> (!v, !v)
  return %y, %d : !v, !v
}
