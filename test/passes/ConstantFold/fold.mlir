// RUN: lathe-opt %s --lathe-fold-constants --split-input-file | FileCheck %s
// Subgraphs of constants are evaluated while compiling; values by hand.

// Several ops, one value: the transpose and its second row are not kept.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[w:.*]] = lathe.constant dense<{{\[\[}}-2.000000e+00, -4.000000e+00, -6.000000e+00]]> : tensor<1x3xf32>
// CHECK-NEXT: lathe.mul %arg0, %[[w]]
// CHECK-NEXT: return
func.func @chain(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %w = lathe.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %t = lathe.transpose %w [1, 0] : tensor<3x2xf32>
  %s = lathe.slice %t from [1, 0] to [2, 3] : tensor<2x3xf32>
  %n = lathe.neg %s : tensor<1x3xf32>
  %y = lathe.mul %x, %n : tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// -----

// A broadcast stays: it is cheaper to make than to read. What it is made of does not.
// CHECK-LABEL: func.func @broadcast
// CHECK-DAG: %[[r:.*]] = lathe.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK: %[[b:.*]] = lathe.broadcast %[[r]] dims [1] to [4, 2]
// CHECK-NEXT: lathe.mul %arg0, %[[b]]
func.func @broadcast(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %v = lathe.constant dense<[4.0, 16.0]> : tensor<2xf32>
  %r = lathe.rsqrt %v : tensor<2xf32>
  %b = lathe.broadcast %r dims [1] to [4, 2] : tensor<2xf32> -> tensor<4x2xf32>
  %y = lathe.mul %x, %b : tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// The sum of two broadcasts is larger than what they are made of, so it stays as well.
// CHECK-LABEL: func.func @grows
// CHECK-COUNT-2: lathe.broadcast
// CHECK: %[[s:.*]] = lathe.add
// CHECK-NEXT: lathe.mul %arg0, %[[s]]
func.func @grows(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %v = lathe.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>
  %a = lathe.broadcast %v dims [0] to [16, 16] : tensor<16xf32> -> tensor<16x16xf32>
  %b = lathe.broadcast %v dims [1] to [16, 16] : tensor<16xf32> -> tensor<16x16xf32>
  %s = lathe.add %a, %b : tensor<16x16xf32>
  %y = lathe.mul %x, %s : tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// Also with a resource; one that another op reads stays.
// CHECK-LABEL: func.func @resource
// CHECK-DAG: lathe.constant dense_resource<w> : tensor<2x1xf32>
// CHECK-DAG: lathe.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
// CHECK-NOT: lathe.transpose
// CHECK: return
func.func @resource(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2x1xf32>) {
  %w = lathe.constant dense_resource<w> : tensor<2x1xf32>
  %t = lathe.transpose %w [1, 0] : tensor<2x1xf32>
  %y = lathe.mul %x, %t : tensor<1x2xf32>
  return %y, %w : tensor<1x2xf32>, tensor<2x1xf32>
}

{-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}

// -----

// A product of constants takes long unless it is small; in a loop, what the loop does not change is computed, too.
// CHECK-LABEL: func.func @products
// CHECK: lathe.scan
// CHECK: lathe.constant dense<1.100000e+01> : tensor<1xf32>
// CHECK-NOT: lathe.reshape
// CHECK: yield
func.func @products(%x: tensor<4x1xf32>) -> tensor<1xf32> {
  %z = lathe.constant dense<0.0> : tensor<1xf32>
  %r = lathe.scan carry(%c = %z : tensor<1xf32>) over(%s = %x : tensor<4x1xf32>) -> tensor<1xf32> {
    %a = lathe.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
    %b = lathe.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<1x2xf32>, tensor<2xf32>
    %q = lathe.reshape %p to [1] : tensor<1xf32>
    %m = lathe.mul %s, %q : tensor<1xf32>
    %n = lathe.add %c, %m : tensor<1xf32>
    lathe.yield %n : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}
