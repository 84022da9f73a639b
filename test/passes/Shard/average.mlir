// RUN: lathec %s --shard=step:N@data --shard=metrics:N@data --emit=mlir --emit-stage=state -o - | FileCheck %s
// RUN: lathec %s --shard=step:N@data --axis=data=4 --entry=step --emit=mlir --emit-stage=state -o - | FileCheck %s --check-prefix=FIXED
// RUN: lathec %s --shard=step:N@data --entry=step --explain --emit=none 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// Each rank has examples of its own. The float results of the gradient are means over the ranks, so that all update their variables
// alike.
lathe.variable @w : tensor<3xf32> init #lathe.zeros
lathe.variable @mean : tensor<f32> init #lathe.zeros

func.func private @loss(%x: tensor<?x3xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %0 = lathe.mul %x, %w : tensor<?x3xf32>, tensor<3xf32>
  %1 = lathe.std.mean %0 dims [0, 1] : tensor<?x3xf32>
  lathe.write @mean, %1 : tensor<f32>
  return %1 : tensor<f32>
}

// CHECK: lathe.dim @data, 1 to
// CHECK-LABEL: func.func @step(
// CHECK: %[[G:[a-z0-9]+]]:3 = lathe.value_and_grad @loss
// CHECK-DAG: %[[LOSS:[a-z0-9]+]] = lathe.all_reduce mean %[[G]]#0 over data : tensor<f32>
// CHECK-DAG: %[[MEAN:[a-z0-9]+]] = lathe.all_reduce mean %[[G]]#1 over data : tensor<f32>
// CHECK-DAG: %[[GRADIENT:[a-z0-9]+]] = lathe.all_reduce mean %[[G]]#2 over data : tensor<3xf32>
// CHECK: lathe.mul %[[GRADIENT]],
// CHECK: return %[[LOSS]], %{{.*}}, %[[MEAN]]
// FIXED: lathe.all_reduce mean %{{.*}} over data = 4 : tensor<3xf32>
// EXPLAIN: average.mlir:[[@LINE+2]]:{{.*}} @step: 3 values are means over the ranks of 'data'
func.func @step(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "value"}) {
  %0 = lathe.minimize @loss(%x) with sgd<> learning_rate %rate : tensor<f32> : (tensor<?x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// What has the batch as a dimension stays the rank's own, and so do integers.
func.func private @errors(%x: tensor<?x3xf32>, %w: tensor<3xf32>) -> (tensor<f32>, tensor<?xf32>, tensor<i32>) {
  %0 = lathe.mul %x, %w : tensor<?x3xf32>, tensor<3xf32>
  %1 = lathe.std.mean %0 dims [0, 1] : tensor<?x3xf32>
  %2 = lathe.reduce sum %0 dims [1] : tensor<?x3xf32>
  %3 = lathe.argmax %2 dim 0 : tensor<?xf32>
  return %1, %2, %3 : tensor<f32>, tensor<?xf32>, tensor<i32>
}
// CHECK-LABEL: func.func @metrics(
// CHECK: %[[G:[a-z0-9]+]]:4 = lathe.value_and_grad @errors
// CHECK-COUNT-2: lathe.all_reduce mean
// CHECK-NOT: lathe.all_reduce
// CHECK: return %{{.*}}, %[[G]]#1, %[[G]]#2, %{{.*}}
func.func @metrics(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3xf32>)
    -> (tensor<f32>, tensor<?xf32>, tensor<i32>, tensor<3xf32>) {
  %0:4 = lathe.value_and_grad @errors(%x, %w) wrt [1] : (tensor<?x3xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<?xf32>, tensor<i32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<f32>, tensor<?xf32>, tensor<i32>, tensor<3xf32>
}
