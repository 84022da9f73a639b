// RUN: lathe-opt %s --lathe-insert-checks | FileCheck %s

// CHECK-LABEL: @checks
func.func @checks(%x: tensor<?x4xf32, #lathe.dims<N>>, %w: tensor<4xf32>, %i: tensor<3xi32>, %at: tensor<i64>)
    -> (tensor<3x4xf32>, tensor<2xf32>, tensor<4xi32>) {
  // The check of an op that computes comes after it, with its float operands.
  // CHECK: %[[Y:.*]] = lathe.mul
  // CHECK-NEXT: lathe.check finite %[[Y]] from(%{{.*}}, %{{.*}}) of "lathe.mul"
  %y = lathe.mul %x, %x : tensor<?x4xf32, #lathe.dims<N>>
  // An op that moves elements is not checked; its indices are, before it.
  // CHECK: lathe.check inside %arg2 below [N] of "lathe.gather"
  // CHECK-NEXT: lathe.gather
  // CHECK-NOT: of "lathe.gather"
  %g = lathe.gather %y, %i axis 0 : tensor<?x4xf32, #lathe.dims<N>>, tensor<3xi32>
  // A slice of 2 of 4 begins at 2 at most.
  // CHECK: lathe.check inside %arg3 below [3] of "lathe.dynamic_slice"
  // CHECK-NEXT: lathe.dynamic_slice
  %s = lathe.dynamic_slice %w [%at] size [2] : tensor<4xf32>, (tensor<i64>)
  // Integers have neither.
  // CHECK: lathe.convert
  // CHECK-NEXT: return
  %c = lathe.convert %w to i32 : tensor<4xf32>
  return %g, %s, %c : tensor<3x4xf32>, tensor<2xf32>, tensor<4xi32>
}

// CHECK-LABEL: @regions
func.func @regions(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lathe.scan
  // CHECK: lathe.exp
  // CHECK-NEXT: lathe.check finite %{{.*}} from(%{{.*}}) of "lathe.exp"
  // CHECK: lathe.yield
  // CHECK-NOT: of "lathe.scan"
  %y = lathe.scan carry(%s = %x : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %next = lathe.exp %s : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>)
  }
  return %y : tensor<4xf32>
}

// Bits that are taken for floats may be anything.
// CHECK-LABEL: @bits
func.func @bits(%i: tensor<4xi32>, %x: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xi64>) {
  // CHECK: %[[Y:.*]] = lathe.bitcast
  // CHECK-NEXT: lathe.check finite %[[Y]] of "lathe.bitcast"
  // CHECK-NEXT: lathe.bitcast
  // CHECK-NEXT: return
  %y = lathe.bitcast %i to f32 : tensor<4xi32>
  %b = lathe.bitcast %x to i64 : tensor<4xf64>
  return %y, %b : tensor<4xf32>, tensor<4xi64>
}

// Places along an axis are below its size.
// CHECK-LABEL: @axes
func.func @axes(%x: tensor<3x5xf32>, %i: tensor<2xi32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x5xf32>) {
  // CHECK: lathe.check inside %arg1 below [5] of "lathe.gather"
  // CHECK: lathe.check inside %arg1 below [5] of "lathe.scatter"
  %g = lathe.gather %x, %i axis 1 : tensor<3x5xf32>, tensor<2xi32>
  %s = lathe.scatter add %x, %i, %u axis 1 : tensor<3x5xf32>, tensor<2xi32>, tensor<3x2xf32>
  return %g, %s : tensor<3x2xf32>, tensor<3x5xf32>
}
