// RUN: lathe-opt %s --lathe-expand-derivatives --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.kernel' has no batching rule; use operands that all elements of the batch share}}
  %0 = lathe.kernel (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    lathe.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-note @+1 {{a batch of 'f' is made here}}
  %0 = lathe.vmap @f(%x) in [0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func private @f(%x: tensor<1x300x2xf32>, %w: tensor<257x2x4xf32>) -> tensor<1x44x4xf32> {
  // expected-error @+1 {{'lathe.conv' on a batch of filters of unknown size supports at most 256 taps; give dimension B a number}}
  %0 = lathe.conv %x, %w stride [1] pad valid : tensor<1x300x2xf32>, tensor<257x2x4xf32>
  return %0 : tensor<1x44x4xf32>
}
func.func @g(%x: tensor<1x300x2xf32>, %w: tensor<?x257x2x4xf32, #lathe.dims<B>>) -> tensor<?x1x44x4xf32, #lathe.dims<B>> {
  // expected-note @+1 {{a batch of 'f' is made here}}
  %0 = lathe.vmap @f(%x, %w) in [none, 0] : (tensor<1x300x2xf32>, tensor<?x257x2x4xf32, #lathe.dims<B>>) -> tensor<?x1x44x4xf32, #lathe.dims<B>>
  return %0 : tensor<?x1x44x4xf32, #lathe.dims<B>>
}

// -----

// expected-note @+1 {{'f' is defined here}}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %b = lathe.broadcast %x dims [] to [2] : tensor<f32>
  // expected-error @+1 {{'lathe.vmap' of 'f' is recursive; recursion cannot be differentiated}}
  %0 = lathe.vmap @f(%b) in [0] : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<f32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.extern' of @c cannot be called for a batch of B; declare a function for whole batches, `batched @function`, or give the batch a size from 1 to 1024}}
  %0 = lathe.extern @c(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<?x4xf32, #lathe.dims<B>>) -> tensor<?x4xf32, #lathe.dims<B>> {
  // expected-note @+1 {{a batch of 'f' is made here}}
  %0 = lathe.vmap @f(%x) in [0] : (tensor<?x4xf32, #lathe.dims<B>>) -> tensor<?x4xf32, #lathe.dims<B>>
  return %0 : tensor<?x4xf32, #lathe.dims<B>>
}
