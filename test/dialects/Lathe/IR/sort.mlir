// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @orders
func.func @orders(%x: tensor<?x16xf32, #lathe.dims<N>>) {
  // CHECK: lathe.sort %{{.*}} dim 0 descending : tensor<?x16xf32, #lathe.dims<N>>
  %0 = lathe.sort %x dim 0 descending : tensor<?x16xf32, #lathe.dims<N>>
  // CHECK: lathe.argsort %{{.*}} dim 1 : tensor<?x16xf32, #lathe.dims<N>>
  %1 = lathe.argsort %0 dim 1 : tensor<?x16xf32, #lathe.dims<N>>
  %2 = lathe.add %1, %1 : tensor<?x16xi32, #lathe.dims<N>>
  // CHECK: lathe.top_k %{{.*}} dim 1 count 3 : tensor<?x16xf32, #lathe.dims<N>>
  %3 = lathe.top_k %x dim 1 count 3 : tensor<?x16xf32, #lathe.dims<N>>
  // CHECK: lathe.top_k %{{.*}} dim 0 count 2 smallest : tensor<?x16xf32, #lathe.dims<N>>
  %4 = lathe.top_k %x dim 0 count 2 smallest : tensor<?x16xf32, #lathe.dims<N>>
  %5 = lathe.add %4, %4 : tensor<2x16xi32>
  return
}

// FOLD-LABEL: @single(
// FOLD-NEXT: return %arg0
func.func @single(%x: tensor<5x1xf32>) -> tensor<5x1xf32> {
  %0 = lathe.sort %x dim 1 : tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}
