// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --lathe-import | FileCheck --check-prefix=IMPORT %s

// CHECK-LABEL: @calls(
// CHECK: lathe.extern @plain(%arg0) dims [2 * N + 1] : (tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<2 * N + 1>>
// CHECK: %{{.*}}:2 = lathe.extern @all(%arg0, %arg1) batched @all_b tangent @all_t gradient [@all_g, @all_gg] : (tensor<?x4xf32, #lathe.dims<N>>, tensor<3xi32>) -> (tensor<4xf32>, tensor<i1>)
// CHECK: lathe.extern @fixed(%arg0) dims [4, N] : (tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?x?xf32, #lathe.dims<4, N>>
// CHECK: lathe.extern @source() : () -> tensor<8xf64>
func.func @calls(%x: tensor<?x4xf32, #lathe.dims<N>>, %n: tensor<3xi32>) {
  %0 = lathe.extern @plain(%x) dims [2 * N + 1] : (tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<2 * N + 1>>
  %1, %2 = lathe.extern @all(%x, %n) batched @all_b tangent @all_t gradient [@all_g, @all_gg]
      : (tensor<?x4xf32, #lathe.dims<N>>, tensor<3xi32>) -> (tensor<4xf32>, tensor<i1>)
  %4 = lathe.extern @fixed(%x) dims [4, N] : (tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?x?xf32, #lathe.dims<4, N>>
  %3 = lathe.extern @source() : () -> tensor<8xf64>
  return
}

// The names of a private function's dimensions are its call's.
// IMPORT-LABEL: @outer(
// IMPORT: lathe.extern @plain(%arg0) dims [2 * B + 3] : (tensor<?x4xf32, #lathe.dims<B + 1>>) -> tensor<?xf32, #lathe.dims<2 * B + 3>>
func.func private @inner(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %0 = lathe.extern @plain(%x) dims [2 * N + 1] : (tensor<?x4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @outer(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<B + 1>}) -> tensor<?xf32> {
  %0 = func.call @inner(%x) : (tensor<?x4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @tangent(
// CHECK: lathe.extern_tangent @f(%arg0, %arg1) gives(%arg0) along(%arg2) gradient [@g] : (tensor<4xf32>, tensor<i32>), (tensor<4xf32>), (tensor<4xf32>)
func.func @tangent(%x: tensor<4xf32>, %n: tensor<i32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lathe.extern_tangent @f(%x, %n) gives (%x) along (%t) gradient [@g] : (tensor<4xf32>, tensor<i32>), (tensor<4xf32>), (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
