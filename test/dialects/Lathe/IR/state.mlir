// RUN: lathe-opt %s | lathe-opt | FileCheck %s

// CHECK: lathe.dim @N, 1 to 4096, multiple of 8
lathe.dim @N, 1 to 4096, multiple of 8
// CHECK: lathe.dim @M, 1 to 7{{$}}
lathe.dim @M, 1 to 7

// CHECK: lathe.variable @w1 : tensor<3x4xf32> init #lathe.zeros
lathe.variable @w1 : tensor<3x4xf32> init #lathe.zeros
// CHECK: lathe.variable @w2 : tensor<3x4xi32> init #lathe.fill<2.0>
lathe.variable @w2 : tensor<3x4xi32> init #lathe.fill<2.0>
// CHECK: lathe.variable @w3 : tensor<4xf32> init #lathe.normal<0.0, 0.01>
lathe.variable @w3 : tensor<4xf32> init #lathe.normal<0.0, 0.01>
// CHECK: lathe.variable @w4 : tensor<4xf64> init #lathe.uniform<-1.0, 1.5>
lathe.variable @w4 : tensor<4xf64> init #lathe.uniform<-1.0, 1.5>
// CHECK: lathe.variable @w5 : tensor<3x3x1x16xf32> init #lathe.he_normal
lathe.variable @w5 : tensor<3x3x1x16xf32> init #lathe.he_normal
// CHECK: lathe.variable @layer.w6 : tensor<3x4xf32> init #lathe.glorot_uniform
lathe.variable @layer.w6 : tensor<3x4xf32> init #lathe.glorot_uniform
// CHECK: lathe.variable @step : tensor<i64> init dense<5> : tensor<i64>
lathe.variable @step : tensor<i64> init dense<5> : tensor<i64>

func.func private @loss(%x: tensor<4xf32>) -> tensor<f32> {
  // CHECK: lathe.read @w3 : tensor<4xf32>
  %w = lathe.read @w3 : tensor<4xf32>
  %0 = lathe.mul %x, %w : tensor<4xf32>
  %1 = lathe.reduce sum %0 dims [0] : tensor<4xf32>
  return %1 : tensor<f32>
}

func.func private @constant() -> tensor<f32> {
  %0 = lathe.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @nothing(%x: tensor<4xf32>) {
  return
}

// CHECK-LABEL: @derivatives
func.func @derivatives(%x: tensor<4xf32>, %c: tensor<f32>, %n: tensor<i64>) {
  // CHECK: lathe.write @step, %arg2 : tensor<i64>
  lathe.write @step, %n : tensor<i64>
  // CHECK: lathe.minimize @loss(%arg0) with sgd<learning_rate = 0.5, momentum = 0.9> : (tensor<4xf32>) -> tensor<f32>
  %0 = lathe.minimize @loss(%x) with sgd<learning_rate = 0.5, momentum = 0.9> : (tensor<4xf32>) -> tensor<f32>
  // CHECK: lathe.minimize @loss(%arg0) with adam<> learning_rate %arg1 : tensor<f32> wrt [@w3] : (tensor<4xf32>) -> tensor<f32>
  %1 = lathe.minimize @loss(%x) with adam<> learning_rate %c : tensor<f32> wrt [@w3] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: lathe.minimize @loss(%arg0) with momentum<clip_norm = 2.0, momentum = 0.8, nesterov> : (tensor<4xf32>) -> tensor<f32>
  %nesterov = lathe.minimize @loss(%x) with momentum<nesterov, momentum = 0.8, clip_norm = 2.0> : (tensor<4xf32>) -> tensor<f32>
  // CHECK: lathe.minimize @constant() with sgd<> : () -> tensor<f32>
  %5 = lathe.minimize @constant() with sgd<> : () -> tensor<f32>
  // CHECK: lathe.value_and_grad @loss(%arg0) wrt [0] : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  %2:2 = lathe.value_and_grad @loss(%x) wrt [0] : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  // CHECK: lathe.jvp @loss(%arg0) tangents(%arg0) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<f32>, tensor<f32>)
  %3:2 = lathe.jvp @loss(%x) tangents(%x) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<f32>, tensor<f32>)
  // CHECK: lathe.vjp @loss(%arg0) cotangents(%arg1) wrt [0] : (tensor<4xf32>), (tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
  %4:2 = lathe.vjp @loss(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
  // A function of nothing, or by nothing.
  // CHECK: lathe.jvp @constant() tangents() wrt [] : (), () -> (tensor<f32>, tensor<f32>)
  %6:2 = lathe.jvp @constant() tangents() wrt [] : (), () -> (tensor<f32>, tensor<f32>)
  // CHECK: lathe.vjp @constant() cotangents(%arg1) wrt [] : (), (tensor<f32>) -> (tensor<f32>)
  %7 = lathe.vjp @constant() cotangents(%c) wrt [] : (), (tensor<f32>) -> (tensor<f32>)
  // CHECK: lathe.vjp @nothing(%arg0) cotangents() wrt [] : (tensor<4xf32>), () -> ()
  lathe.vjp @nothing(%x) cotangents() wrt [] : (tensor<4xf32>), () -> ()
  // CHECK: lathe.value_and_grad @constant() wrt [] : () -> tensor<f32>
  %8 = lathe.value_and_grad @constant() wrt [] : () -> tensor<f32>
  return
}

func.func private @scaled(%x: tensor<4xf32>, %k: tensor<f32>) -> tensor<4xf32> {
  %0 = lathe.mul %x, %k : tensor<4xf32>, tensor<f32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: @vmaps
func.func @vmaps(%x: tensor<?x4xf32, #lathe.dims<N>>, %y: tensor<4x?xf32>, %k: tensor<f32>) {
  // CHECK: lathe.vmap @scaled(%{{.*}}, %{{.*}}) in [0, none] : (tensor<?x4xf32, #lathe.dims<N>>, tensor<f32>) -> tensor<?x4xf32, #lathe.dims<N>>
  %0 = lathe.vmap @scaled(%x, %k) in [0, none] : (tensor<?x4xf32, #lathe.dims<N>>, tensor<f32>) -> tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.vmap @scaled(%{{.*}}, %{{.*}}) in [1, none] : (tensor<4x?xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = lathe.vmap @scaled(%y, %k) in [1, none] : (tensor<4x?xf32>, tensor<f32>) -> tensor<?x4xf32>
  return
}
