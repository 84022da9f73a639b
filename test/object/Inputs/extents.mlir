func.func @tail(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %y = lathe.slice %x from [3] to [N] : tensor<?xf32>
  %sum = lathe.reduce sum %y dims [0] : tensor<?xf32>
  return %sum : tensor<f32>
}
func.func @cube(%x: tensor<?x?x?xf32> {lathe.dims = #lathe.dims<L, M, N>}) -> tensor<?x?x?xf32> {
  %y = lathe.neg %x : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
lathe.variable @w : tensor<f32> init #lathe.zeros
func.func private @loss(%x: tensor<?xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<f32>
  %tail = lathe.slice %x from [5] to [N] : tensor<?xf32>
  %error = lathe.sub %tail, %w : tensor<?xf32>, tensor<f32>
  %square = lathe.mul %error, %error : tensor<?xf32>
  %sum = lathe.reduce sum %square dims [0] : tensor<?xf32>
  return %sum : tensor<f32>
}
func.func @step(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %rate = lathe.constant dense<0.5> : tensor<f32>
  %loss = lathe.minimize @loss(%x) with sgd<> learning_rate %rate : tensor<f32> : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func @head(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %y = lathe.slice %x from [2] to [4] : tensor<?xf32>
  %sum = lathe.reduce sum %y dims [0] : tensor<2xf32>
  return %sum : tensor<f32>
}
func.func @pairs(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %rows = lathe.broadcast %x dims [0] to [N, N] : tensor<?xf32>
  %columns = lathe.broadcast %x dims [1] to [N, N] : tensor<?xf32>
  %products = lathe.mul %rows, %columns : tensor<?x?xf32>
  %cubes = lathe.dot_general %products, %products contract [1] x [0] : tensor<?x?xf32>
  %sum = lathe.reduce sum %cubes dims [0, 1] : tensor<?x?xf32>
  return %sum : tensor<f32>
}
func.func @empty(%x: tensor<0xf32>, %y: tensor<4xf32>) -> (tensor<4xf32> {lathe.name = "z"}) {
  %z = lathe.concatenate %x, %y dim 0 : tensor<0xf32>, tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @skip(%x: tensor<?xf32> {lathe.dims = #lathe.dims<H>}) -> (tensor<?xf32> {lathe.name = "y"}) {
  %pairs = lathe.reduce_window max %x window [2] stride [2] : tensor<?xf32>
  %column = lathe.reshape %pairs to [floor_div(H, 2), 1] : tensor<?xf32>
  %twice = lathe.concatenate %column, %column dim 1 : tensor<?x1xf32>, tensor<?x1xf32>
  %up = lathe.reshape %twice to [2 * floor_div(H, 2)] : tensor<?x2xf32>
  %y = lathe.add %x, %up : tensor<?xf32>
  return %y : tensor<?xf32>
}
lathe.dim @E, 2 to 4096, multiple of 2
func.func @front(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %m: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<f32> {
  %y = lathe.slice %x from [0] to [M] : tensor<?xf32>
  %z = lathe.mul %y, %m : tensor<?xf32>
  %sum = lathe.reduce sum %z dims [0] : tensor<?xf32>
  return %sum : tensor<f32>
}
func.func @even(%x: tensor<?xf32> {lathe.dims = #lathe.dims<E>}) -> tensor<?x2xf32> {
  %y = lathe.reshape %x checked to [floor_div(E, 2), 2] : tensor<?xf32>
  %z = lathe.neg %y : tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}
