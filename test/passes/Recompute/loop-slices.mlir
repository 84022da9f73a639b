// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-recompute=bytes=26000 | FileCheck %s

// What the first loop reads in slices is a kernel's result that nothing reads later. Each step of the other loop computes its slice:
// a product of its own rows with the matrix as a whole.
// CHECK-LABEL: func.func @slice
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x16x4xf32>, %[[M:[^:]*]]: tensor<4x32xf32>
// CHECK: lathe.scan
// CHECK: lathe.yield carry(%{{[^,]*}} : tensor<16x32xf32>){{$}}
// CHECK: lathe.reduce
// CHECK-NOT: tensor<8x16x32xf32>
// CHECK: lathe.scan {{.*}} over(%[[SLICE:.*]] = %[[X]] : tensor<8x16x4xf32>)
// CHECK-NEXT: %[[AGAIN:.*]] = lathe.kernel(%[[ROWS:.*]] = %[[SLICE]] : tensor<16x4xf32>, %[[IN:.*]] = %[[M]] : tensor<4x32xf32>) -> tensor<16x32xf32>
// CHECK-NEXT: %[[Q:.*]] = lathe.dot_general %[[ROWS]], %[[IN]] contract [1] x [0]
// CHECK-NEXT: %[[E:.*]] = lathe.exp %[[Q]]
// CHECK-NEXT: lathe.yield %[[E]]
// CHECK: lathe.kernel({{.*}} = %[[AGAIN]] : tensor<16x32xf32>
// CHECK: lathe.cumulative
func.func @slice(%x: tensor<8x16x4xf32>, %m: tensor<4x32xf32>, %z: tensor<16x16x16xf32>) -> (tensor<16x32xf32>, tensor<16xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<16x32xf32>
  %q = lathe.dot_general %x, %m contract [2] x [0] : tensor<8x16x4xf32>, tensor<4x32xf32>
  %t = lathe.exp %q : tensor<8x16x32xf32>
  %h, %ps = lathe.scan carry(%h = %zero : tensor<16x32xf32>) over(%w = %t : tensor<8x16x32xf32>) -> (tensor<16x32xf32>, tensor<8x16x32xf32>) {
    %p = lathe.cumulative sum %w dim 0 : tensor<16x32xf32>
    %next = lathe.add %h, %p : tensor<16x32xf32>
    lathe.yield carry(%next : tensor<16x32xf32>) collect(%p : tensor<16x32xf32>)
  }
  %v = lathe.cumulative sum %z dim 0 : tensor<16x16x16xf32>
  %r = lathe.reduce sum %v dims [0, 1] : tensor<16x16x16xf32>
  %g = lathe.scan carry(%g = %h : tensor<16x32xf32>) over(%p = %ps : tensor<8x16x32xf32>) reverse -> tensor<16x32xf32> {
    %next = lathe.mul %g, %p : tensor<16x32xf32>
    lathe.yield carry(%next : tensor<16x32xf32>)
  }
  return %g, %r : tensor<16x32xf32>, tensor<16xf32>
}
