// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-recompute=bytes=33024 --mlir-print-op-on-diagnostic=false | FileCheck %s

// Three numbers of each of 64 x 64 elements (16384 bytes) are read at the end. While the second product runs, %e and both products
// are live: 49152 bytes. Only %e is not read there; it maps elements, so that it is computed again, from an input, for its late
// reader.
// CHECK-LABEL: func.func @late
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x64xf32>, %[[Y:[^:]*]]: tensor<64x64xf32>
// CHECK: %[[E:.*]] = lathe.kernel({{.*}} = %[[X]] : tensor<64x64xf32>)
// CHECK-NEXT: lathe.exp
// CHECK: %[[P:.*]] = lathe.kernel({{.*}} = %[[E]] : tensor<64x64xf32>, {{.*}} = %[[Y]] : tensor<64x64xf32>)
// CHECK: lathe.dot_general
// CHECK: %[[Q:.*]] = lathe.kernel({{.*}} = %[[P]] : tensor<64x64xf32>, {{.*}} = %[[Y]] : tensor<64x64xf32>)
// CHECK: lathe.dot_general
// CHECK: %[[AGAIN:.*]] = lathe.kernel({{.*}} = %[[X]] : tensor<64x64xf32>)
// CHECK-NEXT: lathe.exp
// CHECK: lathe.kernel({{.*}} = %[[AGAIN]] : tensor<64x64xf32>, {{.*}} = %[[Q]] : tensor<64x64xf32>)
func.func @late(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = lathe.exp %x : tensor<64x64xf32>
  %p = lathe.dot_general %e, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %e, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// A kernel that maps elements runs again for the value that is read late, here the difference. At first it makes only the square.
// CHECK-LABEL: func.func @one_result
// CHECK: lathe.kernel({{.*}}) -> tensor<64x64xf32> {
// CHECK: lathe.sub
// CHECK: %[[SQUARE:.*]] = lathe.mul
// CHECK-NEXT: lathe.yield %[[SQUARE]] : tensor<64x64xf32>
// CHECK: lathe.dot_general
// CHECK: lathe.dot_general
// CHECK: %[[AGAIN:.*]] = lathe.kernel(%[[A:.*]] = %{{.*}} : tensor<64x64xf32>, %[[B:.*]] = %{{.*}} : tensor<64x64xf32>) -> tensor<64x64xf32> {
// CHECK-NEXT: %[[D:.*]] = lathe.sub %[[A]], %[[B]]
// CHECK-NEXT: lathe.yield %[[D]]
// CHECK: lathe.kernel({{.*}} = %[[AGAIN]] :
func.func @one_result(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = lathe.sub %x, %y : tensor<64x64xf32>
  %e = lathe.mul %d, %d : tensor<64x64xf32>
  %p = lathe.dot_general %e, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %d, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// A value read through a view is computed again with its view; its first reader keeps the view that it has.
// CHECK-LABEL: func.func @view
// CHECK: lathe.exp
// CHECK: %[[VIEW:.*]] = lathe.reshape %{{.*}} to [4096]
// CHECK: lathe.cumulative
// CHECK: lathe.cumulative
// CHECK: lathe.exp
// CHECK: %[[NEW:.*]] = lathe.reshape %{{.*}} to [4096]
// CHECK: lathe.kernel({{.*}} = %[[NEW]] :
func.func @view(%x: tensor<64x64xf32>) -> tensor<4096xf32> {
  %e = lathe.exp %x : tensor<64x64xf32>
  %v = lathe.reshape %e to [4096] : tensor<64x64xf32>
  %p = lathe.cumulative sum %v dim 0 : tensor<4096xf32>
  %q = lathe.cumulative sum %p dim 0 : tensor<4096xf32>
  %r = lathe.cumulative sum %q dim 0 : tensor<4096xf32>
  %s = lathe.dot_general %v, %r contract [] x [] batch [0] x [0] : tensor<4096xf32>, tensor<4096xf32>
  return %s : tensor<4096xf32>
}
