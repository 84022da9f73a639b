// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @blocks
func.func @blocks(%x: tensor<?x16xf32, #lathe.dims<N>>, %u: tensor<1x4xf32>, %i: tensor<i64>, %j: tensor<i32>, %s: tensor<f32>) {
  // CHECK: lathe.dynamic_slice %{{.*}}[%{{.*}}, %{{.*}}] size [N - 1, 4] : tensor<?x16xf32, #lathe.dims<N>>, (tensor<i64>, tensor<i32>)
  %0 = lathe.dynamic_slice %x [%i, %j] size [N - 1, 4] : tensor<?x16xf32, #lathe.dims<N>>, (tensor<i64>, tensor<i32>)
  %1 = lathe.add %0, %0 : tensor<?x4xf32, #lathe.dims<N - 1>>
  // CHECK: lathe.dynamic_update_slice %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<?x16xf32, #lathe.dims<N>>, tensor<1x4xf32>, (tensor<i64>, tensor<i64>)
  %2 = lathe.dynamic_update_slice %x, %u [%i, %i] : tensor<?x16xf32, #lathe.dims<N>>, tensor<1x4xf32>, (tensor<i64>, tensor<i64>)
  %3 = lathe.add %2, %x : tensor<?x16xf32, #lathe.dims<N>>
  // CHECK: lathe.dynamic_slice %{{.*}}[] size [] : tensor<f32>, ()
  %4 = lathe.dynamic_slice %s [] size [] : tensor<f32>, ()
  return
}

// CHECK-LABEL: @kinds
func.func @kinds(%x: tensor<8xf32>, %i: tensor<3xi32>, %u: tensor<3xf32>, %b: tensor<8xi1>, %c: tensor<3xi1>) {
  // CHECK: scatter set
  %0 = lathe.scatter set %x, %i, %u axis 0 : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  // CHECK: scatter mul
  %1 = lathe.scatter mul %x, %i, %u axis 0 : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  // CHECK: scatter max
  %2 = lathe.scatter max %x, %i, %u axis 0 : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  // CHECK: scatter min
  %3 = lathe.scatter min %x, %i, %u axis 0 : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  // CHECK: scatter set
  %4 = lathe.scatter set %b, %i, %c axis 0 : tensor<8xi1>, tensor<3xi32>, tensor<3xi1>
  return
}

// A block as large as the operand has one place; one whose size is not known yet may have several.
// FOLD-LABEL: @whole(
// FOLD-SAME: %[[X:.*]]: tensor<8x2xf32>, %[[U:.*]]: tensor<8x2xf32>, %[[V:.*]]: tensor<?xf32>
// FOLD-NEXT: %[[Z:.*]] = lathe.dynamic_slice %[[V]]
// FOLD-NEXT: return %[[X]], %[[U]], %[[Z]]
func.func @whole(%x: tensor<8x2xf32>, %u: tensor<8x2xf32>, %v: tensor<?xf32>, %i: tensor<i64>) -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<?xf32>) {
  %0 = lathe.dynamic_slice %x [%i, %i] size [8, 2] : tensor<8x2xf32>, (tensor<i64>, tensor<i64>)
  %1 = lathe.dynamic_update_slice %x, %u [%i, %i] : tensor<8x2xf32>, tensor<8x2xf32>, (tensor<i64>, tensor<i64>)
  %2 = lathe.dynamic_slice %v [%i] size [M] : tensor<?xf32>, (tensor<i64>)
  return %0, %1, %2 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<?xf32>
}
