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
// The corrections, both from scalars.
// CHECK: %[[C2:.*]] = lathe.neg
// CHECK: %[[ROOT:.*]] = lathe.sqrt %[[C2]]
// CHECK: %[[RATE:.*]] = lathe.mul %[[LR]], %[[ROOT]]
// CHECK: %[[C1:.*]] = lathe.neg
// CHECK: %[[FACTOR:.*]] = lathe.div %[[RATE]], %[[C1]]
// CHECK: %[[EPSILON:.*]] = lathe.mul %[[ROOT]], %{{.*}} : tensor<f32>
// CHECK: %[[M1:.*]] = lathe.add {{.*}} : tensor<3xf32>
// CHECK: lathe.mul %[[G]]#1, %[[G]]#1
// CHECK: %[[V1:.*]] = lathe.add {{.*}} : tensor<3xf32>
// CHECK: %[[SQRT:.*]] = lathe.sqrt %[[V1]]
// CHECK: %[[E:.*]] = lathe.broadcast %[[EPSILON]] dims [] to [3]
// CHECK: %[[DENOMINATOR:.*]] = lathe.add %[[SQRT]], %[[E]]
// CHECK: %[[A:.*]] = lathe.broadcast %[[FACTOR]] dims [] to [3]
// CHECK: %[[UP:.*]] = lathe.mul %[[M1]], %[[A]]
// CHECK: %[[DELTA:.*]] = lathe.div %[[UP]], %[[DENOMINATOR]]
// CHECK: %[[W1:.*]] = lathe.sub %[[W]], %[[DELTA]]
// CHECK: return %[[G]]#0, %[[W1]], %[[M1]], %[[V1]], %[[T1]]
func.func @adam(%x: tensor<3xf32>, %lr: tensor<f32>) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with adam<epsilon = 1.0e-7> learning_rate %lr : tensor<f32> wrt [@w] : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The scalars are f64 where a parameter is, and an f32 parameter gets them converted.
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
// CHECK: lathe.constant dense<1.000000e-03> : tensor<f64>
// CHECK: %[[FACTOR:.*]] = lathe.div {{.*}} : tensor<f64>
// CHECK: lathe.convert %[[FACTOR]] to f32 : tensor<f64>
// CHECK: lathe.broadcast %[[FACTOR]] dims [] to [3] : tensor<f64>
func.func @wide_adam(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = lathe.minimize @mixed(%x) with adam<> : (tensor<3xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @momentum(
// CHECK: %[[G:.*]]:2 = lathe.value_and_grad
// CHECK: %[[KEPT:.*]] = lathe.mul %[[V:.*]], %{{.*}}
// CHECK: %[[V1:.*]] = lathe.add %[[KEPT]], %[[G]]#1
// CHECK: %[[DELTA:.*]] = lathe.mul %[[V1]]
// CHECK: %[[W1:.*]] = lathe.sub %{{.*}}, %[[DELTA]]
// CHECK: return %[[G]]#0, %[[W1]], %[[V1]]
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
