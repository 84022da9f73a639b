func.func @f(%x: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<64xf32> {
  %y = lathe.reduce sum %x dims [0] : tensor<?x64xf32>
  return %y : tensor<64xf32>
}
