// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @running
func.func @running(%x: tensor<?x16xf32, #lathe.dims<N>>) {
  // CHECK: lathe.cumulative logsumexp %{{.*}} dim 1 : tensor<?x16xf32, #lathe.dims<N>>
  %0 = lathe.cumulative logsumexp %x dim 1 : tensor<?x16xf32, #lathe.dims<N>>
  // CHECK: lathe.cumulative max %{{.*}} dim 0 reverse : tensor<?x16xf32, #lathe.dims<N>>
  %1 = lathe.cumulative max %x dim 0 reverse : tensor<?x16xf32, #lathe.dims<N>>
  // CHECK: lathe.linear_recurrence %{{.*}}, %{{.*}} dim 1 reverse : tensor<?x16xf32, #lathe.dims<N>>
  %2 = lathe.linear_recurrence %0, %1 dim 1 reverse : tensor<?x16xf32, #lathe.dims<N>>
  return
}

// FOLD-LABEL: @single(
// FOLD-NEXT: return %arg0
func.func @single(%x: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = lathe.cumulative max %x dim 0 : tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
