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
