// RUN: lathe-opt %s --lathe-average-gradients=steps=step@data --split-input-file --verify-diagnostics | FileCheck %s
// A batch of a fixed size has no name: all inputs of a gradient are the rank's own.

// CHECK-LABEL: func.func @step(
// CHECK: %[[G:.*]]:2 = lathe.value_and_grad
// CHECK-DAG: lathe.all_reduce mean %[[G]]#0 over data : tensor<f32>
// CHECK-DAG: lathe.all_reduce mean %[[G]]#1 over data : tensor<f32>
func.func private @loss(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<8xf32>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<8xf32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<8xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @loss(%x: tensor<8xf32>, %w: tensor<f32>) -> (tensor<f32>, tensor<8xf32>) {
  return %w, %x : tensor<f32>, tensor<8xf32>
}
func.func @step(%x: tensor<8xf32>, %w: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  // expected-error @+1 {{cannot divide @step among the ranks of 'data': its result 1 is 'tensor<8xf32>', which may have an element for each example or be the same for all; name the batch in lathe.dims, and in --shard=step:BATCH@data}}
  %0:3 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<8xf32>, tensor<f32>) -> (tensor<f32>, tensor<8xf32>, tensor<f32>)
  return %0#1, %0#2 : tensor<8xf32>, tensor<f32>
}

// -----

lathe.variable @seen : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-note @+1 {{it depends on this argument}}
func.func @step(%x: tensor<8xf32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32> {lathe.state = @seen}) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<8xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-error @+1 {{variable @seen gets a value that depends on this rank's examples}}
  %1 = lathe.reduce sum %x dims [0] : tensor<8xf32>
  return %0#1, %1 : tensor<f32>, tensor<f32>
}
