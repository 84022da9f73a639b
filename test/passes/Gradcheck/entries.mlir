// RUN: lathe-opt %s --pass-pipeline="builtin.module(lathe-import,lathe-gradcheck-subjects{function=f},lathe-inline,lathe-lower-state,lathe-gradcheck-entries)" | FileCheck %s
// RUN: lathe-opt %s --pass-pipeline="builtin.module(lathe-import,lathe-gradcheck-subjects{function=train},lathe-inline,lathe-lower-state,lathe-gradcheck-entries)" | FileCheck %s --check-prefix=TRAIN
// RUN: not lathe-opt %s --pass-pipeline="builtin.module(lathe-import,lathe-gradcheck-subjects{function=loss})" 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: error: there is no public function 'loss' to check the derivatives of

lathe.variable @step : tensor<i64> init #lathe.zeros
lathe.variable @w : tensor<3xf64> init #lathe.zeros
lathe.variable @mean : tensor<f64> init #lathe.zeros

// A function: by float arguments and variables, of float results and of what it writes.
// CHECK: func.func private @f(
// CHECK: func.func @gradcheck.variables.0(%[[S:.*]]: tensor<i64> {lathe.state = @step}, %[[W:.*]]: tensor<3xf64> {lathe.state = @w})
// CHECK-NEXT: return %[[S]], %[[W]]
// CHECK: func.func @gradcheck.forward.0(
// CHECK: lathe.jvp @f({{.*}}) wrt [1, 3]
// CHECK: func.func @gradcheck.reverse.0(
// CHECK-SAME: %{{.*}}: tensor<i64> {lathe.name = "lathe_variable0"}, %{{.*}}: tensor<3xf64> {lathe.name = "lathe_variable1"}
// CHECK-SAME: %[[C:.*]]: tensor<3xf64> {lathe.name = "lathe_direction0"}, %[[D:.*]]: tensor<f64> {lathe.name = "lathe_direction1"})
// CHECK-SAME: -> (tensor<3xf64> {lathe.name = "lathe_gradient1"}, tensor<3xf64> {lathe.name = "lathe_gradient3"})
// CHECK-NEXT: lathe.vjp @f({{.*}}) cotangents(%[[C]], %[[D]]) wrt [1, 3]
// CHECK: func.func @gradcheck.value.0(
// CHECK: -> (tensor<3xf64> {lathe.name = "lathe_result0"}, tensor<f64> {lathe.name = "lathe_result1"})
// CHECK-NOT: @train
func.func @f(%i: tensor<3xi32>, %x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xi32>) {
  %s = lathe.read @step : tensor<i64>
  %n = lathe.convert %s to f64 : tensor<i64>
  %w = lathe.read @w : tensor<3xf64>
  %0 = lathe.mul %w, %x : tensor<3xf64>
  %1 = lathe.mul %0, %n : tensor<3xf64>, tensor<f64>
  %2 = lathe.reduce sum %1 dims [0] : tensor<3xf64>
  lathe.write @mean, %2 : tensor<f64>
  return %1, %i : tensor<3xf64>, tensor<3xi32>
}

// A training step: the loss by variables; what it writes has no cotangent, and no slot of an optimiser is left.
// TRAIN-NOT: adam
// TRAIN: func.func private @train.loss.0(%{{.*}}: tensor<3xf64>{{.*}}, %{{.*}}: tensor<3xf64> {lathe.state = @w}) -> (tensor<f64>, tensor<f64> {lathe.state = @mean})
// TRAIN: func.func @gradcheck.reverse.0(
// TRAIN-SAME: -> (tensor<3xf64> {lathe.name = "lathe_gradient1"})
// TRAIN-NEXT: %[[ZERO:.*]] = lathe.constant dense<0.0{{.*}}> : tensor<f64>
// TRAIN-NEXT: lathe.vjp @train.loss.0({{.*}}) cotangents(%{{.*}}, %[[ZERO]]) wrt [1]
// TRAIN-NOT: gradcheck.{{.*}}.1
func.func private @loss(%x: tensor<3xf64>) -> tensor<f64> {
  %w = lathe.read @w : tensor<3xf64>
  %0 = lathe.mul %w, %x : tensor<3xf64>
  %1 = lathe.reduce sum %0 dims [0] : tensor<3xf64>
  lathe.write @mean, %1 : tensor<f64>
  return %1 : tensor<f64>
}
func.func @train(%x: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  %0 = lathe.minimize @loss(%x) with adam<> : (tensor<3xf64>) -> tensor<f64>
  %1 = lathe.read @w : tensor<3xf64>
  return %0, %1 : tensor<f64>, tensor<3xf64>
}
