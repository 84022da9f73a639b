// RUN: lathe-opt %s --lathe-average-gradients=steps=step:N@data --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot divide @step over N among the ranks of 'data': its body has no lathe.minimize or lathe.value_and_grad, whose gradients could be averaged}}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  return %x : tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func private @loss(%x: tensor<4xf32>, %w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-error @+1 {{cannot divide @step over N among the ranks of 'data': no argument has a dimension of this name; name the batch in lathe.dims, and do not fix it with --dim, or leave the name out: --shard=step@data}}
func.func @step(%x: tensor<4xf32>, %w: tensor<f32>) -> tensor<f32> {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// expected-error @+1 {{there is no public function @step to divide}}
module {
  func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

lathe.variable @seen : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-note @+1 {{it depends on this argument}}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32> {lathe.state = @seen}) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-error @+1 {{variable @seen gets a value that depends on this rank's examples, so that the ranks' states would differ; compute it in the minimised function, whose results are averaged, or average it with lathe.all_reduce}}
  %1 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0#1, %1 : tensor<f32>, tensor<f32>
}

// -----

// A value that was averaged may be kept.
lathe.variable @seen : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32> {lathe.state = @seen}) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %1 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  %2 = lathe.all_reduce sum %1 over data = 2 : tensor<f32>
  return %0#1, %2 : tensor<f32>, tensor<f32>
}
