// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @windows
func.func @windows(%x: tensor<?x16xf32, #lathe.dims<N>>, %t: tensor<?x8xi32, #lathe.dims<N>>, %y: tensor<?x8xf32, #lathe.dims<N>>) {
  // CHECK: lathe.reduce_window max %{{.*}} window [2, 3] stride [1, 2] pad {{\[\[}}0, 1], [-1, 0]] dilation [1, 2] : tensor<?x16xf32, #lathe.dims<N>>
  %0 = lathe.reduce_window max %x window [2, 3] stride [1, 2] pad [[0, 1], [-1, 0]] dilation [1, 2] : tensor<?x16xf32, #lathe.dims<N>>
  %1 = lathe.add %0, %0 : tensor<?x6xf32, #lathe.dims<N>>
  // CHECK: lathe.reduce_window sum %{{.*}} window [1, 2] base_dilation [1, 3] : tensor<?x16xf32, #lathe.dims<N>>
  %2 = lathe.reduce_window sum %x window [1, 2] base_dilation [1, 3] : tensor<?x16xf32, #lathe.dims<N>>
  %3 = lathe.add %2, %2 : tensor<?x45xf32, #lathe.dims<N>>
  // CHECK: lathe.window_index min %{{.*}} window [3, 2] stride [1, 2] : tensor<?x16xf32, #lathe.dims<N>>
  %4 = lathe.window_index min %x window [3, 2] stride [1, 2] : tensor<?x16xf32, #lathe.dims<N>>
  %5 = lathe.add %4, %4 : tensor<?x8xi32, #lathe.dims<N - 2>>
  // CHECK: lathe.window_gather %{{.*}}, %{{.*}} window [1, 2] stride [1, 2]
  %6 = lathe.window_gather %x, %t window [1, 2] stride [1, 2] : tensor<?x16xf32, #lathe.dims<N>>, tensor<?x8xi32, #lathe.dims<N>>
  // CHECK: lathe.window_scatter %{{.*}}, %{{.*}} to [N, 16] window [1, 2] stride [1, 2]
  %7 = lathe.window_scatter %y, %t to [N, 16] window [1, 2] stride [1, 2] : tensor<?x8xf32, #lathe.dims<N>>, tensor<?x8xi32, #lathe.dims<N>>
  %8 = lathe.add %7, %x : tensor<?x16xf32, #lathe.dims<N>>
  return
}

// FOLD-LABEL: @single(
// FOLD-NEXT: return %arg0
func.func @single(%x: tensor<?x16xf32, #lathe.dims<N>>) -> tensor<?x16xf32, #lathe.dims<N>> {
  %0 = lathe.reduce_window max %x window [1, 1] dilation [2, 1] : tensor<?x16xf32, #lathe.dims<N>>
  return %0 : tensor<?x16xf32, #lathe.dims<N>>
}
