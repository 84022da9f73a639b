// Names of dimensions in regions, and scans along the first dimension.
// RUN: lathe-opt %s --lathe-expand-std --lathe-infer-dims | FileCheck %s
// RUN: lathe-opt %s --lathe-import | FileCheck %s --check-prefix=IMPORT
// RUN: lathe-opt %s --lathe-import | lathe-opt | FileCheck %s --check-prefix=IMPORT
// RUN: lathe-opt %s --lathe-expand-std --lathe-infer-dims --lathe-fix-dims=sizes=T=7 | FileCheck %s --check-prefix=FIXED

// CHECK-LABEL: func.func @sequence(
// CHECK: lathe.scan carry(%[[H:.*]] = %{{.*}} : tensor<?x4xf32, #lathe.dims<N>>) over(%{{.*}} = %{{.*}} : tensor<?x?x4xf32, #lathe.dims<N, T>>) dim 1
// CHECK-SAME: -> (tensor<?x4xf32, #lathe.dims<N>>, tensor<?x?x8xf32, #lathe.dims<2 * N, T>>)
// CHECK: lathe.add %[[H]], %{{.*}} : tensor<?x4xf32, #lathe.dims<N>>
// CHECK: lathe.yield carry(%{{.*}} : tensor<?x4xf32, #lathe.dims<N>>) collect(%{{.*}} : tensor<?x8xf32, #lathe.dims<2 * N>>)
// IMPORT-LABEL: func.func @sequence(
// IMPORT: %[[XS:.*]] = lathe.transpose %{{.*}} [1, 0, 2] : tensor<?x?x4xf32, #lathe.dims<N, T>>
// IMPORT: %[[R:.*]]:2 = lathe.scan carry({{.*}}) over(%{{.*}} = %[[XS]] : tensor<?x?x4xf32, #lathe.dims<T, N>>) ->
// IMPORT-SAME: tensor<?x?x8xf32, #lathe.dims<T, 2 * N>>)
// IMPORT: lathe.transpose %[[R]]#1 [1, 0, 2]
// FIXED-LABEL: func.func @sequence(
// FIXED: lathe.scan {{.*}} over(%{{.*}} = %{{.*}} : tensor<?x7x4xf32, #lathe.dims<N>>) dim 1
// FIXED-SAME: tensor<?x7x8xf32, #lathe.dims<2 * N>>
func.func @sequence(%xs: tensor<?x?x4xf32> {lathe.dims = #lathe.dims<N, T>}, %h0: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x?x8xf32> {
  %h, %ys = lathe.scan carry(%h = %h0 : tensor<?x4xf32>) over(%x = %xs : tensor<?x?x4xf32>) dim 1 -> (tensor<?x4xf32>, tensor<?x?x8xf32>) {
    %next = lathe.add %h, %x : tensor<?x4xf32>
    %rows = lathe.concatenate %next, %x dim 0 : tensor<?x4xf32>, tensor<?x4xf32>
    %wide = lathe.concatenate %rows, %rows dim 1 : tensor<?x4xf32>, tensor<?x4xf32>
    lathe.yield carry(%next : tensor<?x4xf32>) collect(%wide : tensor<?x8xf32>)
  }
  return %ys : tensor<?x?x8xf32>
}

// A function that is called with other names: its trip is what its argument's dimension is there.
// CHECK-LABEL: func.func private @powers(
// CHECK: lathe.scan carry({{.*}}) trip 3 * M -> (tensor<f32>, tensor<?xf32, #lathe.dims<3 * M>>)
func.func private @powers(%x: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<?xf32> {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %last, %ys = lathe.scan carry(%p = %one : tensor<f32>) trip K -> (tensor<f32>, tensor<?xf32>) {
    %m = lathe.reduce max %x dims [0] : tensor<?xf32>
    %next = lathe.mul %p, %m : tensor<f32>
    lathe.yield carry(%next : tensor<f32>) collect(%p : tensor<f32>)
  }
  return %ys : tensor<?xf32>
}
// IMPORT-LABEL: func.func @caller(
// IMPORT: lathe.scan carry({{.*}}) trip 3 * M
func.func @caller(%a: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  %three = lathe.concatenate %a, %a, %a dim 0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  %0 = func.call @powers(%three) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Composites and calls in regions are written out there; broadcasts are explicit.
// CHECK-LABEL: func.func @branch(
// CHECK: lathe.if %{{.*}} -> tensor<?x4xf32, #lathe.dims<N>>
// IMPORT-LABEL: func.func @branch(
// IMPORT: lathe.if
// IMPORT: lathe.exp
// IMPORT: } else {
// IMPORT: %[[B:.*]] = lathe.broadcast
// IMPORT: lathe.add %{{.*}}, %[[B]]
func.func @branch(%p: tensor<i1>, %x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %y = lathe.if %p -> tensor<?x4xf32> {
    %s = lathe.std.softmax %x : tensor<?x4xf32>
    lathe.yield %s : tensor<?x4xf32>
  } else {
    %s = lathe.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
    lathe.yield %s : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}
