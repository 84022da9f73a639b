// RUN: lathec %s --shard=step@data --axis=data=2 --shard-state=data --emit=mlir --emit-stage=autodiff -o - | FileCheck %s
// RUN: lathec %s --shard=step@data --axis=data=2 --shard-state=data:parameters --emit=mlir --emit-stage=autodiff -o - | FileCheck %s
// RUN: lathe-run %s step --shard=step@data --axis=data=2 --ranks=2 --random --save=%t.whole
// RUN: lathe-run %s step --shard=step@data --axis=data=2 --ranks=2 --random --shard-state=data --save=%t.slots --check
// RUN: lathe-run %s step --shard=step@data --axis=data=2 --ranks=2 --random --shard-state=data:parameters --save=%t.all --check
// RUN: %python %S/Inputs/near.py %t.whole/out-w.npy %t.slots/out-w.npy %t.all/out-w.npy
// RUN: lathec %s --axis=model=7 --shard-variable=v:0@model --shard=step@data --axis=data=2 --shard-state=data --emit=mlir --emit-stage=autodiff -o - | FileCheck %s --check-prefix=MESH
// The norm of all gradients, for clipping, is one exchange of a number: each rank adds the squares of its parts. A variable of fewer
// elements than ranks is whole. No gradient is exchanged twice.
lathe.variable @w : tensor<7xf32> init #lathe.fill<0.5>
lathe.variable @v : tensor<7x2xf32> init #lathe.fill<0.25>
lathe.variable @b : tensor<1xf32> init #lathe.fill<0.125>

func.func private @loss(%x: tensor<3x7xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<7xf32>
  %v = lathe.read @v : tensor<7x2xf32>
  %b = lathe.read @b : tensor<1xf32>
  %0 = lathe.mul %x, %w : tensor<3x7xf32>, tensor<7xf32>
  %1 = lathe.dot_general %0, %v contract [1] x [0] : tensor<3x7xf32>, tensor<7x2xf32>
  %2 = lathe.add %1, %b : tensor<3x2xf32>, tensor<1xf32>
  %3 = lathe.mul %2, %2 : tensor<3x2xf32>
  %4 = lathe.std.mean %3 dims [0, 1] : tensor<3x2xf32>
  return %4 : tensor<f32>
}

// CHECK-LABEL: func.func @step(
// CHECK-DAG: lathe.all_reduce mean {{.*}} : tensor<f32>
// CHECK-DAG: lathe.all_reduce mean {{.*}} : tensor<1xf32>
// CHECK-DAG: %[[W:.*]] = lathe.reduce_scatter mean {{.*}} : tensor<8xf32>
// CHECK-DAG: %[[V:.*]] = lathe.reduce_scatter mean {{.*}} : tensor<14xf32>
// CHECK-DAG: %[[WW:.*]] = lathe.mul %[[W]], %[[W]] : tensor<4xf32>
// CHECK-DAG: %[[VV:.*]] = lathe.mul %[[V]], %[[V]] : tensor<7xf32>
// CHECK-DAG: %[[WS:.*]] = lathe.reduce sum %[[WW]]
// CHECK-DAG: %[[VS:.*]] = lathe.reduce sum %[[VV]]
// CHECK: %[[OWN:.*]] = lathe.add %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: lathe.all_reduce sum %[[OWN]] over data = 2 : tensor<f32>
// CHECK-NOT: lathe.all_reduce
// CHECK-NOT: lathe.reduce_scatter
// CHECK: return
func.func @step(%x: tensor<3x7xf32>) -> (tensor<f32> {lathe.name = "value"}, tensor<7xf32> {lathe.name = "w"}) {
  %0 = lathe.minimize @loss(%x) with adam<learning_rate = 0.1, clip_norm = 0.01> : (tensor<3x7xf32>) -> tensor<f32>
  %w = lathe.read @w : tensor<7xf32>
  return %0, %w : tensor<f32>, tensor<7xf32>
}
// Blocks over another axis: what each rank adds is summed over the data first, then over the blocks.
// MESH-LABEL: func.func @step(
// MESH: lathe.all_reduce sum {{.*}} over data = 2 : tensor<f32>
// MESH: lathe.all_reduce sum {{.*}} over model = 7 : tensor<f32>
// MESH: return
