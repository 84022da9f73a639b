// RUN: lathec %s --axis=model=2 --emit=mlir --emit-stage=autodiff -o - | FileCheck %s
// RUN: lathec %s --axis=model=2 --axis=data=2 --shard=step:N@data --emit=mlir --emit-stage=autodiff -o - | FileCheck %s --check-prefix=DATA
// RUN: lathec %s --axis=model=2 --axis=data=2 --shard=step:N@data --shard-state=data --emit=mlir --emit-stage=autodiff -o - | FileCheck %s --check-prefix=FLAT
// RUN: lathec %s --axis=model=2 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: lathec %s --axis=model=1 --emit=mlir --emit-stage=autodiff -o - | FileCheck %s --check-prefix=ONE
// A step that divides a layer. The layer behind it, the bias and the slots follow.

// CHECK: lathe.variable @wide : tensor<4x3xf32> init #lathe.zeros {lathe.splits = ["", "model"], lathe.whole = tensor<4x6xf32>}
// CHECK: lathe.variable @bias : tensor<3xf32> init #lathe.zeros {lathe.splits = ["model"], lathe.whole = tensor<6xf32>}
// CHECK: lathe.variable @narrow : tensor<3x2xf32> init #lathe.zeros {lathe.splits = ["model", ""], lathe.whole = tensor<6x2xf32>}
// CHECK: lathe.variable @kept : tensor<6x2xf32> init #lathe.fill<1.0>{{$}}
// CHECK: lathe.variable @wide.momentum : tensor<4x3xf32>
// CHECK: lathe.variable @bias.momentum : tensor<3xf32>
// CHECK: lathe.variable @narrow.momentum : tensor<3x2xf32>
// FLAT: lathe.variable @wide : tensor<4x3xf32>
// FLAT: lathe.variable @wide.momentum : tensor<6xf32> init #lathe.zeros {lathe.flat_axis = "data", lathe.splits = ["", "model"], lathe.whole = tensor<4x6xf32>}
// ONE: lathe.variable @wide : tensor<4x6xf32> init #lathe.normal<0.0, 1.0>
// ONE-NOT: lathe.all
// EXPLAIN-DAG: state.mlir:[[@LINE+4]]:{{.*}}@wide is divided, dimension 1 over 'model': each rank has 48 bytes of 96 bytes
// EXPLAIN-DAG: state.mlir:[[@LINE+4]]:{{.*}}@bias is divided, dimension 0 over 'model', as the values that it gets: each rank has 12 bytes of 24 bytes
// EXPLAIN-DAG: all_reduce sum of [N, 2] over 'model': 8 * N bytes
// EXPLAIN-DAG: @step: 1 reductions, 0 gathers and 0 exchanges for divided variables
lathe.variable @wide : tensor<4x6xf32> init #lathe.normal<0.0, 1.0> {lathe.shard = ["", "model"]}
lathe.variable @bias : tensor<6xf32> init #lathe.zeros
lathe.variable @narrow : tensor<6x2xf32> init #lathe.normal<0.0, 1.0>
lathe.variable @kept : tensor<6x2xf32> init #lathe.fill<1.0>

func.func private @loss(%x: tensor<?x4xf32>) -> tensor<f32> {
  %wide = lathe.read @wide : tensor<4x6xf32>
  %bias = lathe.read @bias : tensor<6xf32>
  %narrow = lathe.read @narrow : tensor<6x2xf32>
  %h0 = lathe.dot_general %x, %wide contract [1] x [0] : tensor<?x4xf32>, tensor<4x6xf32>
  %h1 = lathe.add %h0, %bias : tensor<?x6xf32>, tensor<6xf32>
  %h = lathe.tanh %h1 : tensor<?x6xf32>
  %y = lathe.dot_general %h, %narrow contract [1] x [0] : tensor<?x6xf32>, tensor<6x2xf32>
  %square = lathe.mul %y, %y : tensor<?x2xf32>
  %loss = lathe.std.mean %square dims [0, 1] : tensor<?x2xf32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @step(
// CHECK: %[[Y:.*]] = lathe.dot_general %{{.*}} : tensor<?x3xf32, #lathe.dims<N>>, tensor<3x2xf32>
// CHECK: lathe.all_reduce sum %[[Y]] over model = 2
// CHECK-NOT: lathe.all
// CHECK: return
// DATA-LABEL: func.func @step(
// DATA: lathe.all_reduce sum %{{.*}} over model = 2
// DATA-COUNT-4: lathe.all_reduce mean %{{.*}} over data = 2
// DATA-NOT: lathe.all
// DATA: return
// FLAT-LABEL: func.func @step(
// FLAT: lathe.reduce_scatter mean %{{.*}} over data = 2 : tensor<12xf32>
// FLAT: lathe.all_gather %{{.*}} dim 0 over data = 2 : tensor<6xf32>
func.func @step(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with momentum<> : (tensor<?x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @other() -> tensor<6x2xf32> {
  %kept = lathe.read @kept : tensor<6x2xf32>
  return %kept : tensor<6x2xf32>
}

// The initial values are those of the whole variable: a rank cuts its block from the same random bits.
// CHECK-LABEL: func.func @init(
// CHECK: lathe.random_bits %{{.*}} stream 0 to [4, 6]
// CHECK: lathe.axis_index over model = 2
// CHECK: return
