// RUN: lathe-opt %s --lathe-split-steps=steps=step:N --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot split @step over N: its body has no lathe.minimize or lathe.value_and_grad to cut at}}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  return %x : tensor<?xf32, #lathe.dims<N>>
}

// -----

// expected-error @+1 {{cannot split @step over N: no argument has a dimension of this name; name the batch in lathe.dims, and do not fix it with --dim}}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{the batch must be its first dimension only, so that a shard's examples are contiguous in memory}}
func.func @step(%x: tensor<3x?xf32, #lathe.dims<N>>) -> tensor<3x?xf32, #lathe.dims<N>> {
  return %x : tensor<3x?xf32, #lathe.dims<N>>
}

// -----

// expected-error @+1 {{an argument is 'tensor<?xf32, #lathe.dims<2 * N>>'}}
func.func @step(%x: tensor<?xf32, #lathe.dims<2 * N>>) -> tensor<?xf32, #lathe.dims<2 * N>> {
  return %x : tensor<?xf32, #lathe.dims<2 * N>>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-note @+1 {{the first one is here}}
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-error @+1 {{it takes more than one gradient; write one entry per step, and split each}}
  %1:2 = lathe.value_and_grad @loss(%x, %0#1) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1, %1#1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0, %x : tensor<f32>, tensor<?xf32, #lathe.dims<N>>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{a per-example value that is used after the cut; only batch-wide values, such as the loss and parameter gradients, may cross it}}
  %0:3 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>, tensor<f32>)
  return %0#2, %0#1 : tensor<f32>, tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>, %c: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0, %c : tensor<f32>, tensor<i32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>, %c: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  // expected-error @+1 {{its result 1 is 'tensor<i32>'; expected a floating-point result, so that it can be averaged over the shards}}
  %0:3 = lathe.value_and_grad @loss(%x, %w, %c) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>, tensor<f32>)
  return %0#2, %0#1 : tensor<f32>, tensor<i32>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-error @+1 {{lathe.reduce outside the minimised function needs the whole batch; compute per-example values inside the minimised function, or in an entry of their own}}
  %1 = lathe.reduce max %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0#1, %1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0 : tensor<f32>
}
// expected-error @+1 {{a result is 'tensor<?xf32, #lathe.dims<N>>', but each shard has only its part of the batch}}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1, %x : tensor<f32>, tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{the minimised value does not depend on an argument with this dimension}}
  %0:2 = lathe.value_and_grad @loss(%w) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// expected-error @+1 {{the name @step_update is reserved for a part of @step; rename this}}
func.func @step_update(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  return %x : tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func private @loss(%x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
  %0 = lathe.mul %x, %w : tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %sum = lathe.scan carry(%g = %zero : tensor<f32>) over(%each = %x : tensor<?xf32, #lathe.dims<N>>) -> tensor<f32> {
    // expected-error @+1 {{cannot split @step over N: it takes its gradient in a loop or branch of its own; take it once, or let lathe.minimize take it with 'micro_batches'}}
    %0:2 = lathe.value_and_grad @loss(%each, %w) wrt [1] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %next = lathe.add %g, %0#1 : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %sum : tensor<f32>
}
