// RUN: lathe-opt %s --lathe-infer-dims --split-input-file | FileCheck %s

// Names move from the argument into its type, and on through the body and the signature.
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %arg0: tensor<?x4xf32, #lathe.dims<N>>, %arg1: tensor<4xf32>)
// CHECK-SAME: -> (tensor<?x4xf32, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<2 * N>>)
func.func @entry(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  // CHECK: lathe.iota dim 0 to [N] : f32 -> tensor<?xf32, #lathe.dims<N>>
  %i = lathe.iota dim 0 to [N] : f32
  // CHECK: lathe.concatenate %0, %0 dim 0 : tensor<?xf32, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<N>>
  %j = lathe.concatenate %i, %i dim 0 : tensor<?xf32>, tensor<?xf32>
  // CHECK: lathe.add %arg0, %arg1 : tensor<?x4xf32, #lathe.dims<N>>, tensor<4xf32>
  %y = lathe.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
  return %y, %j : tensor<?x4xf32>, tensor<?xf32>
}

// -----

// A private function takes the dimensions of its calls: each list of types is one instance, the names of its own arguments stand
// for what the call gives.
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: %arg0: tensor<?x6xf32, #lathe.dims<N>>) -> tensor<?x3xf32, #lathe.dims<2 * N>>
// CHECK: lathe.reshape %arg0 to [2 * N, 3]
// CHECK-LABEL: func.func private @layer_0(
// CHECK-SAME: %arg0: tensor<?x6xf32, #lathe.dims<2 * N>>) -> tensor<?x3xf32, #lathe.dims<4 * N>>
// CHECK: lathe.reshape %arg0 to [4 * N, 3]
func.func private @layer(%x: tensor<?x6xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<?x3xf32> {
  %0 = lathe.reshape %x to [2 * K, 3] : tensor<?x6xf32>
  return %0 : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @calls(
func.func @calls(%x: tensor<?x6xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  // CHECK: call @layer(%arg0)
  %0 = func.call @layer(%x) : (tensor<?x6xf32>) -> tensor<?x3xf32>
  %1 = lathe.concatenate %x, %x dim 0 : tensor<?x6xf32>, tensor<?x6xf32>
  // CHECK: call @layer_0(
  %2 = func.call @layer(%1) : (tensor<?x6xf32>) -> tensor<?x3xf32>
  // CHECK: call @layer(%arg0)
  %3 = func.call @layer(%x) : (tensor<?x6xf32>) -> tensor<?x3xf32>
  return %0, %2, %3 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// -----

// The name N of the callee is not the N of the caller.
// CHECK-LABEL: func.func private @capture(
// CHECK-SAME: %arg0: tensor<?xf32, #lathe.dims<M>>, %arg1: tensor<?xf32, #lathe.dims<N>>)
// CHECK: lathe.broadcast %{{.*}} dims [] to [M] : tensor<f32> -> tensor<?xf32, #lathe.dims<M>>
func.func private @capture(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  %0 = lathe.constant dense<1.0> : tensor<f32>
  %1 = lathe.broadcast %0 dims [] to [N] : tensor<f32>
  return %1 : tensor<?xf32>
}
func.func @swapped(%x: tensor<?xf32> {lathe.dims = #lathe.dims<M>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %0 = func.call @capture(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Derivatives: the callee's results, then what wrt says.
// CHECK-LABEL: func.func @derivatives(
// CHECK: lathe.value_and_grad @loss(%arg0) wrt [0] : (tensor<?xf32, #lathe.dims<N>>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>)
// CHECK: lathe.vjp @map(%arg0) cotangents(%arg0) wrt [0] : {{.*}} -> (tensor<?xf32, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<N>>)
// CHECK: lathe.jvp @map(%arg0) tangents(%arg0) wrt [0] : {{.*}} -> (tensor<?xf32, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<N>>)
func.func private @loss(%x: tensor<?xf32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32>
  return %0 : tensor<f32>
}
func.func private @map(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = lathe.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @derivatives(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %0:2 = lathe.value_and_grad @loss(%x) wrt [0] : (tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>)
  %1:2 = lathe.vjp @map(%x) cotangents(%x) wrt [0] : (tensor<?xf32>), (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %2:2 = lathe.jvp @map(%x) tangents(%x) wrt [0] : (tensor<?xf32>), (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#1 : tensor<?xf32>
}

// -----

// The callee of a vmap sees its arguments without the batch; its results get the batch's name in front.
// CHECK-LABEL: func.func private @one(
// CHECK-SAME: %arg0: tensor<?xf32, #lathe.dims<M>>) -> tensor<?xf32, #lathe.dims<2 * M>>
// CHECK-LABEL: func.func @all(
// CHECK: lathe.vmap @one(%arg0) in [1] : (tensor<?x?xf32, #lathe.dims<M, N>>) -> tensor<?x?xf32, #lathe.dims<N, 2 * M>>
func.func private @one(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = lathe.concatenate %x, %x dim 0 : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @all(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<M, N>}) -> tensor<?x?xf32> {
  %0 = lathe.vmap @one(%x) in [1] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
