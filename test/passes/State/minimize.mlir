// RUN: lathe-opt %s --lathe-lower-state | FileCheck %s

// Slots come behind all variables, so that these keep their places and their random streams.
// CHECK: lathe.variable @w : tensor<3xf32>
// CHECK-NEXT: lathe.variable @frozen : tensor<3xf32>
// CHECK-NEXT: lathe.variable @wide : tensor<3xf64>
// CHECK-NEXT: lathe.variable @w.mean : tensor<3xf32> init #lathe.zeros
// CHECK-NEXT: lathe.variable @w.variance : tensor<3xf32> init #lathe.zeros
// CHECK-NEXT: lathe.variable @adam.step : tensor<f32> init #lathe.zeros
// CHECK-NEXT: lathe.variable @wide.mean : tensor<3xf64> init #lathe.zeros
// CHECK-NEXT: lathe.variable @wide.variance : tensor<3xf64> init #lathe.zeros
// CHECK-NEXT: lathe.variable @adam.step.2 : tensor<f64> init #lathe.zeros
// CHECK-NEXT: lathe.variable @w.momentum : tensor<3xf32> init #lathe.zeros
lathe.variable @w : tensor<3xf32> init #lathe.zeros
lathe.variable @frozen : tensor<3xf32> init #lathe.zeros
lathe.variable @wide : tensor<3xf64> init #lathe.zeros

func.func private @loss(%x: tensor<3xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %f = lathe.read @frozen : tensor<3xf32>
  %0 = lathe.mul %w, %f : tensor<3xf32>
  %1 = lathe.mul %0, %x : tensor<3xf32>
  %2 = lathe.reduce sum %1 dims [0] : tensor<3xf32>
  return %2 : tensor<f32>
}

// CHECK-LABEL: func.func @adam(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[LR:.*]]: tensor<f32>, %[[W:.*]]: tensor<3xf32> {lathe.state = @w}, %[[F:.*]]: tensor<3xf32> {lathe.state = @frozen}
// CHECK-SAME: %[[M:.*]]: tensor<3xf32> {lathe.state = @w.mean}, %[[V:.*]]: tensor<3xf32> {lathe.state = @w.variance}, %[[T:.*]]: tensor<f32> {lathe.state = @adam.step})
// CHECK-NEXT: %[[G:.*]]:2 = lathe.value_and_grad @loss(%[[X]], %[[W]], %[[F]]) wrt [1]
// CHECK: %[[T1:.*]] = lathe.add %[[T]], %{{.*}} : tensor<f32>
// CHECK: %[[NEW:.*]]:3 = lathe.std.adam %[[W]], %[[G]]#1, %[[LR]], %[[T1]], %[[M]], %[[V]] epsilon 1.0e-07 :
// CHECK: return %[[G]]#0, %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2, %[[T1]]
func.func @adam(%x: tensor<3xf32>, %lr: tensor<f32>) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with adam<epsilon = 1.0e-7> learning_rate %lr : tensor<f32> wrt [@w] : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The scalars are f64 where a parameter is.
func.func private @mixed(%x: tensor<3xf64>) -> tensor<f64> {
  %w = lathe.read @w : tensor<3xf32>
  %wide = lathe.read @wide : tensor<3xf64>
  %c = lathe.convert %w to f64 : tensor<3xf32>
  %0 = lathe.mul %c, %wide : tensor<3xf64>
  %1 = lathe.mul %0, %x : tensor<3xf64>
  %2 = lathe.reduce sum %1 dims [0] : tensor<3xf64>
  return %2 : tensor<f64>
}
// CHECK-LABEL: func.func @wide_adam(
// CHECK: %[[RATE:.*]] = lathe.constant dense<1.000000e-03> : tensor<f64>
// CHECK: lathe.std.adam {{.*}}, %[[RATE]], {{.*}} : tensor<3xf32>, tensor<3xf32>, tensor<f64>, tensor<f64>, tensor<3xf32>, tensor<3xf32>
// CHECK: lathe.std.adam {{.*}}, %[[RATE]], {{.*}} : tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>
func.func @wide_adam(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = lathe.minimize @mixed(%x) with adam<> : (tensor<3xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @momentum(
// CHECK: %[[G:.*]]:2 = lathe.value_and_grad
// CHECK: %[[NEW:.*]]:2 = lathe.std.momentum %{{.*}}, %[[G]]#1, %{{.*}}, %{{.*}} momentum 0.9 :
// CHECK: return %[[G]]#0, %[[NEW]]#0, %[[NEW]]#1
func.func @momentum(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with sgd<momentum = 0.9> wrt [@w] : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Every float variable that the loss reads, without slots.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: -> (tensor<f32>, tensor<3xf32> {lathe.state = @w}, tensor<3xf32> {lathe.state = @frozen})
// CHECK: lathe.value_and_grad @loss({{.*}}) wrt [1, 2]
func.func @plain(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with sgd<learning_rate = 1.0e-1> : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// All gradients together, in the widest type, shorten each.
// CHECK-LABEL: func.func @clipped(
// CHECK: %[[G:.*]]:3 = lathe.value_and_grad
// CHECK: %[[WIDE:.*]] = lathe.convert %[[G]]#1 to f64 : tensor<3xf32>
// CHECK: lathe.reduce sum
// CHECK: lathe.reduce sum
// CHECK: %[[TOTAL:.*]] = lathe.add {{.*}} : tensor<f64>
// CHECK: %[[FACTOR:.*]] = lathe.std.clip_factor %[[TOTAL]] limit 0.5 : tensor<f64>
// CHECK: lathe.convert %[[FACTOR]] to f32
// CHECK: %[[SHORT:.*]] = lathe.mul %[[G]]#1, {{.*}} : tensor<3xf32>
// CHECK: lathe.std.sgd %{{.*}}, %[[SHORT]], {{.*}} weight_decay 0.1 :
func.func @clipped(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = lathe.minimize @mixed(%x) with sgd<clip_norm = 0.5, weight_decay = 0.1> : (tensor<3xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}
