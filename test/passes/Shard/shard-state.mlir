// RUN: lathec %s --shard=step:N@data --axis=data=2 --shard-state=data --emit=mlir --emit-stage=autodiff -o - | FileCheck %s
// RUN: lathec %s --shard=step:N@data --axis=data=2 --shard-state=data:parameters --emit=mlir --emit-stage=autodiff -o - | FileCheck %s --check-prefix=ALL
// RUN: lathec %s --shard=step:N@data --axis=data=2 --shard-state=data --explain --emit=none 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// Each rank has a part of the slots, seven elements padded to eight, and updates that part of the parameters.
lathe.variable @w : tensor<7xf32> init #lathe.fill<0.5>
// The momentum of SGD is declared by the compiler.
// CHECK: lathe.variable @w : tensor<7xf32>
// CHECK: lathe.variable @w.momentum : tensor<4xf32> init #lathe.zeros {lathe.flat_axis = "data", lathe.whole = tensor<7xf32>}
// ALL: lathe.variable @w : tensor<4xf32> init #lathe.zeros {lathe.flat_axis = "data", lathe.whole = tensor<7xf32>}
// EXPLAIN: 1 variables are divided among the 2 ranks of 'data': each has 44 bytes of state instead of 56

func.func private @loss(%x: tensor<?x7xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<7xf32>
  %0 = lathe.mul %x, %w : tensor<?x7xf32>, tensor<7xf32>
  %1 = lathe.mul %0, %0 : tensor<?x7xf32>
  %2 = lathe.std.mean %1 dims [0, 1] : tensor<?x7xf32>
  return %2 : tensor<f32>
}

// CHECK-LABEL: func.func @step(
// CHECK-SAME: tensor<7xf32> {lathe.state = @w}, %[[M:[a-z0-9]+]]: tensor<4xf32> {lathe.state = @w.momentum}
// CHECK: %[[G:[a-z0-9]+]] = lathe.reduce_scatter mean %{{.*}} dim 0 over data = 2 : tensor<8xf32>
// CHECK: %[[NEW:[a-z0-9]+]] = lathe.add %{{.*}}, %[[G]]
// CHECK: %[[PART:[a-z0-9]+]] = lathe.sub %{{.*}} : tensor<4xf32>
// CHECK: %[[GATHERED:[a-z0-9]+]] = lathe.all_gather %[[PART]] dim 0 over data = 2 : tensor<4xf32>
// CHECK: %[[WHOLE:[a-z0-9]+]] = lathe.slice %[[GATHERED]] from [0] to [7]
// CHECK: return %{{.*}}, %[[WHOLE]], %[[NEW]]
// ALL-LABEL: func.func @step(
// ALL-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {lathe.state = @w}
// ALL: lathe.all_gather %[[W]]
// ALL: %[[PART:[a-z0-9]+]] = lathe.sub %[[W]], %{{.*}} : tensor<4xf32>
// ALL-NOT: lathe.all_gather
// ALL: return %{{.*}}, %[[PART]]
func.func @step(%x: tensor<?x7xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32> {lathe.name = "value"}) {
  %0 = lathe.minimize @loss(%x) with sgd<learning_rate = 0.1, momentum = 0.9> : (tensor<?x7xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Another entry reads whole parameters.
// CHECK-LABEL: func.func @predict(
// CHECK-NOT: lathe.all_gather
// ALL-LABEL: func.func @predict(
// ALL-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {lathe.state = @w}
// ALL: lathe.all_gather %[[W]] dim 0 over data = 2
func.func @predict(%x: tensor<?x7xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x7xf32> {
  %w = lathe.read @w : tensor<7xf32>
  %0 = lathe.mul %x, %w : tensor<?x7xf32>, tensor<7xf32>
  return %0 : tensor<?x7xf32>
}
// The initial value of a part is cut from the whole one.
// ALL-LABEL: func.func @init(
