// Functions of functions.c: with derivatives of every kind, of several results, and one that fails.
func.func private @sum(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %y = lathe.extern @cube(%x) dims [N] gradient [@cube_gradient, @cube_second] : (tensor<?xf64>) -> tensor<?xf64>
  %r = lathe.reduce sum %y dims [0] : tensor<?xf64>
  return %r : tensor<f64>
}

// Between ops of the graph, twice, and the same operand in two places.
func.func @cubes(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf64>, tensor<?x2xf64>) {
  %a = lathe.sin %x : tensor<?xf64>
  %b = lathe.extern @cube(%a) dims [N] tangent @cube_tangent gradient [@cube_gradient] : (tensor<?xf64>) -> tensor<?xf64>
  %c = lathe.add %b, %x : tensor<?xf64>
  %d = lathe.extern @cube(%c) dims [N] tangent @cube_tangent gradient [@cube_gradient] : (tensor<?xf64>) -> tensor<?xf64>
  %p = lathe.extern @pair(%d, %d) dims [N] tangent @pair_tangent gradient [@pair_gradient]
      : (tensor<?xf64>, tensor<?xf64>) -> tensor<?x2xf64>
  return %d, %p : tensor<?xf64>, tensor<?x2xf64>
}

// Its derivative is a second one of @cube.
func.func @curve(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf64> {
  %s, %g = lathe.value_and_grad @sum(%x) wrt [0] : (tensor<?xf64>) -> (tensor<f64>, tensor<?xf64>)
  return %g : tensor<?xf64>
}

// Several results, of several types, of which one is read by nobody.
func.func @results(%x: tensor<3x4xf32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %sum, %count, %scratch = lathe.extern @rows(%x, %n) : (tensor<3x4xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi64>, tensor<4xf32>)
  %twice = lathe.add %sum, %sum : tensor<3xf32>
  return %twice, %count : tensor<3xf32>, tensor<3xi64>
}

func.func private @each(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = lathe.extern @cube(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func @unrolled(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %y = lathe.vmap @each(%x) in [0] : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
func.func private @whole(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = lathe.extern @cube(%x) batched @cube_batch : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func @batched(%x: tensor<?x4xf64> {lathe.dims = #lathe.dims<B>}) -> tensor<?x4xf64> {
  %y = lathe.vmap @whole(%x) in [0] : (tensor<?x4xf64>) -> tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
