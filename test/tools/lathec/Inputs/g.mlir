lathe.dim @N, 2 to 64, multiple of 2
func.func @f(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x8xf32> {
  %s = lathe.reduce sum %x dims [0] : tensor<?x8xf32>
  %y = lathe.sub %x, %s : tensor<?x8xf32>, tensor<8xf32>
  return %y : tensor<?x8xf32>
}
