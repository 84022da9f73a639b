// Text of branches and loops: what regions use from outside is written by its name, and is an operand.
// RUN: lathe-opt %s | FileCheck %s
// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: lathe-opt %s --mlir-print-op-generic | lathe-opt | FileCheck %s

// CHECK-LABEL: @branch(
// CHECK-SAME: %[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>)
// CHECK: lathe.if %[[P]] -> (tensor<4xf32>, tensor<f32>) {
// CHECK:   lathe.neg %[[X]]
// CHECK:   lathe.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<f32>
// CHECK: } else {
// CHECK:   lathe.reduce sum %[[X]]
// GENERIC-LABEL: sym_name = "branch"
// GENERIC: "lathe.if"(%[[P:.*]], %[[X:[^,)]*]]) ({
// GENERIC-NEXT: ^bb0(%[[IN:.*]]: tensor<4xf32>):
// GENERIC-NEXT: "lathe.neg"(%[[IN]])
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %y, %s = lathe.if %p -> (tensor<4xf32>, tensor<f32>) {
    %n = lathe.neg %x : tensor<4xf32>
    %m = lathe.reduce max %n dims [0] : tensor<4xf32>
    lathe.yield %n, %m : tensor<4xf32>, tensor<f32>
  } else {
    %s = lathe.reduce sum %x dims [0] : tensor<4xf32>
    lathe.yield %x, %s : tensor<4xf32>, tensor<f32>
  }
  return %y, %s : tensor<4xf32>, tensor<f32>
}

// CHECK-LABEL: @sequence(
// CHECK: lathe.scan carry(%[[H:.*]] = %{{.*}} : tensor<?x4xf32>) over(%[[X:.*]] = %{{.*}} : tensor<?x?x4xf32>) dim 1 reverse length %{{.*}} : tensor<i32> checkpoint sqrt -> (tensor<?x4xf32>, tensor<?x?x4xf32>) attributes {mark} {
// CHECK:   lathe.yield carry(%{{.*}} : tensor<?x4xf32>) collect(%{{.*}} : tensor<?x4xf32>)
func.func @sequence(%xs: tensor<?x?x4xf32> {lathe.dims = #lathe.dims<N, T>}, %h0: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %t: tensor<i32>) -> tensor<?x?x4xf32> {
  %h, %ys = lathe.scan carry(%h = %h0 : tensor<?x4xf32>) over(%x = %xs : tensor<?x?x4xf32>) dim 1 reverse length %t checkpoint sqrt
      -> (tensor<?x4xf32>, tensor<?x?x4xf32>) attributes {mark} {
    %next = lathe.add %h, %x : tensor<?x4xf32>
    lathe.yield carry(%next : tensor<?x4xf32>) collect(%h : tensor<?x4xf32>)
  }
  return %ys : tensor<?x?x4xf32>
}

// CHECK-LABEL: @counted(
// CHECK: lathe.scan carry({{.*}}) trip 2 * N + 1 length %{{.*}} : tensor<i64> checkpoint every 8 -> tensor<f32> {
func.func @counted(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %t: tensor<i64>) -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %s = lathe.scan carry(%s = %zero : tensor<f32>) trip N * 2 + 1 length %t : tensor<i64> checkpoint every 8 -> tensor<f32> {
    %m = lathe.reduce max %x dims [0] : tensor<?xf32>
    %next = lathe.add %s, %m : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %s : tensor<f32>
}

// Regions in regions: a value from the outermost block goes through all of them.
// CHECK-LABEL: @nested(
// CHECK-SAME: %{{.*}}: tensor<f32>, %[[L:.*]]: tensor<f32>)
// CHECK: lathe.while carry(%[[V:.*]] = %{{.*}} : tensor<f32>) bound 10 checkpoint every 2 {
// CHECK:   lathe.compare lt %[[V]], %[[L]]
// CHECK:   lathe.condition %{{.*}} : tensor<i1>
// CHECK: } do {
// CHECK:   lathe.if
// CHECK:     lathe.add %[[V]], %[[L]]
// CHECK:   lathe.yield carry(%{{.*}} : tensor<f32>)
// GENERIC-LABEL: sym_name = "nested"
// GENERIC: "lathe.while"{{.*}}operandSegmentSizes = array<i32: 1, 1>
func.func @nested(%v0: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
  %v = lathe.while carry(%v = %v0 : tensor<f32>) bound 10 checkpoint every 2 {
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %p = lathe.compare gt %v, %limit : tensor<f32>
    %next = lathe.if %p -> tensor<f32> {
      lathe.yield %v : tensor<f32>
    } else {
      %sum = lathe.add %v, %limit : tensor<f32>
      lathe.yield %sum : tensor<f32>
    }
    lathe.yield carry(%next : tensor<f32>)
  }
  return %v : tensor<f32>
}
