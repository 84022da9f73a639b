// RUN: lathe-opt %s --lathe-split-steps=steps=step:N --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot split @step over N: its body has no lathe.minimize, and no lathe.value_and_grad, at which it could be cut}}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  return %x : tensor<?xf32, #lathe.dims<N>>
}

// -----

// expected-error @+1 {{cannot split @step over N: no argument has a dimension of this name; name the batch in lathe.dims, without giving it one size by --dim}}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected the batch as its first dimension and nowhere else, so that neighbouring examples are neighbours in memory}}
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
  // expected-error @+1 {{it takes more than one gradient; make entries of their own of the steps, and split each}}
  %1:2 = lathe.value_and_grad @loss(%x, %0#1) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1, %1#1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0, %x : tensor<f32>, tensor<?xf32, #lathe.dims<N>>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{of single examples, and is used; expected what there is one of for all, such as the loss and gradients by variables}}
  %0:3 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>, tensor<f32>)
  return %0#2, %0#1 : tensor<f32>, tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>, %c: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0, %c : tensor<f32>, tensor<i32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>, %c: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  // expected-error @+1 {{its result 1 is 'tensor<i32>' and is used; expected a float, which the shards' can be averaged of}}
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
  // expected-error @+1 {{lathe.reduce beside what is minimised needs the whole batch; what is of single examples belongs into the function that is minimised, or into an entry of its own}}
  %1 = lathe.reduce max %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0#1, %1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @loss(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %0 : tensor<f32>
}
// expected-error @+1 {{a result is 'tensor<?xf32, #lathe.dims<N>>', which no shard has whole}}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #lathe.dims<N>>) {
  %0:2 = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?xf32, #lathe.dims<N>>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1, %x : tensor<f32>, tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>, %w: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{nothing that is minimised depends on an argument with this dimension}}
  %0:2 = lathe.value_and_grad @loss(%w) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// expected-error @+1 {{the name @step_update is needed for a part of @step; rename this}}
func.func @step_update(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @step(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  return %x : tensor<?xf32, #lathe.dims<N>>
}
