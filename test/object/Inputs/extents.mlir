func.func @tail(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %y = lathe.slice %x from [3] to [N] : tensor<?xf32>
  %sum = lathe.reduce sum %y dims [0] : tensor<?xf32>
  return %sum : tensor<f32>
}
func.func @cube(%x: tensor<?x?x?xf32> {lathe.dims = #lathe.dims<L, M, N>}) -> tensor<?x?x?xf32> {
  %y = lathe.neg %x : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
