// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --mlir-print-op-generic | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// Text of lathe.std: every kind of option, and operands that are given by name. Options come out by name, operands in the
// template's order.

// CHECK-LABEL: func.func @options(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>, %[[S:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<3xi64>, %[[P:[^:]*]]: tensor<2x6x6x3xf32>)
// GENERIC: "func.func"() <{{.*}}sym_name = "options"
func.func @options(%x: tensor<?x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>, %i: tensor<3xi64>, %p: tensor<2x6x6x3xf32>) {
  // CHECK: lathe.std.relu %[[X]] : tensor<?x8xf32>
  // GENERIC: "lathe.std"(%{{.*}}) <{composite = "relu", given = [], options = {}}> : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = lathe.std.relu %x : tensor<?x8xf32>
  // CHECK: lathe.std.softmax %[[X]] dim 0 : tensor<?x8xf32>
  // GENERIC: "lathe.std"(%{{.*}}) <{composite = "softmax", given = [], options = {dim = 0 : i64}}>
  %1 = lathe.std.softmax %x dim 0 : tensor<?x8xf32>
  // CHECK: lathe.std.softmax %[[X]] dim -1 : tensor<?x8xf32>
  %2 = lathe.std.softmax %x dim -1 : tensor<?x8xf32>
  // CHECK: lathe.std.sum %[[X]] dims [0, -1] keep : tensor<?x8xf32>
  // GENERIC: <{composite = "sum", given = [], options = {dims = array<i64: 0, -1>, keep}}> : (tensor<?x8xf32>) -> tensor<1x1xf32>
  %3 = lathe.std.sum %x keep dims [0, -1] : tensor<?x8xf32>
  // CHECK: lathe.std.sum %[[X]] dims [] : tensor<?x8xf32>
  // GENERIC: options = {dims = array<i64>}}> : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = lathe.std.sum %x dims [] : tensor<?x8xf32>
  // CHECK: lathe.std.leaky_relu %[[X]] slope 0.1 : tensor<?x8xf32>
  // GENERIC: options = {slope = 1.000000e-01 : f64}}>
  %5 = lathe.std.leaky_relu %x slope 0.1 : tensor<?x8xf32>
  // CHECK: lathe.std.leaky_relu %[[X]] slope 2.0 : tensor<?x8xf32>
  %6 = lathe.std.leaky_relu %x slope 2. : tensor<?x8xf32>
  // CHECK: lathe.std.elu %[[X]] alpha -1.0e+300 : tensor<?x8xf32>
  %7 = lathe.std.elu %x alpha -1.0e+300 : tensor<?x8xf32>
  // Every bit of a real number comes back.
  // CHECK: lathe.std.elu %[[X]] alpha 0.30000000000000004 : tensor<?x8xf32>
  %8 = lathe.std.elu %x alpha 0.30000000000000004 : tensor<?x8xf32>
  // CHECK: lathe.std.part %[[X]] index 2 of 4 : tensor<?x8xf32>
  // GENERIC: options = {index = 2 : i64, of = 4 : i64}}> : (tensor<?x8xf32>) -> tensor<?x2xf32>
  %9 = lathe.std.part %x of 4 index 2 : tensor<?x8xf32>
  // CHECK: lathe.std.max_pool %[[P]] padding [] stride [2, 2] window [2, 2] : tensor<2x6x6x3xf32>
  // GENERIC: options = {padding = array<i64>, stride = array<i64: 2, 2>, window = array<i64: 2, 2>}}>
  %10 = lathe.std.max_pool %p window [2, 2] stride [2, 2] padding [] : tensor<2x6x6x3xf32>
  // CHECK: lathe.std.gelu %[[X]] approximation tanh : tensor<?x8xf32>
  // GENERIC: options = {approximation = "tanh"}}>
  %11 = lathe.std.gelu %x approximation tanh : tensor<?x8xf32>
  // CHECK: lathe.std.layer_norm %[[X]] scale %[[S]] bias %[[B]] epsilon 1.0e-06 : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>
  // GENERIC: <{composite = "layer_norm", given = ["scale", "bias"], options = {epsilon = 9.9999999999999995E-7 : f64}}>
  %12 = lathe.std.layer_norm %x bias %b epsilon 1.0e-6 scale %s : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: lathe.std.layer_norm %[[X]] bias %[[B]] : tensor<?x8xf32>, tensor<8xf32>
  // GENERIC: <{composite = "layer_norm", given = ["bias"], options = {}}>
  %13 = lathe.std.layer_norm %x bias %b : tensor<?x8xf32>, tensor<8xf32>
  // CHECK: lathe.std.embedding %[[S]], %[[I]] : tensor<8xf32>, tensor<3xi64>
  %14 = lathe.std.embedding %s, %i : tensor<8xf32>, tensor<3xi64>
  // One type where all are equal, however they are written.
  // CHECK: lathe.std.mse %[[S]], %[[B]] : tensor<8xf32>
  %15 = lathe.std.mse %s, %b : tensor<8xf32>, tensor<8xf32>
  // CHECK: :3 = lathe.std.batch_norm %[[X]] {note = "kept"} : tensor<?x8xf32>
  // GENERIC: :3 = "lathe.std"(%{{.*}}) <{composite = "batch_norm", given = [], options = {}}> {note = "kept"} : (tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %16:3 = lathe.std.batch_norm %x {note = "kept"} : tensor<?x8xf32>
  return
}

// Types go with the operands' places in the text, not in the template.
// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[Q:[^:]*]]: tensor<4x2xf32>, %[[BIAS:[^:]*]]: tensor<4xf32>, %[[MASK:[^:]*]]: tensor<4x4xi1>)
// CHECK-NEXT: lathe.std.attention %[[Q]], %[[Q]], %[[Q]] mask %[[MASK]] bias %[[BIAS]] causal scale 1.0 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xi1>, tensor<4xf32>
func.func @order(%q: tensor<4x2xf32>, %b: tensor<4xf32>, %m: tensor<4x4xi1>) {
  %0 = lathe.std.attention %q, %q, %q bias %b scale 1.0 mask %m causal : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x4xi1>
  return
}

// Lists, functions, and what a reverse derivative keeps. A list's name stands for each of its values.
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[Y:[^:]*]]: tensor<2xf32>, %[[T:[^:]*]]: tensor<f32>, %[[F:[^:]*]]: tensor<3xi64>, %[[S:[^:]*]]: tensor<3x2xf32>)
// CHECK-NEXT: lathe.std.rk4 %[[Y]], %[[T]], %[[T]] with %[[Y]], %[[T]] checkpoint every 4 function @slope steps 16 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>
// GENERIC: <{composite = "rk4", given = ["with", "with"], options = {checkpoint = "every 4", function = @slope, steps = 16 : i64}}>
// CHECK-NEXT: lathe.std.rk4 %[[Y]], %[[T]], %[[T]] checkpoint sqrt function @alone steps 16 : tensor<2xf32>, tensor<f32>, tensor<f32>
// GENERIC: <{composite = "rk4", given = [], options = {checkpoint = "sqrt", function = @alone, steps = 16 : i64}}>
// The lists come out in the template's order.
// CHECK-NEXT: lathe.std.greedy_decode %[[F]] state %[[S]], %[[S]] with %[[Y]] end 0 function @step max_length 5 vocabulary 6 : tensor<3xi64>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2xf32>
// GENERIC: <{composite = "greedy_decode", given = ["state", "state", "with"],
func.func @loops(%y: tensor<2xf32>, %t: tensor<f32>, %f: tensor<3xi64>, %s: tensor<3x2xf32>) {
  %0:2 = lathe.std.rk4 %y, %t, %t function @slope with %y, %t steps 16 checkpoint every 4 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>
  %1:2 = lathe.std.rk4 %y, %t, %t function @alone steps 16 checkpoint sqrt : tensor<2xf32>, tensor<f32>, tensor<f32>
  %2:3 = lathe.std.greedy_decode %f with %y state %s, %s function @step vocabulary 6 end 0 max_length 5 : tensor<3xi64>, tensor<2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  return
}
func.func private @slope(%y: tensor<2xf32>, %t: tensor<f32>, %a: tensor<2xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func private @alone(%y: tensor<2xf32>, %t: tensor<f32>) -> tensor<2xf32> {
  return %y : tensor<2xf32>
}
func.func private @step(%f: tensor<3xi64>, %a: tensor<3x2xf32>, %b: tensor<3x2xf32>, %c: tensor<2xf32>) -> (tensor<3x6xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = lathe.constant dense<0.0> : tensor<3x6xf32>
  return %0, %b, %a : tensor<3x6xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
