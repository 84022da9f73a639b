// RUN: lathe-opt %s --lathe-partition="axes=model=2,row=2" --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot divide variable @w: the number of ranks along 'modl' is not known; add --axis=modl=RANKS}}
lathe.variable @w : tensor<4x6xf32> init #lathe.zeros {lathe.shard = ["", "modl"]}

// -----

// expected-error @+1 {{cannot divide variable @w: dimension 1 is 5, which the 2 ranks of 'model' do not divide evenly; pad it, or divide another dimension}}
lathe.variable @w : tensor<4x5xf32> init #lathe.zeros {lathe.shard = ["", "model"]}

// -----

// expected-error @+1 {{cannot divide variable @w: 'model' divides dimensions 0 and 1; an axis divides one dimension of a tensor}}
lathe.variable @w : tensor<4x6xf32> init #lathe.zeros {lathe.shard = ["model", "model"]}

// -----

// expected-error @+1 {{'lathe.shard' must be a list with the name of an axis, or "", for each dimension of 'tensor<4x6xf32>', got ["model"]}}
lathe.variable @w : tensor<4x6xf32> init #lathe.zeros {lathe.shard = ["model"]}

// -----

// expected-error @+1 {{argument 0: 'lathe.shard' must be a list with the name of an axis, or "", for each dimension of 'tensor<4xf32>', got ["1st"]}}
func.func @f(%x: tensor<4xf32> {lathe.shard = ["1st"]}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0: 'lathe.shard' must be a list with the name of an axis, or "", for each dimension of 'tensor<4xf32>', got "model"}}
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {lathe.shard = "model"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot divide argument 0: dimension 0 is N, expected a number; fix it with --dim}}
func.func @f(%x: tensor<?xf32, #lathe.dims<N>> {lathe.shard = ["model"]}) -> tensor<?xf32, #lathe.dims<N>> {
  return %x : tensor<?xf32, #lathe.dims<N>>
}

// -----

lathe.variable @w : tensor<4xf32> init #lathe.zeros {lathe.shard = ["model"]}
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32> {lathe.state = @w}) -> tensor<4xf32> {
  // expected-error @+1 {{'lathe.all_reduce' is over 'model', an axis that divides variables: its ranks have the same inputs and compute one common result; use another axis}}
  %y = lathe.all_reduce sum %x over model = 2 : tensor<4xf32>
  return %y : tensor<4xf32>
}
