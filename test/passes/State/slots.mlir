// Slots that are declared before functions are removed have the names that all functions together give.
// RUN: lathe-opt %s --lathe-declare-slots | FileCheck %s
// RUN: lathe-opt %s --pass-pipeline="builtin.module(lathe-declare-slots,symbol-dce,lathe-lower-state)" | FileCheck %s --check-prefix=LOWERED --implicit-check-not=lathe.slot
// RUN: lathe-opt %s --lathe-lower-state | FileCheck %s --check-prefix=LOWERED

// CHECK: lathe.variable @a
// CHECK: lathe.variable @b
// CHECK: lathe.variable @a.mean : tensor<3xf32> init #lathe.zeros {lathe.slot = []}
// CHECK: lathe.variable @a.variance : tensor<3xf32> init #lathe.zeros {lathe.slot = []}
// CHECK: lathe.variable @adam.step : tensor<f32> init #lathe.zeros {lathe.slot = ["a"]}
// CHECK: lathe.variable @adam.step.2 : tensor<f32> init #lathe.zeros {lathe.slot = ["b"]}
// CHECK: lathe.minimize @loss_a

// LOWERED: lathe.variable @a.mean
// LOWERED: lathe.variable @adam.step :
// LOWERED: lathe.variable @adam.step.2 :
// LOWERED: func.func @step_b({{.*}} {lathe.state = @b}, {{.*}} {lathe.state = @b.mean}, {{.*}} {lathe.state = @adam.step.2})
// LOWERED: func.func @init
// LOWERED-SAME: lathe.state = @adam.step}
lathe.variable @a : tensor<3xf32> init #lathe.zeros
lathe.variable @b : tensor<3xf32> init #lathe.zeros
func.func private @loss_a() -> tensor<f32> {
  %a = lathe.read @a : tensor<3xf32>
  %loss = lathe.reduce sum %a dims [0] : tensor<3xf32>
  return %loss : tensor<f32>
}
func.func private @loss_b() -> tensor<f32> {
  %b = lathe.read @b : tensor<3xf32>
  %loss = lathe.reduce sum %b dims [0] : tensor<3xf32>
  return %loss : tensor<f32>
}
func.func private @step_a() -> tensor<f32> {
  %loss = lathe.minimize @loss_a() with adam<> : () -> tensor<f32>
  return %loss : tensor<f32>
}
func.func @step_b() -> tensor<f32> {
  %loss = lathe.minimize @loss_b() with adam<> : () -> tensor<f32>
  return %loss : tensor<f32>
}
