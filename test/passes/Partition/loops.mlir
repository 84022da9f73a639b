// RUN: lathe-opt %s --lathe-partition=axes=model=2 | FileCheck %s
// Branches and loops: values stay divided in their regions.

// Layers: slices of divided stacks are divided.
// CHECK-LABEL: func.func @layers(
// CHECK: lathe.scan carry(%[[X:.*]] = %{{.*}} : tensor<5x4xf32>) over(%[[A:.*]] = %{{.*}} : tensor<3x4x3xf32>, %[[B:.*]] = %{{.*}} : tensor<3x3x4xf32>)
// CHECK: %[[H:.*]] = lathe.dot_general %[[X]], %[[A]] contract [1] x [0] : tensor<5x4xf32>, tensor<4x3xf32>
// CHECK: %[[Y:.*]] = lathe.dot_general %[[H]], %[[B]] contract [1] x [0] : tensor<5x3xf32>, tensor<3x4xf32>
// CHECK: %[[SUM:.*]] = lathe.all_reduce sum %[[Y]] over model = 2
// CHECK: lathe.yield carry(%[[SUM]] : tensor<5x4xf32>) collect(%[[H]] : tensor<5x3xf32>)
// CHECK: return %{{.*}}, %{{.*}} : tensor<5x4xf32>, tensor<3x5x3xf32>
func.func @layers(%x: tensor<5x4xf32>, %as: tensor<3x4x6xf32> {lathe.shard = ["", "", "model"]},
                  %bs: tensor<3x6x4xf32> {lathe.shard = ["", "model", ""]})
    -> (tensor<5x4xf32>, tensor<3x5x6xf32> {lathe.shard = ["", "", "model"]}) {
  %y, %hs = lathe.scan carry(%c = %x : tensor<5x4xf32>) over(%a = %as : tensor<3x4x6xf32>, %b = %bs : tensor<3x6x4xf32>)
      -> (tensor<5x4xf32>, tensor<3x5x6xf32>) {
    %h = lathe.dot_general %c, %a contract [1] x [0] : tensor<5x4xf32>, tensor<4x6xf32>
    %y = lathe.dot_general %h, %b contract [1] x [0] : tensor<5x6xf32>, tensor<6x4xf32>
    lathe.yield carry(%y : tensor<5x4xf32>) collect(%h : tensor<5x6xf32>)
  }
  return %y, %hs : tensor<5x4xf32>, tensor<3x5x6xf32>
}

// A sum that begins with zeros is divided as what is added to it.
// CHECK-LABEL: func.func @accumulate(
// CHECK: %[[ZERO:.*]] = lathe.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK: lathe.scan carry(%[[SUM:.*]] = %[[ZERO]] : tensor<4x3xf32>)
// CHECK: lathe.add %[[SUM]], %{{.*}} : tensor<4x3xf32>
// CHECK-NOT: lathe.all
// CHECK: return
func.func @accumulate(%xs: tensor<8x5x4xf32>, %dys: tensor<8x5x6xf32> {lathe.shard = ["", "", "model"]})
    -> (tensor<4x6xf32> {lathe.shard = ["", "model"]}) {
  %zero = lathe.constant dense<0.0> : tensor<4x6xf32>
  %sum = lathe.scan carry(%s = %zero : tensor<4x6xf32>) over(%x = %xs : tensor<8x5x4xf32>, %dy = %dys : tensor<8x5x6xf32>)
      -> tensor<4x6xf32> {
    %dw = lathe.dot_general %x, %dy contract [0] x [0] : tensor<5x4xf32>, tensor<5x6xf32>
    %next = lathe.add %s, %dw : tensor<4x6xf32>
    lathe.yield carry(%next : tensor<4x6xf32>)
  }
  return %sum : tensor<4x6xf32>
}

// A loop along the divided dimension takes whole values.
// CHECK-LABEL: func.func @along(
// CHECK: %[[ALL:.*]] = lathe.all_gather %{{.*}} dim 0 over model = 2
// CHECK: lathe.scan {{.*}}over(%{{.*}} = %[[ALL]] : tensor<8x3xf32>)
func.func @along(%xs: tensor<8x3xf32> {lathe.shard = ["model", ""]}) -> tensor<3xf32> {
  %zero = lathe.constant dense<0.0> : tensor<3xf32>
  %sum = lathe.scan carry(%s = %zero : tensor<3xf32>) over(%x = %xs : tensor<8x3xf32>) -> tensor<3xf32> {
    %next = lathe.add %s, %x : tensor<3xf32>
    lathe.yield carry(%next : tensor<3xf32>)
  }
  return %sum : tensor<3xf32>
}

// If one branch divides its value, the other does.
// CHECK-LABEL: func.func @branch(
// CHECK: lathe.if %{{.*}} -> tensor<5x3xf32>
// CHECK: lathe.exp %{{.*}} : tensor<5x3xf32>
// CHECK: lathe.yield %{{.*}} : tensor<5x3xf32>
// CHECK: lathe.dynamic_slice %{{.*}} size [5, 3]
// CHECK: lathe.yield %{{.*}} : tensor<5x3xf32>
func.func @branch(%p: tensor<i1>, %x: tensor<5x6xf32> {lathe.shard = ["", "model"]}, %other: tensor<5x6xf32>)
    -> (tensor<5x6xf32> {lathe.shard = ["", "model"]}) {
  %y = lathe.if %p -> tensor<5x6xf32> {
    %e = lathe.exp %x : tensor<5x6xf32>
    lathe.yield %e : tensor<5x6xf32>
  } else {
    lathe.yield %other : tensor<5x6xf32>
  }
  return %y : tensor<5x6xf32>
}

// CHECK-LABEL: func.func @until(
// CHECK: lathe.while carry(%{{.*}} = %{{.*}} : tensor<3xf32>)
// CHECK: %[[PART:.*]] = lathe.reduce sum %{{.*}} dims [0] : tensor<3xf32>
// CHECK-NEXT: %[[SUM:.*]] = lathe.all_reduce sum %[[PART]] over model = 2
// CHECK: lathe.compare lt %[[SUM]]
// CHECK: lathe.mul %{{.*}} : tensor<3xf32>
func.func @until(%x: tensor<6xf32> {lathe.shard = ["model"]}) -> (tensor<6xf32> {lathe.shard = ["model"]}) {
  %ten = lathe.constant dense<10.0> : tensor<f32>
  %two = lathe.constant dense<2.0> : tensor<6xf32>
  %y = lathe.while carry(%v = %x : tensor<6xf32>) {
    %sum = lathe.reduce sum %v dims [0] : tensor<6xf32>
    %go = lathe.compare lt %sum, %ten : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.mul %v, %two : tensor<6xf32>
    lathe.yield carry(%next : tensor<6xf32>)
  }
  return %y : tensor<6xf32>
}
