// Checkpoints end where nothing joins equal ops any more: both runs of `exp` stay.
// RUN: lathe-opt %s --lathe-inline-checkpoints | FileCheck %s

// CHECK-LABEL: @nested(
// CHECK-NOT: lathe.checkpoint
// CHECK: %[[E:.*]] = lathe.exp %arg0
// CHECK-NEXT: %[[AGAIN:.*]] = lathe.exp %arg0
// CHECK-NEXT: %[[S:.*]] = lathe.sin %[[AGAIN]]
// CHECK-NEXT: return %[[E]], %[[S]]
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = lathe.exp %x : tensor<4xf32>
  %s = lathe.checkpoint -> tensor<4xf32> {
    %again = lathe.exp %x : tensor<4xf32>
    %inner = lathe.checkpoint -> tensor<4xf32> {
      %sin = lathe.sin %again : tensor<4xf32>
      lathe.yield %sin : tensor<4xf32>
    }
    lathe.yield %inner : tensor<4xf32>
  }
  return %e, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @inScan(
// CHECK: lathe.scan
// CHECK-NOT: lathe.checkpoint
// CHECK: lathe.cos
// CHECK-NEXT: lathe.yield
func.func @inScan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = lathe.scan carry(%h = %x : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %next = lathe.checkpoint -> tensor<4xf32> {
      %c = lathe.cos %h : tensor<4xf32>
      lathe.yield %c : tensor<4xf32>
    }
    lathe.yield carry(%next : tensor<4xf32>)
  }
  return %h : tensor<4xf32>
}
