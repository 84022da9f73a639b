// RUN: lathe-opt %s --lathe-partition=axes=model=2 | FileCheck %s
// A slot is divided as its variable where the gradient is whole: each rank updates its block.
// CHECK: lathe.variable @w.momentum : tensor<4x3xf32> init #lathe.zeros {lathe.splits = ["", "model"], lathe.whole = tensor<4x6xf32>}
// CHECK: lathe.variable @kept : tensor<4x6xf32> init #lathe.zeros{{$}}
lathe.variable @w : tensor<4x6xf32> init #lathe.zeros {lathe.shard = ["", "model"]}
lathe.variable @w.momentum : tensor<4x6xf32> init #lathe.zeros
lathe.variable @kept : tensor<4x6xf32> init #lathe.zeros {lathe.shard = ["", ""]}
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[G:.*]]: tensor<4x6xf32>, %[[W:.*]]: tensor<4x3xf32> {{.*}}, %[[M:.*]]: tensor<4x3xf32> {{.*}}, %[[KEPT:.*]]: tensor<4x6xf32>
// CHECK-DAG: %[[PART:.*]] = lathe.dynamic_slice %[[G]]
// CHECK-DAG: %[[OLD:.*]] = lathe.dynamic_slice %[[KEPT]]
// CHECK: %[[NEW:.*]] = lathe.add %[[M]], %[[PART]] : tensor<4x3xf32>
// CHECK: lathe.sub %[[W]], %[[NEW]] : tensor<4x3xf32>
// CHECK-NOT: lathe.all
// CHECK: return
func.func @step(%g: tensor<4x6xf32>, %w: tensor<4x6xf32> {lathe.state = @w}, %m: tensor<4x6xf32> {lathe.state = @w.momentum},
                %kept: tensor<4x6xf32> {lathe.state = @kept})
    -> (tensor<4x6xf32> {lathe.state = @w}, tensor<4x6xf32> {lathe.state = @w.momentum}) {
  %new = lathe.add %m, %g : tensor<4x6xf32>
  %a = lathe.sub %w, %new : tensor<4x6xf32>
  %b = lathe.add %a, %kept : tensor<4x6xf32>
  return %b, %new : tensor<4x6xf32>, tensor<4x6xf32>
}
