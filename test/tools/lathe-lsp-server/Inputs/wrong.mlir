func.func @f(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x8xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x8xf32> {
  %a = lathe.add %x, %y : tensor<?x8xf32>
  %b = lathe.transpose %a [0, 0] : tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = lathe.stop_gradient %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
