// RUN: lathe-opt %s --lathe-scan-first-dim | FileCheck %s

// The steps come first in each sequence and in each stack; the other dimensions keep their order.
// CHECK-LABEL: func.func @middle(
// CHECK: %[[XS:.*]] = lathe.transpose %arg0 [1, 0, 2] : tensor<2x5x3xf32>
// CHECK: %[[S:.*]]:2 = lathe.scan carry({{.*}}) over(%{{.*}} = %[[XS]] : tensor<5x2x3xf32>) -> (tensor<2x3xf32>, tensor<5x2x3xf32>)
// CHECK: %[[T:.*]] = lathe.transpose %[[S]]#1 [1, 0, 2] : tensor<5x2x3xf32>
// CHECK: return %[[T]] : tensor<2x5x3xf32>
func.func @middle(%xs: tensor<2x5x3xf32>, %zero: tensor<2x3xf32>) -> tensor<2x5x3xf32> {
  %last, %sums = lathe.scan carry(%s = %zero : tensor<2x3xf32>) over(%x = %xs : tensor<2x5x3xf32>) dim 1
      -> (tensor<2x3xf32>, tensor<2x5x3xf32>) {
    %next = lathe.add %s, %x : tensor<2x3xf32>
    lathe.yield carry(%next : tensor<2x3xf32>) collect(%next : tensor<2x3xf32>)
  }
  return %sums : tensor<2x5x3xf32>
}

// The last of three dimensions goes in front of two, and back behind them.
// CHECK-LABEL: func.func @last(
// CHECK: lathe.transpose %arg0 [2, 0, 1] : tensor<2x5x3xf32>
// CHECK: lathe.transpose %{{.*}} [1, 2, 0] : tensor<3x2x5xf32>
func.func @last(%xs: tensor<2x5x3xf32>) -> tensor<2x5x3xf32> {
  %ys = lathe.scan over(%x = %xs : tensor<2x5x3xf32>) dim 2 -> tensor<2x5x3xf32> {
    %y = lathe.neg %x : tensor<2x5xf32>
    lathe.yield collect(%y : tensor<2x5xf32>)
  }
  return %ys : tensor<2x5x3xf32>
}

// A scan along the first dimension stays.
// CHECK-LABEL: func.func @first(
// CHECK-NOT: lathe.transpose
// CHECK: return
func.func @first(%xs: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %ys = lathe.scan over(%x = %xs : tensor<5x3xf32>) -> tensor<5x3xf32> {
    %y = lathe.neg %x : tensor<3xf32>
    lathe.yield collect(%y : tensor<3xf32>)
  }
  return %ys : tensor<5x3xf32>
}
