// RUN: lathe-opt %s --split-input-file --lathe-expand-std | FileCheck %s
// The functions that uses become.

// One composite in full. What is dynamic has a name of the function's own.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>})
// CHECK-NEXT: %[[Y:.*]] = call @softsign(%[[X]]) : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @softsign(%[[A:.*]]: tensor<?x8xf32> {lathe.dims = #lathe.dims<x_0>}) -> tensor<?x8xf32> attributes {lathe.composite = "softsign"} {
// CHECK-NEXT: %[[ONE:.*]] = lathe.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[SIZE:.*]] = lathe.abs %[[A]] : tensor<?x8xf32>
// CHECK-NEXT: %[[DIVISOR:.*]] = lathe.add %[[SIZE]], %[[ONE]] : tensor<?x8xf32>, tensor<f32>
// CHECK-NEXT: %[[R:.*]] = lathe.div %[[A]], %[[DIVISOR]] : tensor<?x8xf32>
// CHECK-NEXT: return %[[R]] : tensor<?x8xf32>
// CHECK-NEXT: }
// CHECK-NOT: func.func
func.func @dynamic(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x8xf32> {
  %0 = lathe.std.softsign %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Composites of composites: none is left.
// CHECK-LABEL: func.func @nested(
// CHECK: call @log_sigmoid(
// CHECK: func.func private @log_sigmoid(%[[X:.*]]: tensor<4xf64>)
// CHECK-NEXT: %[[MINUS:.*]] = lathe.neg %[[X]]
// CHECK-NEXT: %[[SOFT:.*]] = call @softplus(%[[MINUS]]) : (tensor<4xf64>) -> tensor<4xf64>
// CHECK-NEXT: %[[Y:.*]] = lathe.neg %[[SOFT]]
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @softplus(
// CHECK-NOT: lathe.std
func.func @nested(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = lathe.std.log_sigmoid %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// Halves are computed in f32, through composites inside as well, and rounded once.
// CHECK-LABEL: func.func @halves(
// CHECK: call @norm(%{{.*}}) : (tensor<4x?xf16>) -> tensor<4xf16>
// CHECK: func.func private @norm(%[[X:.*]]: tensor<4x?xf16> {lathe.dims = #lathe.dims<x_1>}) -> tensor<4xf16>
// CHECK-NEXT: %[[WIDE:.*]] = lathe.convert %[[X]] to f32 : tensor<4x?xf16>
// CHECK-NEXT: %[[SQUARES:.*]] = lathe.mul %[[WIDE]], %[[WIDE]] : tensor<4x?xf32>
// CHECK-NEXT: %[[TOTAL:.*]] = call @sum(%[[SQUARES]]) : (tensor<4x?xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = lathe.sqrt %[[TOTAL]] : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = lathe.convert %[[Y]] to f16 : tensor<4xf32>
// CHECK-NEXT: return %[[R]] : tensor<4xf16>
// CHECK: func.func private @sum(%{{.*}}: tensor<4x?xf32>
func.func @halves(%x: tensor<4x?xf16> {lathe.dims = #lathe.dims<N>}) -> tensor<4xf16> {
  %0 = lathe.std.norm %x dims [1] : tensor<4x?xf16>
  return %0 : tensor<4xf16>
}

// -----

// Every result is rounded, and only operands that are halves are widened.
// CHECK-LABEL: func.func @many(
// CHECK: func.func private @batch_norm(%[[X:.*]]: tensor<4x2xbf16>, %[[S:.*]]: tensor<2xf32>) -> (tensor<4x2xbf16>, tensor<2xbf16>, tensor<2xbf16>)
// CHECK-NEXT: %[[WIDE:.*]] = lathe.convert %[[X]] to f32 : tensor<4x2xbf16>
// CHECK-NOT: lathe.convert
// CHECK: %[[A:.*]] = lathe.convert %{{.*}} to bf16 : tensor<4x2xf32>
// CHECK-NEXT: %[[B:.*]] = lathe.convert %{{.*}} to bf16 : tensor<2xf32>
// CHECK-NEXT: %[[C:.*]] = lathe.convert %{{.*}} to bf16 : tensor<2xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @many(%x: tensor<4x2xbf16>, %s: tensor<2xf32>) {
  %0:3 = lathe.std.batch_norm %x scale %s : tensor<4x2xbf16>, tensor<2xf32>
  return
}

// -----

// Composites that only move elements keep halves.
// CHECK-LABEL: func.func @moves(
// CHECK-NOT: lathe.convert
// CHECK-NOT: f32
// CHECK: func.func private @embedding(%{{.*}}: tensor<?x8xbf16> {lathe.dims = #lathe.dims<table_0>}, %{{.*}}: tensor<?xi32> {lathe.dims = #lathe.dims<ids_0>}) -> tensor<?x8xbf16>
// CHECK: func.func private @max(%[[X:.*]]: tensor<?x8xbf16> {lathe.dims = #lathe.dims<x_0>}) -> tensor<?x1xbf16>
// CHECK-NEXT: %[[MAX:.*]] = lathe.reduce max %[[X]] dims [1]
// CHECK-NEXT: %[[KEPT:.*]] = lathe.reshape %[[MAX]] to [x_0, 1] : tensor<?xbf16>
// CHECK-NEXT: return %[[KEPT]]
func.func @moves(%x: tensor<?x8xbf16> {lathe.dims = #lathe.dims<N>}, %i: tensor<?xi32> {lathe.dims = #lathe.dims<M>}) {
  %0 = lathe.std.max %x dims [-1] keep : tensor<?x8xbf16>
  %1 = lathe.std.embedding %x, %i : tensor<?x8xbf16>, tensor<?xi32>
  return
}

// -----

// Other options and other types are other functions.
// CHECK-LABEL: func.func @two(
// CHECK-NEXT: call @[[A:hard_tanh[_0-9]*]](%{{.*}}) : (tensor<4xf32>)
// CHECK-NEXT: call @[[B:hard_tanh[_0-9]*]](%{{.*}}) : (tensor<4xf32>)
// CHECK-NEXT: call @[[C:hard_tanh[_0-9]*]](%{{.*}}) : (tensor<f64>)
// CHECK: func.func private @[[C]](%{{.*}}: tensor<f64>)
// CHECK: func.func private @[[B]](%{{.*}}: tensor<4xf32>)
// CHECK-NEXT: lathe.constant dense<-5.000000e-01> : tensor<f32>
// CHECK-NEXT: lathe.constant dense<1.000000e+00> : tensor<f32>
// CHECK: func.func private @[[A]](%{{.*}}: tensor<4xf32>)
// CHECK-NEXT: lathe.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT: lathe.constant dense<1.000000e+00> : tensor<f32>
func.func @two(%x: tensor<4xf32>, %y: tensor<f64>) {
  %0 = lathe.std.hard_tanh %x : tensor<4xf32>
  %1 = lathe.std.hard_tanh %x low -0.5 : tensor<4xf32>
  %2 = lathe.std.hard_tanh %y : tensor<f64>
  return
}

// -----

// A function of the graph keeps its name.
// CHECK-LABEL: func.func @silu(
// CHECK-NEXT: call @[[MADE:silu_[0-9]+]](
// CHECK: func.func private @[[MADE]]({{.*}} attributes {lathe.composite = "silu"}
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.std.silu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Lines are chosen by what is static: the scale is a number, or computed from the extent.
// CHECK-LABEL: func.func @attend(
// CHECK: func.func private @[[DYNAMIC:attention[_0-9]*]](%{{.*}}: tensor<3x?xf32>
// CHECK: %[[SIZE:.*]] = lathe.dim_size %{{.*}} dim 1
// CHECK-NEXT: %[[REAL:.*]] = lathe.convert %[[SIZE]] to f32
// CHECK-NEXT: lathe.rsqrt %[[REAL]]
// CHECK: func.func private @[[STATIC:attention[_0-9]*]](%{{.*}}: tensor<3x4xf32>
// CHECK-NEXT: lathe.constant dense<5.000000e-01> : tensor<f32>
func.func @attend(%x: tensor<3x4xf32>, %y: tensor<3x?xf32> {lathe.dims = #lathe.dims<D>}) {
  %0 = lathe.std.attention %x, %x, %x : tensor<3x4xf32>
  %1 = lathe.std.attention %y, %y, %y : tensor<3x?xf32>
  return
}

// -----

// Loops: one product for all steps in front of them, types from the values outside, composites within.
// CHECK-LABEL: func.func @recurrent(
// CHECK: func.func private @rnn(%[[X:.*]]: tensor<?x?x3xf32> {lathe.dims = #lathe.dims<x_0, x_1>}, %[[W:.*]]: tensor<4x3xf32>, %[[R:.*]]: tensor<4x4xf32>) -> (tensor<?x?x4xf32>, tensor<?x4xf32>)
// CHECK-NEXT: %[[D:.*]] = lathe.dot_general %[[X]], %[[W]] contract [2] x [1]
// CHECK: %[[H0:.*]] = lathe.broadcast %{{.*}} dims [] to [x_1, 4]
// CHECK-NEXT: %[[T:.*]] = lathe.transpose %[[R]] [1, 0]
// CHECK-NEXT: %[[Y:.*]]:2 = lathe.scan carry(%[[H:.*]] = %[[H0]] : tensor<?x4xf32>) over(%[[IN:.*]] = %[[D]] : tensor<?x?x4xf32>) reverse checkpoint sqrt -> (tensor<?x4xf32>, tensor<?x?x4xf32>) {
// CHECK-NEXT: %[[OWN:.*]] = lathe.dot_general %[[H]], %[[T]] contract [1] x [0]
// CHECK-NEXT: %[[SUM:.*]] = lathe.add %[[IN]], %[[OWN]]
// CHECK-NEXT: %[[NEXT:.*]] = func.call @activation(%[[SUM]])
// CHECK-NEXT: lathe.yield carry(%[[NEXT]] : tensor<?x4xf32>) collect(%[[NEXT]] : tensor<?x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]#1, %[[Y]]#0
func.func @recurrent(%x: tensor<?x?x3xf32> {lathe.dims = #lathe.dims<T, N>}, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>) {
  %0:2 = lathe.std.rnn %x, %w, %r reverse checkpoint sqrt : tensor<?x?x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>
  return
}

// -----

// A function of halves is called with halves, between which all is f32; what was given as f32 stays that.
// CHECK-LABEL: func.func @halves(
// CHECK: func.func private @rk4(%[[Y:.*]]: tensor<2xf16>, %[[T0:.*]]: tensor<f16>, %[[T1:.*]]: tensor<f16>, %[[A:.*]]: tensor<f32>) -> (tensor<2xf16>, tensor<1x2xf16>)
// CHECK: lathe.scan carry(%[[NOW:.*]] = %{{.*}} : tensor<2xf32>)
// CHECK: %[[IN:.*]] = lathe.convert %[[NOW]] to f16 : tensor<2xf32>
// CHECK-NEXT: %[[T:.*]] = lathe.convert %{{.*}} to f16 : tensor<f32>
// CHECK-NEXT: %[[SLOPE:.*]] = func.call @slope(%[[IN]], %[[T]], %[[A]]) : (tensor<2xf16>, tensor<f16>, tensor<f32>) -> tensor<2xf16>
// CHECK-NEXT: lathe.convert %[[SLOPE]] to f32 : tensor<2xf16>
func.func private @slope(%y: tensor<2xf16>, %t: tensor<f16>, %a: tensor<f32>) -> tensor<2xf16> {
  return %y : tensor<2xf16>
}
func.func @halves(%y: tensor<2xf16>, %t: tensor<f16>, %a: tensor<f32>) {
  %0:2 = lathe.std.rk4 %y, %t, %t with %a function @slope steps 1 : tensor<2xf16>, tensor<f16>, tensor<f16>, tensor<f32>
  return
}

// -----

// A composite with a derivative of its own; the derivative calls the composite itself, so that the next one is right, too.
// CHECK-LABEL: func.func @roots(
// CHECK: call @[[NEWTON:newton]](
// CHECK: func.func private @[[NEWTON]](%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<3xi32>, %{{.*}}: tensor<f32>) -> (tensor<2xf32>, tensor<i32>) attributes {lathe.composite = "newton", lathe.tangent = @[[TANGENT:newton.tangent]]}
// CHECK: func.func private @[[TANGENT]](%[[X:.*]]: tensor<2xf32>, %[[I:.*]]: tensor<3xi32>, %[[A:.*]]: tensor<f32>, %{{.*}}: tensor<2xf32>, %[[DA:.*]]: tensor<f32>) -> (tensor<2xf32>, tensor<i32>, tensor<2xf32>)
// CHECK-NEXT: %[[R:.*]]:2 = call @[[NEWTON]](%[[X]], %[[I]], %[[A]])
// CHECK-NEXT: lathe.jvp @f(%[[R]]#0, %[[I]], %[[A]]) tangents(%[[DA]]) wrt [2]
// CHECK-NOT: call @newton
func.func private @f(%x: tensor<2xf32>, %i: tensor<3xi32>, %a: tensor<f32>) -> tensor<2xf32> {
  %y = lathe.sub %x, %a : tensor<2xf32>, tensor<f32>
  return %y : tensor<2xf32>
}
func.func @roots(%x: tensor<2xf32>, %i: tensor<3xi32>, %a: tensor<f32>) {
  %0:2 = lathe.std.newton %x with %i, %a function @f : tensor<2xf32>, tensor<3xi32>, tensor<f32>
  return
}

// -----

// Composites inside know that the function is one of halves, and which of its values are not halves.
// CHECK-LABEL: func.func @inside(
// CHECK: func.func private @dopri5(%{{.*}}: tensor<2xf16>, %{{.*}}: tensor<f16>, %{{.*}}: tensor<f16>, %{{.*}}: tensor<f32>)
// CHECK: func.call @[[STEP:dopri5_step]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK: func.func private @[[STEP]](%[[Y:.*]]: tensor<2xf32>, %[[T:.*]]: tensor<f32>, %{{.*}}: tensor<f32>, %[[A:.*]]: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: %[[IN:.*]] = lathe.convert %[[Y]] to f16 : tensor<2xf32>
// CHECK-NEXT: %[[AT:.*]] = lathe.convert %[[T]] to f16 : tensor<f32>
// CHECK-NEXT: %[[SLOPE:.*]] = call @slope(%[[IN]], %[[AT]], %[[A]]) : (tensor<2xf16>, tensor<f16>, tensor<f32>) -> tensor<2xf16>
// CHECK-NEXT: lathe.convert %[[SLOPE]] to f32 : tensor<2xf16>
func.func private @slope(%y: tensor<2xf16>, %t: tensor<f16>, %a: tensor<f32>) -> tensor<2xf16> {
  return %y : tensor<2xf16>
}
func.func @inside(%y: tensor<2xf16>, %t: tensor<f16>, %a: tensor<f32>) {
  %0:2 = lathe.std.dopri5 %y, %t, %t with %a function @slope steps 1 : tensor<2xf16>, tensor<f16>, tensor<f16>, tensor<f32>
  return
}

// -----

// A function's name may be any text.
// CHECK-LABEL: func.func @quoted(
// CHECK: func.call @"my rate: 5% (or $more)"(
func.func private @"my rate: 5% (or $more)"(%y: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  return %y : tensor<f32>
}
func.func @quoted(%y: tensor<f32>, %t: tensor<f32>) {
  %0:2 = lathe.std.rk4 %y, %t, %t function @"my rate: 5% (or $more)" steps 4 : tensor<f32>
  return
}

// -----

// Without values that it could depend on, a fixed point has the change +0, as a root has.
// CHECK-LABEL: func.func @still(
// CHECK: func.func private @fixed_point.tangent(
// CHECK: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[STILL:.*]] = lathe.broadcast %[[ZERO]] dims [] to [2]
// CHECK-NEXT: return %{{.*}}#0, %{{.*}}#1, %[[STILL]]
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @still(%x: tensor<2xf32>) {
  %0:2 = lathe.std.fixed_point %x function @f : tensor<2xf32>
  return
}
