// A value that all steps of a loop compute alike is hoisted; an op that only repeats or names a value stays where it is used.
// RUN: lathe-opt %s --lathe-infer-dims --canonicalize | FileCheck %s

// From the inner loop through the outer one: %c depends on nothing that either of them changes, %d on the outer carry.
// CHECK-LABEL: @nested(
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[H0:.*]]: tensor<4xf32>)
// CHECK: %[[C:.*]] = lathe.cos %[[W]]
// CHECK: lathe.scan carry(%[[H:.*]] = %[[H0]]
// CHECK-NEXT: %[[D:.*]] = lathe.exp %[[H]]
// CHECK-NEXT: lathe.scan carry(%[[G:.*]] = %[[H]]
// CHECK-NEXT: %[[P:.*]] = lathe.mul %[[G]], %[[C]]
// CHECK-NEXT: lathe.add %[[P]], %[[D]]
// CHECK-NEXT: lathe.yield
func.func @nested(%w: tensor<4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
  %h = lathe.scan carry(%h = %h0 : tensor<4xf32>) trip 5 -> tensor<4xf32> {
    %g = lathe.scan carry(%g = %h : tensor<4xf32>) trip 3 -> tensor<4xf32> {
      %c = lathe.cos %w : tensor<4xf32>
      %d = lathe.exp %h : tensor<4xf32>
      %p = lathe.mul %g, %c : tensor<4xf32>
      %s = lathe.add %p, %d : tensor<4xf32>
      lathe.yield carry(%s : tensor<4xf32>)
    }
    lathe.yield carry(%g : tensor<4xf32>)
  }
  return %h : tensor<4xf32>
}

// From both regions of a while; never out of a branch or a checkpoint.
// CHECK-LABEL: @while(
// CHECK-SAME: %[[V0:.*]]: tensor<f32>, %[[A:.*]]: tensor<f32>)
// CHECK-DAG: %[[LIMIT:.*]] = lathe.exp %[[A]]
// CHECK-DAG: %[[FACTOR:.*]] = lathe.cos %[[A]]
// CHECK: lathe.while carry(%[[V:.*]] = %[[V0]]
// CHECK-NEXT: lathe.compare lt %[[V]], %[[LIMIT]]
// CHECK: } do {
// CHECK-NEXT: lathe.mul %[[V]], %[[FACTOR]]
func.func @while(%v0: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %v = lathe.while carry(%v = %v0 : tensor<f32>) bound 10 {
    %limit = lathe.exp %a : tensor<f32>
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %factor = lathe.cos %a : tensor<f32>
    %next = lathe.mul %v, %factor : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %v : tensor<f32>
}

// CHECK-LABEL: @branch(
// CHECK: lathe.if
// CHECK-NEXT: lathe.exp
// CHECK: lathe.checkpoint
// CHECK-NEXT: lathe.cos
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = lathe.if %p -> tensor<4xf32> {
    %e = lathe.exp %x : tensor<4xf32>
    lathe.yield %e : tensor<4xf32>
  } else {
    lathe.yield %x : tensor<4xf32>
  }
  %z = lathe.checkpoint -> tensor<4xf32> {
    %c = lathe.cos %x : tensor<4xf32>
    lathe.yield %c : tensor<4xf32>
  }
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// A broadcast would be a buffer outside.
// CHECK-LABEL: @repeated(
// CHECK: lathe.scan
// CHECK-NEXT: lathe.broadcast
func.func @repeated(%b: tensor<4xf32>, %h0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %h = lathe.scan carry(%h = %h0 : tensor<8x4xf32>) trip 5 -> tensor<8x4xf32> {
    %wide = lathe.broadcast %b dims [1] to [8, 4] : tensor<4xf32> -> tensor<8x4xf32>
    %s = lathe.add %h, %wide : tensor<8x4xf32>
    lathe.yield carry(%s : tensor<8x4xf32>)
  }
  return %h : tensor<8x4xf32>
}

// A widening of bytes stays in the loop, or moves into it, through all loops: the product reads the bytes.
// CHECK-LABEL: @bytes(
// CHECK-SAME: %[[W:.*]]: tensor<8x16xi8>, %[[V:.*]]: tensor<8x16xui8>, %[[H0:.*]]: tensor<1x8xi32>)
// CHECK-NEXT: lathe.scan
// CHECK-NEXT: lathe.scan
// CHECK-DAG: lathe.convert %[[W]] to i32
// CHECK-DAG: lathe.convert %[[V]] to i32
// CHECK: lathe.yield
func.func @bytes(%w: tensor<8x16xi8>, %v: tensor<8x16xui8>, %h0: tensor<1x8xi32>) -> tensor<1x8xi32> {
  %outside = lathe.convert %w to i32 : tensor<8x16xi8>
  %h = lathe.scan carry(%h = %h0 : tensor<1x8xi32>) trip 5 -> tensor<1x8xi32> {
    %g = lathe.scan carry(%g = %h : tensor<1x8xi32>) trip 3 -> tensor<1x8xi32> {
      %inside = lathe.convert %v to i32 : tensor<8x16xui8>
      %p = lathe.dot_general %g, %outside contract [1] x [0] : tensor<1x8xi32>, tensor<8x16xi32>
      %q = lathe.dot_general %p, %inside contract [1] x [1] : tensor<1x16xi32>, tensor<8x16xi32>
      lathe.yield carry(%q : tensor<1x8xi32>)
    }
    lathe.yield carry(%g : tensor<1x8xi32>)
  }
  return %h : tensor<1x8xi32>
}

// Bytes that become floats are computed once.
// CHECK-LABEL: @floats(
// CHECK-NEXT: lathe.convert
// CHECK-NEXT: lathe.scan
func.func @floats(%w: tensor<4xi8>, %h0: tensor<4xf32>) -> tensor<4xf32> {
  %h = lathe.scan carry(%h = %h0 : tensor<4xf32>) trip 5 -> tensor<4xf32> {
    %wide = lathe.convert %w to f32 : tensor<4xi8>
    %s = lathe.mul %h, %wide : tensor<4xf32>
    lathe.yield carry(%s : tensor<4xf32>)
  }
  return %h : tensor<4xf32>
}
